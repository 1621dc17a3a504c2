# Converts the JSON object of a bake to annotations and a job summary.

# Escapes a value for a workflow command.
def escaped: tostring | gsub("%"; "%25") | gsub("\r"; "%0D") | gsub("\n"; "%0A");
def property: escaped | gsub(":"; "%3A") | gsub(","; "%2C");

# Escapes a text for a cell of a Markdown table.
def cell: tostring | gsub("[\r\n]+"; " ") | gsub("&"; "&amp;") | gsub("<"; "&lt;") | gsub("(?<c>[\\\\`*_\\[\\]|~])"; "\\\(.c)");

def grouped: tostring | [match("^\\d{1,3}(?=(\\d{3})*$)|\\d{3}"; "g").string] | join(",");

# A number of bytes with a decimal unit.
def bytes:
  if . < 1000 then "\(.) B"
  elif . < 1e6 then "\(. / 100 | round / 10) kB"
  elif . < 1e9 then "\(. / 1e5 | round / 10) MB"
  else "\(. / 1e8 | round / 10) GB" end;

def annotation:
  [
    (.places[0] // {} |
      if .document then "file=\(.document | ltrimstr("./") | property)" else empty end,
      if .line then "line=\(.line)" else empty end,
      if .column then "col=\(.column)" else empty end),
    "title=\("imgbake: \(.code)" | property)"
  ] as $place
  | "::\(.severity) \($place | join(","))::\([.url, .reason | values] | join(": ") | escaped); \(.remedy | escaped)";

# GitHub shows ten annotations of a kind for a step; the rest are in the log and in the summary.
def annotations:
  .diagnostics | [.[] | select(.severity == "error")][:10] + [.[] | select(.severity == "warning")][:10]
  | .[] | annotation;

# The error message of imgbake as an annotation.
def fault: "::error title=imgbake::\(sub("^imgbake: error: "; "") | if . == "" then "imgbake gave no report" else . end | escaped)";

# The host of a URL, in lower case; null without one.
def host: capture("^[A-Za-z][A-Za-z0-9+.-]*://([^/?#]*@)?(?<host>\\[[^\\]]*\\]|[^/:?#]*)").host? // null | if . == "" then null else . end;

def saved: if .before > 0 then " (\(((.before - .after) * 1000 / .before | round) / 10) % saved)" else "" end;

def failures:
  [.diagnostics[] | select(.url) | {host: (.url | host // "this site" | ascii_downcase), reason, url}]
  | group_by(.host)
  | map({
      host: .[0].host,
      count: (map(.url) | unique | length),
      reason: (group_by(.reason) | max_by(length) | .[0].reason)
    })
  | sort_by(-.count, .host);

def failure_table:
  failures as $failures
  | if $failures == [] then empty else
      "", "### Failures by host", "", "| Host | Images | Reason, for most of them |", "| --- | ---: | --- |",
      ($failures[:50][] | "| \(.host | cell) | \(.count | grouped) | \(.reason | cell) |"),
      if ($failures | length) > 50 then "", "and \(($failures | length) - 50) more hosts" else empty end
    end;

def summary:
  "## imgbake", "",
  "| | |", "| --- | ---: |",
  "| Documents | \(.documents | grouped), \(.rewritten | grouped) rewritten |",
  "| References | \(.references | grouped) |",
  "| Images | \(.images.total | grouped) |",
  "| fetched, unchanged, from cache | \(.images.fetched | grouped), \(.images.unchanged | grouped), \(.images.cached | grouped) |",
  "| failed | \(.images.failed | grouped) |",
  "| Size before | \(.bytes.before | bytes) |",
  "| Size after | \(.bytes.after | bytes)\(.bytes | saved) |",
  "| Time | \(.seconds * 10 | round / 10) s |",
  failure_table,
  "";

def outputs($report):
  "json=\(del(.diagnostics) | tojson)",
  "report=\($report)",
  "images=\(.images.total)",
  "failed=\(.images.failed)",
  "bytes-before=\(.bytes.before)",
  "bytes-after=\(.bytes.after)";
