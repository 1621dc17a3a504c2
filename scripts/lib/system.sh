# Minimal systems for test scripts, which need root and the network.
# shellcheck shell=bash disable=SC2154  # the script sets 'scratch', a folder

# Where systems are kept, each unpacked once.
store=${IMGBAKE_TEST_SYSTEMS:-$PWD/.build/systems}
# The system that 'inside' runs commands in; empty for none.
root=
# What is mounted in it, the last one first.
mounted=()

# A system has the devices that debootstrap made, and of the kernel's file systems only /proc.
leave() {
    local place
    [ -n "$root" ] || return 0
    for place in "${mounted[@]}"; do umount "$place" 2>/dev/null || umount -l "$place" 2>/dev/null || true; done
    mounted=()
    rm -rf --one-file-system "$root"
    root=
}

# Unpacks a minimal system with debootstrap: bookworm, trixie or noble.
unpack() {
    local system=$1 mirror=http://deb.debian.org/debian components=main keyring=/usr/share/keyrings/debian-archive-keyring.gpg
    [ ! -f "$store/$system.tar" ] || return 0
    install_packages debootstrap
    if [ "$system" = noble ]; then
        mirror=http://archive.ubuntu.com/ubuntu components=main,universe
        [ "$(uname -m)" = x86_64 ] || mirror=http://ports.ubuntu.com/ubuntu-ports
        keyring=/usr/share/keyrings/ubuntu-archive-keyring.gpg
    fi
    [ -f "$keyring" ] || install_packages "$([ "$system" = noble ] && echo ubuntu-keyring || echo debian-archive-keyring)"
    say "unpacking $system"
    mkdir -p "$store"
    rm -rf "${store:?}/$system"
    # All releases of a distribution use the same script.
    local script=/usr/share/debootstrap/scripts/$system
    [ -e "$script" ] || script=/usr/share/debootstrap/scripts/$([ "$system" = noble ] && echo gutsy || echo sid)
    debootstrap --variant=minbase --components="$components" --keyring="$keyring" "$system" "$store/$system" "$mirror" "$script" \
        >"$store/$system.log" || fail "$system could not be unpacked; see $store/$system.log"
    tar --create --directory "$store/$system" --file "$store/$system.tar.new" .
    mv "$store/$system.tar.new" "$store/$system.tar"
    rm -rf "${store:?}/$system"
}

# Replaces $root by a new copy of an unpacked system.
enter_system() {
    local system=$1
    leave
    root=$scratch/$system
    mkdir -p "$root"
    tar --extract --directory "$root" --file "$store/$system.tar"
    mount -t proc proc "$root/proc"
    mounted=("$root/proc")
    cp /etc/resolv.conf "$root/etc/resolv.conf"
}

# Shows a folder of this machine in the system, at the same path. Arguments: the folder, options of mount.
show() {
    mkdir -p "$root$1"
    mount --bind "$1" "$root$1"
    mounted=("$root$1" "${mounted[@]}")
    [ $# -lt 2 ] || mount -o "remount,bind,$2" "$root$1"
}

inside() { chroot "$root" env -i PATH="${inside_path:-}/usr/sbin:/usr/bin:/sbin:/bin" HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
