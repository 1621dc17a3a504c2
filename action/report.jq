# Converts the JSON object of a bake to annotations and outputs.

# Escapes a value for a workflow command.
def escaped: tostring | gsub("%"; "%25") | gsub("\r"; "%0D") | gsub("\n"; "%0A");
def property: escaped | gsub(":"; "%3A") | gsub(","; "%2C");

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

def outputs($report):
  "json=\(del(.diagnostics) | tojson)",
  "report=\($report)",
  "images=\(.images.total)",
  "failed=\(.images.failed)",
  "bytes-before=\(.bytes.before)",
  "bytes-after=\(.bytes.after)";
