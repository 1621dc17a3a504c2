# Builds the two programs as they are packaged: small, and with cmark-gfm and gumbo inside.
# shellcheck shell=bash disable=SC2154  # scripts/package sets the variables

# Debian 12, Debian 13 and Ubuntu 24.04 give these two libraries different names, so a program that is to run
# on all of them carries them.
static_libraries=(libcmark-gfm.a libcmark-gfm-extensions.a libgumbo.a)

# Where the packaged programs lie once build_binaries is done.
binaries=$PWD/.build/package/bin

# What pkg-config knows of the libraries that the programs are linked to; the others are named in module maps.
declare -A pkg_config_names=([imgbake]="libcurl" [imgbake-worker]="vips libxml-2.0 gmodule-2.0")

# Where the linker looks first.
link_folder=$PWD/.build/package/link

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
    [ -f "$icu" ] || fail "there is no $icu; this Swift has another ICU than the one known here"
    entry=$(nm "$icu" 2>/dev/null | sed -n 's/.* R \(icudt[0-9]*_dat\)$/\1/p')
    [ -n "$entry" ] || fail "$icu has no data by the name known here"
    gcc -O2 -c -DENTRY_POINT="$entry" -o "$link_folder/icu-data.o" packaging/icu-data.c
}

# Links the objects of a product again, because 'swift build' puts options behind its own, and lets no library be
# taken before the system's.
link() {
    local product=$1 target=$2 list=.build/release/$1.product/Objects.LinkFileList name libraries
    [ -f "$list" ] || fail "there is no $list; this Swift links in another way than the one known here"
    # The package manager calls the entry point of an executable module by its name.
    name=${product//-/_}
    # shellcheck disable=SC2086
    libraries=$(pkg-config --libs-only-l ${pkg_config_names[$product]})
    local options=(
        -L"$link_folder" -lgumbo -lstdc++
        # Before the libraries: ICU's own data are then not asked for.
        "$link_folder/icu-data.o"
        -use-ld=lld
        -Xlinker --defsym -Xlinker "main=${name}_main"
        -Xlinker --gc-sections -Xlinker --as-needed
        # Swift's own options export every symbol, and all that is exported is kept.
        -Xlinker --no-export-dynamic
        -Xlinker --icf=safe -Xlinker -O2
        # Relocations in a tenth of the space, for glibc 2.36 and later.
        -Xlinker -z -Xlinker pack-relative-relocs
        -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now
    )
    # shellcheck disable=SC2086
    swiftc -emit-executable -static-stdlib -module-name "$name" -o "$target" "@$list" "${options[@]}" $libraries
}

# Builds both programs and leaves them, stripped, in $binaries.
build_binaries() {
    local product said
    prepare_link
    build_release
    mkdir -p "$binaries"
    for product in imgbake imgbake-worker; do
        link "$product" "$binaries/$product"
        strip --strip-all --remove-section=.comment "$binaries/$product"
        said=$("$binaries/$product" --version)
        [ "${said##* }" = "$version" ] || fail "$product calls itself $said, and this is version $version"
    done
}
