# Builds the two programs for packages: small, and with cmark-gfm linked statically.
# shellcheck shell=bash disable=SC2154  # scripts/release/package sets the variables

# Debian 12, Debian 13 and Ubuntu 24.04 name these two libraries differently, so they are linked
# statically.
static_libraries=(libcmark-gfm.a libcmark-gfm-extensions.a)

# The folder of the programs after build_binaries.
binaries=$PWD/.build/package/bin

# The libraries that pkg-config describes; the others are in module maps, or are loaded at run time.
declare -A pkg_config_names=([imgbake-worker]="vips gmodule-2.0")

# The first search path of the linker.
link_folder=$PWD/.build/package/link

# The folder of the objects of the command, which are compiled for size: that saves 3 MB, and
# neither a warm bake nor a check of 30 MB of documents gets slower. The worker's code is compiled
# for speed.
small_build=.build/package/build

# Also for size: the linker can only leave out a function that has a section of its own.
small_options=(
    "${release_options[@]}" --scratch-path "$small_build"
    -Xswiftc -Osize -Xswiftc -Xfrontend -Xswiftc -function-sections
    -Xcc -Os -Xcc -ffunction-sections -Xcc -fdata-sections
)

declare -A object_folders=([imgbake]=$small_build/release [imgbake-worker]=.build/release)

build_programs() {
    say "building for release (some minutes the first time)"
    swift build -c release "${small_options[@]}" --product imgbake
    build_product imgbake-worker
}

prepare_link() {
    local library path resources icu entry
    rm -rf "$link_folder"
    mkdir -p "$link_folder"
    for library in "${static_libraries[@]}"; do
        path=$(gcc -print-file-name="$library")
        [ -f "$path" ] || fail "there is no $library; is the -dev package installed?"
        ln -s "$path" "$link_folder/$library"
    done
    resources=$(swift -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')
    icu=${resources}_static/linux/lib_FoundationICU.a
    [ -f "$icu" ] || fail "there is no $icu; this version of Swift has an unknown ICU"
    entry=$(nm "$icu" 2>/dev/null | sed -n 's/.* R \(icudt[0-9]*_dat\)$/\1/p')
    [ -n "$entry" ] || fail "$icu has no data with the expected name"
    gcc -O2 -c -DENTRY_POINT="$entry" -o "$link_folder/icu-data.o" packaging/icu-data.c
}

# Links the objects of a product again, because 'swift build' puts its own linker options first, so
# that no library can take precedence over the system's.
link() {
    local product=$1 target=$2 list=${object_folders[$1]}/$1.product/Objects.LinkFileList name libraries=
    [ -f "$list" ] || fail "there is no $list; this version of Swift links in an unknown way"
    # The package manager names the entry point of an executable after its module.
    name=${product//-/_}
    # shellcheck disable=SC2086
    [ -z "${pkg_config_names[$product]:-}" ] || libraries=$(pkg-config --libs-only-l ${pkg_config_names[$product]})
    local options=(
        -L"$link_folder" -lstdc++
        # Before the libraries, so that ICU's own data is not linked.
        "$link_folder/icu-data.o"
        -use-ld=lld
        -Xlinker --defsym -Xlinker "main=${name}_main"
        -Xlinker --gc-sections -Xlinker --as-needed
        # Swift's own options export every symbol, and the linker keeps exported symbols.
        -Xlinker --no-export-dynamic
        -Xlinker --icf=all -Xlinker -O2
        # Packed relocations, which take a tenth of the space and need glibc 2.36.
        -Xlinker -z -Xlinker pack-relative-relocs
        -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now
    )
    # The tables for unwinding the stack take 5 MB. They are for C++ exceptions, which no library of
    # the command throws. Libraries of the worker throw and catch some.
    if [ "$product" = imgbake ]; then
        options+=(-Xlinker -T -Xlinker "$PWD/packaging/no-unwinding.ld" -Xlinker --no-eh-frame-hdr)
    fi
    # shellcheck disable=SC2086
    swiftc -emit-executable -static-stdlib -module-name "$name" -o "$target" "@$list" "${options[@]}" $libraries
}

# A digest of everything that the programs are made from.
sources_key() {
    {
        swift --version 2>/dev/null
        echo "${release_options[@]}"
        find Sources packaging/lib/binaries.sh packaging/icu-data.c packaging/no-unwinding.ld Package.swift \
            Package.resolved -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum
        dpkg-query -W "${build_packages[@]}"
    } | sha256sum
}

# Builds both programs and writes them, stripped, to $binaries, unless they are there already.
build_binaries() {
    local product said key
    key=$(sources_key)
    if [ "$(cat "$binaries/key" 2>/dev/null)" = "$key" ]; then
        say "using the programs in $binaries"
        return 0
    fi
    rm -f "$binaries/key"
    prepare_link
    build_programs
    mkdir -p "$binaries"
    for product in imgbake imgbake-worker; do
        link "$product" "$binaries/$product"
        strip --strip-all --remove-section=.comment "$binaries/$product"
        said=$("$binaries/$product" --version)
        [ "${said##* }" = "$version" ] || fail "$product reports version $said instead of $version"
    done
    build_manual_tool
    echo "$key" >"$binaries/key"
}
