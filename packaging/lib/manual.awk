# Names the page of 'imgbake bake' imgbake-bake, as 'man imgbake bake' looks for it. The synopsis
# keeps the command as it is typed.

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
# mdoc has no empty lines; a paragraph break is a macro.
/^$/ { print ".Pp"; next }
{ print }
