# Names the page of 'imgbake bake' imgbake-bake, as 'man imgbake bake' looks for it. In the synopsis stays what is typed.

function dashed(text) { gsub(/[. ]/, "-", text); return text }

/^\.Dt / { $2 = dashed($2) }
/^\.Sh / { section = $2 }
/^\.Nm "/ && section == "NAME" {
    typed = substr($0, 5)
    print ".Nm " dashed(substr(typed, 2, length(typed) - 2))
    next
}
/^\.Nm$/ && typed != "" { print ".Nm " typed; next }
/^\.Xr / { $2 = dashed($2) }
# An empty line has no meaning in this language; a break between paragraphs has.
/^$/ { print ".Pp"; next }
{ print }
