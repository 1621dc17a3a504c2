# Makes what lies below share/ in every package: man pages, completions, licences, the changelog.
# shellcheck shell=bash disable=SC2154  # scripts/package sets the variables

# The folder that share/ is made in.
documents=$PWD/.build/package/documents

make_documents() {
    local share=$documents/share
    rm -rf "$documents"
    make_manual "$share/man/man1"
    make_completions "$share"
    install -d "$share/doc/imgbake"
    install -m 644 packaging/copyright "$share/doc/imgbake/copyright"
    install -m 644 LICENSE "$share/doc/imgbake/LICENSE"
    install -m 644 CHANGELOG.md "$share/doc/imgbake/changelog"
}

# A page for the command and one for each subcommand, by the tool that comes with the argument parser.
make_manual() {
    local folder=$1
    install -d "$folder"
    say "making the man pages"
    # Without the options of the packaged programs: it is no part of them, and writes dates by ICU's data.
    swift build -c release --target generate-manual
    swift build -c release --product imgbake --show-bin-path >/dev/null
    .build/release/generate-manual "$binaries/imgbake" --multi-page --date "$(date -u -d "@$SOURCE_DATE_EPOCH" +%F)" \
        --output-directory "$folder"
    # The page of 'help', which the parser adds to every command, says nothing.
    find "$folder" -name '*.help.1' -delete
    [ -s "$folder/imgbake.1" ] || fail "no man page was made"
}

make_completions() {
    local share=$1 program=$binaries/imgbake
    install -d "$share/bash-completion/completions" "$share/zsh/vendor-completions" "$share/fish/vendor_completions.d"
    "$program" --generate-completion-script bash >"$share/bash-completion/completions/imgbake"
    "$program" --generate-completion-script zsh >"$share/zsh/vendor-completions/_imgbake"
    "$program" --generate-completion-script fish >"$share/fish/vendor_completions.d/imgbake.fish"
}
