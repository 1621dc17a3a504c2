# Makes the files below share/ of every package: man pages, completions, licences, the changelog.
# shellcheck shell=bash disable=SC2154  # scripts/release/package sets the variables

# The parent folder of share/.
documents=$PWD/.build/package/documents

make_documents() {
    local share=$documents/share
    rm -rf "$documents"
    make_manual "$share/man/man1"
    make_completions "$share"
    install -d "$share/doc/imgbake"
    install -m 644 packaging/copyright "$share/doc/imgbake/copyright"
    install -m 644 LICENSE "$share/doc/imgbake/LICENSE"
    install -m 644 CHANGELOG.md "$share/doc/imgbake/CHANGELOG.md"
}

# The tool of the argument parser that makes man pages.
manual_tool=$PWD/.build/package/generate-manual

# The package manager builds the tool of a dependency, but does not link it.
build_manual_tool() {
    local objects=$small_build/release
    swift build -c release "${small_options[@]}" --target generate-manual
    swiftc -emit-executable -static-stdlib -o "$manual_tool" -Xlinker --defsym -Xlinker main=generate_manual_main \
        "$objects"/generate_manual.build/*.o "$objects"/ArgumentParser{,ToolInfo}.build/*.o
}

# A page for the command and one for each subcommand.
make_manual() {
    local folder=$1
    install -d "$folder"
    say "making the man pages"
    "$manual_tool" "$binaries/imgbake" --multi-page --date "$(date -u -d "@$SOURCE_DATE_EPOCH" +%F)" --output-directory "$folder"
    # The page of the subcommand 'help' has no content.
    find "$folder" -name '*.help.1' -delete
    awk -f packaging/lib/root-page.awk "$folder/imgbake.bake.1" "$folder/imgbake.1" packaging/examples.mdoc >"$folder/imgbake.1.new"
    mv "$folder/imgbake.1.new" "$folder/imgbake.1"
    local page name
    for page in "$folder"/*.1; do
        name=${page##*/} && name=${name%.1}
        awk -f packaging/lib/manual.awk "$page" >"$page.new"
        rm "$page"
        mv "$page.new" "$folder/${name//./-}.1"
    done
    [ -s "$folder/imgbake.1" ] || fail "no man page was made"
}

make_completions() {
    local share=$1 program=$binaries/imgbake
    install -d "$share/bash-completion/completions" "$share/zsh/vendor-completions" "$share/fish/vendor_completions.d"
    # The shell sources the file, so it is not executable.
    "$program" --generate-completion-script bash | sed '1{/^#!/d}' >"$share/bash-completion/completions/imgbake"
    "$program" --generate-completion-script zsh >"$share/zsh/vendor-completions/_imgbake"
    "$program" --generate-completion-script fish >"$share/fish/vendor_completions.d/imgbake.fish"
}
