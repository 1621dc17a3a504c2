# Makes the Debian package.
# shellcheck shell=bash disable=SC2154  # scripts/release/package sets the variables

# From version 1.17 on, libheif has separate packages for its codecs, without which it cannot write
# AVIF.
codecs="libheif1 (<< 1.17) | libheif-plugin-aomenc, libheif1 (<< 1.17) | libheif-plugin-aomdec | libheif-plugin-dav1d"

# The description for Debian's control file.
control() {
    local architecture=$1 size=$2 depends=$3
    cat <<END
Package: imgbake
Version: $version
Architecture: $architecture
Maintainer: The imgbake authors <imgbake@users.noreply.github.com>
Installed-Size: $size
Depends: $depends, $codecs
Recommends: ca-certificates
Section: web
Priority: optional
Homepage: https://github.com/imgbake/imgbake
Description: makes a static site own its images
 imgbake finds every image that the Markdown, HTML and CSS of a static site
 take from other hosts, fetches each once through a cache that revalidates,
 scales and encodes it, and rewrites the reference to a local file that is
 named by its content.
 .
 It runs as one step of a build, after a generator such as Hugo, Jekyll,
 MkDocs, Eleventy or Astro has written the pages, or on a folder of Markdown
 before them.
END
}

# The changelog in Debian's format, which refers to the real one.
debian_changelog() {
    printf 'imgbake (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md.gz beside this file.\n\n' "$version"
    printf ' -- The imgbake authors <imgbake@users.noreply.github.com>  %s\n' \
        "$(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")"
}

# The packages that the programs depend on, by dpkg-shlibdeps.
#
# It prints the names of this system's packages. In Debian 13 and Ubuntu 24.04, some names end with
# t64, and these packages provide the old name.
deb_depends() {
    local work=$1
    mkdir -p "$work/debian"
    printf 'Source: imgbake\n\nPackage: imgbake\nArchitecture: any\n' >"$work/debian/control"
    (
        cd "$work" || exit
        dpkg-shlibdeps -O root/usr/lib/imgbake/imgbake root/usr/lib/imgbake/imgbake-worker "$loaded"
    ) | sed -n 's/^shlibs:Depends=//p' |
        # Versions that the symbols do not show: for packed relocations, and for CVips.
        sed -E 's/libc6 \(>= 2\.[0-9]+\)/libc6 (>= 2.36)/; s/(libvips42[a-z0-9]*) \([^)]*\)/\1 (>= 8.14)/'
}

# Both programs are in /usr/lib/imgbake, because the command looks for the worker in its own folder.
stage_deb() {
    local root=$1
    install -d "$root/usr/lib/imgbake" "$root/usr/bin" "$root/usr/share/lintian/overrides"
    install -m 755 "$binaries/imgbake" "$binaries/imgbake-worker" "$root/usr/lib/imgbake/"
    ln -s ../lib/imgbake/imgbake "$root/usr/bin/imgbake"
    cp -r "$documents/share" "$root/usr/"
    debian_changelog >"$root/usr/share/doc/imgbake/changelog"
    gzip -9n "$root"/usr/share/man/man1/*.1 "$root"/usr/share/doc/imgbake/{changelog,CHANGELOG.md}
    rm "$root/usr/share/doc/imgbake/LICENSE"
    install -m 644 packaging/lintian-overrides "$root/usr/share/lintian/overrides/imgbake"
}

make_deb() {
    local architecture work=$PWD/.build/package/deb root target depends
    architecture=$(dpkg --print-architecture)
    target=$output/imgbake_${version}_$architecture.deb
    root=$work/root
    say "making ${target##*/}"
    rm -rf "$work"
    stage_deb "$root"
    depends=$(deb_depends "$work")
    [ -n "$depends" ] || fail "dpkg-shlibdeps found no libraries"
    install -d "$root/DEBIAN"
    control "$architecture" "$(du -ks --apparent-size "$root/usr" | cut -f 1)" "$depends" >"$root/DEBIAN/control"
    (cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
    chmod -R u=rwX,go=rX "$root"
    dpkg-deb --root-owner-group -Zxz --build "$root" "$target.new" >/dev/null
    mv "$target.new" "$target"
    if command -v lintian >/dev/null; then
        lintian --allow-root --fail-on error --tag-display-limit 0 "$target"
    fi
}
