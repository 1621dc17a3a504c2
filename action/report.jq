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

# A page that a generator has built is not in the repository, so its source is annotated if that is
# known, and the page is named in the message.
def annotation:
  (.places[0] // {}) as $at
  | ($at.document // "" | test("\\.x?html?$"; "i")) as $is_page
  | [
      if $at.source then "file=\($at.source | ltrimstr("./") | property)"
      elif $at.document then
        "file=\($at.document | ltrimstr("./") | property)",
        if $at.line then "line=\($at.line)" else empty end,
        if $at.column then "col=\($at.column)" else empty end
      else empty end,
      "title=\("imgbake: \(.code)" | property)"
    ] as $place
  | [if $is_page then [$at.document, $at.line, $at.column | values | tostring] | join(":") else empty end,
     .url, .reason | values] as $parts
  | "::\(if .severity == "note" then "notice" else .severity end) \($place | join(","))::\($parts | join(": ") | escaped); \(.remedy | escaped)";

# GitHub shows ten annotations of a kind for a step; the rest are in the log and in the summary.
def annotations:
  .diagnostics | [.[] | select(.severity == "error")][:10] + [.[] | select(.severity == "warning")][:10]
  | .[] | annotation;

# The error message of imgbake as an annotation.
def fault: "::error title=imgbake::\(sub("^imgbake: error: "; "") | if . == "" then "imgbake gave no report" else . end | escaped)";

def saved: if .before > 0 then " (\(((.before - .after) * 1000 / .before | round) / 10) % saved)" else "" end;

# Only failures: a warning about another image of the host does not hide why one is missing.
def failure_table:
  (.failures | sort_by(-.images, .host)) as $failures
  | if $failures == [] then empty else
      "", "### Failures by host", "", "| Host | Images | Reason |", "| --- | ---: | --- |",
      ($failures[:50][] | "| \(.host | cell) | \(.images | grouped) | \(.reason | cell) |"),
      if ($failures | length) > 50 then "", "and \(($failures | length) - 50) more" else empty end
    end;

def warnings:
  [.diagnostics[] | select(.severity == "warning") | .code] | group_by(.)
  | map("\(.[0]) (\(length))") | join(", ") | if . == "" then "none" else . end;

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
  "| Warnings | \(warnings) |",
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
