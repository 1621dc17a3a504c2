#!/bin/sh
# Installs imgbake below ~/.local, without root: downloads the archive of a release, verifies its
# checksum and unpacks it.
#
#   curl -fsSL https://raw.githubusercontent.com/imgbake/imgbake/main/install.sh | sh
#   sh install.sh --version 0.1.0 --prefix /opt/imgbake
#   sh install.sh --uninstall
#
# IMGBAKE_DOWNLOAD_URL replaces https://github.com/imgbake/imgbake/releases, for a mirror.

# Everything is in functions, so that a partly downloaded script does nothing.
set -eu

usage="usage: install.sh [--version VERSION] [--prefix FOLDER] [--uninstall]"

say() { printf 'imgbake: %s\n' "$*" >&2; }
fail() {
    printf 'imgbake: error: %s\n' "$*" >&2
    exit 1
}
misuse() {
    printf 'imgbake: error: %s (%s)\n' "$1" "$usage" >&2
    exit 2
}

# Downloads a URL to a file.
download() {
    if command -v curl >/dev/null; then
        curl --fail --silent --show-error --location --retry 3 --connect-timeout 20 --output "$2" "$1"
    elif command -v wget >/dev/null; then
        wget --quiet --tries 3 --timeout 60 --output-document "$2" "$1"
    else
        fail "neither curl nor wget is installed; install one of them"
    fi || fail "cannot download $1"
}

# The name of the machine in the names of the archives.
machine() {
    [ "$(uname -s)" = Linux ] || fail "there are archives only for Linux, and this is $(uname -s)"
    case "$(uname -m)" in
    x86_64 | amd64) echo x86_64 ;;
    aarch64 | arm64) echo aarch64 ;;
    *) fail "there is no archive for $(uname -m); build it with scripts/install" ;;
    esac
}

# The archive contains all libraries except glibc, which must be at least that of Debian 12.
check_glibc() {
    glibc=$(getconf GNU_LIBC_VERSION 2>/dev/null | sed -n 's/^glibc //p')
    [ -n "$glibc" ] || fail "this system has no glibc, which the archive needs; use the container image of Debian"
    major=${glibc%%.*}
    minor=${glibc#*.}
    minor=${minor%%.*}
    if [ "$major" -lt 2 ] || { [ "$major" -eq 2 ] && [ "$minor" -lt 36 ]; }; then
        fail "glibc $glibc is too old; 2.36 or later is needed, as in Debian 12 and Ubuntu 24.04"
    fi
}

# Removes the files of an earlier installation.
uninstall() {
    list=$prefix/lib/imgbake/files
    [ -f "$list" ] || fail "this script has not installed imgbake in $prefix"
    remove_listed
    rm -rf "$prefix/lib/imgbake"
    say "removed from $prefix"
}

# Removes the files outside of lib/imgbake, and the folders that were created for them.
remove_listed() {
    while IFS= read -r file; do rm -f "$prefix/$file"; done <"$prefix/lib/imgbake/files"
    if [ -d "$prefix/share/doc/imgbake" ]; then
        find "$prefix/share/doc/imgbake" -depth -type d -empty -exec rmdir {} \;
    fi
}

# Replaces an earlier version by the unpacked folder.
put_in_place() {
    mkdir -p "$prefix/lib" "$prefix/bin"
    if [ -e "$prefix/lib/imgbake" ] && [ ! -f "$prefix/lib/imgbake/files" ]; then
        fail "$prefix/lib/imgbake is not from this script; remove it, or choose another folder with --prefix"
    fi
    # Copy to the same file system first, so that only renames remain.
    new=$prefix/lib/.imgbake-new-$$
    cp -R "$1/lib/imgbake" "$new"
    if [ -f "$prefix/lib/imgbake/files" ]; then remove_listed; fi
    rm -rf "$prefix/lib/imgbake"
    mv "$new" "$prefix/lib/imgbake"
    new=
    while IFS= read -r file; do
        mkdir -p "$prefix/$(dirname "$file")"
        cp "$1/$file" "$prefix/$file"
    done <"$prefix/lib/imgbake/files"
}

clean_up() {
    rm -rf "$work"
    if [ -n "$new" ]; then rm -rf "$new"; fi
}

install_release() {
    machine=$(machine)
    check_glibc
    command -v sha256sum >/dev/null ||
        fail "sha256sum is not installed, so no download can be verified; install coreutils"
    releases=${IMGBAKE_DOWNLOAD_URL:-https://github.com/imgbake/imgbake/releases}
    if [ -n "$version" ]; then from=$releases/download/v$version; else from=$releases/latest/download; fi
    work=$(mktemp -d)
    new=
    trap clean_up EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM

    download "$from/SHA256SUMS" "$work/SHA256SUMS"
    line=$(grep -E "^[0-9a-f]{64} [ *]imgbake-[0-9A-Za-z.+-]+-linux-$machine\.tar\.gz\$" "$work/SHA256SUMS") ||
        fail "the release has no archive for $machine: $from/SHA256SUMS"
    [ "$(printf '%s\n' "$line" | wc -l)" -eq 1 ] || fail "the release has several archives for $machine: $from/SHA256SUMS"
    file=${line#* ?}
    say "downloading $from/$file"
    download "$from/$file" "$work/$file"
    (cd "$work" && printf '%s\n' "$line" | sha256sum -c - >/dev/null 2>&1) ||
        fail "the checksum of $file differs from SHA256SUMS; nothing was installed"
    tar -xzf "$work/$file" -C "$work"
    unpacked=$work/${file%.tar.gz}
    "$unpacked/bin/imgbake" --version >/dev/null || fail "$file does not run here; nothing was installed"
    put_in_place "$unpacked"
    say "installed $("$prefix/bin/imgbake" --version) as $prefix/bin/imgbake"
    case ":$PATH:" in
    *":$prefix/bin:"*) ;;
    *) say "$prefix/bin is not in PATH; add it with: export PATH=\"$prefix/bin:\$PATH\"" ;;
    esac
}

main() {
    version=${IMGBAKE_VERSION:-}
    prefix=
    action=install_release
    while [ $# -gt 0 ]; do
        case "$1" in
        --version | --prefix)
            if [ $# -lt 2 ] || [ -z "$2" ]; then misuse "$1 needs a value"; fi
            if [ "$1" = --version ]; then version=$2; else prefix=$2; fi
            shift 2
            ;;
        --version=*) version=${1#*=} && shift ;;
        --prefix=*) prefix=${1#*=} && shift ;;
        --uninstall) action=uninstall && shift ;;
        -h | --help) echo "$usage" && exit 0 ;;
        *) misuse "unknown argument '$1'" ;;
        esac
    done
    version=${version#v}
    case "$version" in
    *[!0-9A-Za-z.+-]*) misuse "'$version' is no version" ;;
    esac
    if [ -z "$prefix" ]; then
        [ -n "${HOME:-}" ] || misuse "there is no home folder; give --prefix"
        prefix=$HOME/.local
    fi
    case "$prefix" in /*) ;; *) prefix=$PWD/$prefix ;; esac
    "$action"
}

main "$@"
