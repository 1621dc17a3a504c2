# Completes the page of 'imgbake': without a subcommand it bakes, so it gets the options of the page
# of 'imgbake bake', which is the first file. The third file has the examples.

FILENAME == ARGV[1] {
    if (/^\.Bl /) inside = 1
    if (inside) options = options $0 "\n"
    if (/^\.El$/) inside = 0
    next
}
FILENAME == ARGV[3] { next }
/^\.Sh SYNOPSIS$/ {
    print
    print ".Nm"
    print ".Ar site"
    print ".Op Ar options"
    print ".Nm"
    print ".Ar subcommand"
    print ".Op Ar options"
    skipping = 1
    next
}
/^\.Sh DESCRIPTION$/ { skipping = 0 }
# The options of the page itself, --version and --help, are among those of 'bake'.
/^\.Bl / { skipping = 1 }
/^\.Sh "EXIT STATUS"$/ {
    skipping = 0
    print ".Sh OPTIONS"
    print "These are the options of"
    print ".Ql imgbake bake ,"
    print "which is the same as"
    print ".Ql imgbake"
    print "without a subcommand. The pages below describe the other subcommands."
    printf "%s", options
    print ".Sh EXAMPLES"
    while ((getline line < ARGV[3]) > 0) print line
}
!skipping { print }
