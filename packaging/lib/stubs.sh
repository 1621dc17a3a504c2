# Replaces libraries that the programs need in order to start, but never call.
# shellcheck shell=bash disable=SC2154  # scripts/release/package sets the variables

# The dynamic linker loads every library that another one was linked with, and Debian's libvips,
# libheif, cairo and libcurl were linked with libraries for work that imgbake never does. A stub has
# the same name and symbols, and each of its functions ends the process. scripts/release/test-stubs runs the
# tests of all image formats with the stubs. Reasons:
unused_libraries=(
    # A worker blocks all loaders of libvips but that of its image (Vips.allowOnly), and calls no
    # saver and no operation that uses one of these.
    libmatio.so libcfitsio.so libOpenEXR libfftw3.so libgsf-1.so
    # The encoder of HEVC; a worker writes AV1.
    libx265.so
    # A worker draws in memory, not on a display.
    libX11.so libXext.so libXrender.so libxcb.so libxcb-render.so libxcb-shm.so
    # The mounted file systems, and the labels of files, for file choosers.
    libmount.so libselinux.so
    # libcurl may only use http and https (CURLOPT_PROTOCOLS).
    librtmp.so libldap-2.5.so liblber-2.5.so libssh2.so
)

# Functions that are called nevertheless, and what they return: at the start and the end of libcurl
# and libvips, and for libcurl's list of its libraries.
declare -A stub_results=(
    [gsf_init]=0 [gsf_shutdown]=0 [libssh2_init]=0 [libssh2_exit]=0
    [libssh2_version]='(long) "none"' [ldap_get_option]=-1
)

# The folder of the stubs.
stubs=$PWD/.build/package/stubs

is_unused() {
    local prefix
    for prefix in "${unused_libraries[@]}"; do
        case "$1" in "$prefix"*) return 0 ;; esac
    done
    return 1
}

# The symbols that the named files take from a library, as 'TYPE NAME VERSION' lines, in which TYPE
# is that of nm. Arguments: the library, then the files.
needed_symbols() {
    local library=$1
    shift
    {
        nm --dynamic --undefined-only --with-symbol-versions "$@"
        echo
        nm --dynamic --defined-only --with-symbol-versions "$library"
    } | awk '
        { sub(/@@/, "@", $NF) }
        NF == 2 { needed[$2]; next }
        NF == 3 && $3 in needed { split($3, part, "@"); print $2, part[1], part[2] }' | sort -u
}

# Writes the source of a stub and its version script. Arguments: the path without extension, then
# the lines of needed_symbols as standard input.
write_stub() {
    local type name version
    while read -r type name version; do
        case "$type" in
        [TWi]) if [ -n "${stub_results[$name]:-}" ]; then
            echo "long $name(void) { return ${stub_results[$name]}; }"
        else
            echo "void $name(void) { __builtin_trap(); }"
        fi ;;
        *) echo "const char ${name}[64];" ;;
        esac >>"$1.c"
        [ -z "$version" ] || echo "$version { $name; };" >>"$1.map"
    done
}

# Compiles a stub. Arguments: the name of the library, then options.
compile_stub() {
    gcc -shared -nostdlib -s -O2 -w -fno-builtin -Wl,--build-id=none "-Wl,-soname,$1" -o "$stubs/$1" "${@:2}"
}

# Makes the stubs for the unused libraries of the named files.
make_stubs() {
    local name path kept=("$@") work=$stubs/source
    local -A real=()
    rm -rf "$stubs"
    mkdir -p "$work"
    while read -r name path; do
        is_unused "$name" || continue
        real[$name]=$path
        compile_stub "$name" -x c /dev/null
    done < <(libraries_of "$@")
    # The empty stubs show which libraries are still needed.
    while read -r name path; do
        case "$path" in "$stubs"/*) ;; *) kept+=("$path") ;; esac
    done < <(LD_LIBRARY_PATH=$stubs libraries_of "$@" 2>/dev/null)
    for name in "${!real[@]}"; do
        needed_symbols "${real[$name]}" "${kept[@]}" | write_stub "$work/$name"
        [ -f "$work/$name.c" ] || continue
        merge_versions "$work/$name.map"
        if [ -s "$work/$name.map" ]; then set -- "-Wl,--version-script,$work/$name.map"; else set --; fi
        compile_stub "$name" "$work/$name.c" "$@"
    done
}

# Merges the lines of a version script that have the same version.
merge_versions() {
    [ -f "$1" ] || return 0
    awk '{ names[$1] = names[$1] " " $3 } END { for (version in names) print version " {" names[version] " };" }' "$1" |
        sort >"$1.merged"
    mv "$1.merged" "$1"
}
