# Makes the archive and the wheel, which run on any Linux with the glibc of Debian 12 or later.
# shellcheck shell=bash disable=SC2154  # scripts/release/package sets the variables

# The libraries of glibc, which must come from the system.
is_of_glibc() {
    case "$1" in
    ld-linux*.so.* | libc.so.* | libm.so.* | libpthread.so.* | libdl.so.* | librt.so.* | libresolv.so.* | libutil.so.* | \
        libanl.so.* | libmvec.so.* | libnsl.so.* | libnss_*.so.*) return 0 ;;
    *) return 1 ;;
    esac
}

# The libraries that the named files need, directly or indirectly, as 'NAME PATH' lines.
libraries_of() {
    local name path
    ldd "$@" | awk '/ => not found/ { print "missing: " $1 >"/dev/stderr"; exit 1 } $2 == "=>" { print $1, $3 }' |
        sort -u | while read -r name path; do
        is_of_glibc "$name" || echo "$name $path"
    done
}

# The module of libvips for AVIF, if it is a separate file; libvips loads it by its name.
heif_module() {
    local libvips
    libvips=$(ldd "$binaries/imgbake-worker" | awk '$1 ~ /^libvips\.so/ { print $3 }')
    find "$(dirname "$libvips")" -path '*/vips-modules-*/vips-heif.so'
}

# The folder with everything that the archive and the wheel contain, after stage_bundle.
bundle=$PWD/.build/package/bundle

stage_bundle() {
    local root=$bundle folder=$bundle/lib/imgbake module name path modules=()
    [ ! -d "$root" ] || return 0
    install -d "$root/bin" "$folder/fonts"
    install -m 755 packaging/imgbake.sh "$root/bin/imgbake"
    install -m 755 "$binaries/imgbake" "$binaries/imgbake-worker" "$folder/"
    patchelf --force-rpath --set-rpath "\$ORIGIN" "$folder/imgbake" "$folder/imgbake-worker"
    module=$(heif_module)
    if [ -n "$module" ]; then
        modules=("$module")
        install -D -m 644 -t "$folder/$(basename "$(dirname "$module")")" "$module"
        patchelf --force-rpath --set-rpath "\$ORIGIN/.." "$folder"/vips-modules-*/vips-heif.so
    fi
    make_stubs "$binaries/imgbake" "$binaries/imgbake-worker" "$loaded" "${modules[@]}"
    LD_LIBRARY_PATH=$stubs libraries_of "$binaries/imgbake" "$binaries/imgbake-worker" "$loaded" "${modules[@]}" \
        >"$bundle.libraries"
    while read -r name path; do
        install -m 644 "$path" "$folder/$name"
    done <"$bundle.libraries"
    find "$folder" -maxdepth 1 -name '*.so*' -exec patchelf --force-rpath --set-rpath "\$ORIGIN" {} +
    trim_icu "$folder"
    stage_fonts "$folder/fonts"
    cp -r "$documents/share" "$root/"
    # The folders below a prefix in which shells look for completions.
    mv "$root/share/zsh/vendor-completions" "$root/share/zsh/site-functions"
    stage_licences "$root/share/doc/imgbake" "${modules[@]}"
    check_bundle
    chmod -R u=rwX,go=rX "$root"
}

# Fonts for text in SVG files, for machines without fonts.
stage_fonts() {
    local folder=$1 font
    install -m 644 packaging/fonts.conf "$folder/fonts.conf"
    for font in DejaVuSans DejaVuSans-Bold DejaVuSerif DejaVuSerif-Bold DejaVuSansMono DejaVuSansMono-Bold; do
        install -m 644 "/usr/share/fonts/truetype/dejavu/$font.ttf" "$folder/"
    done
}

# The copyright and the Debian version of each included library.
stage_licences() {
    local folder=$1 package
    shift
    install -d "$folder/libraries"
    { cut -d ' ' -f 2 "$bundle.libraries" | grep -vF "$stubs/"; printf '%s\n' "$@" /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf; } |
        while read -r path; do owner "$path"; done | sort -u >"$folder/libraries/versions.new"
    while read -r package; do
        dpkg-query -W -f "\${binary:Package} \${Version}, source \${source:Package} \${source:Version}\n" "$package"
        install -m 644 "/usr/share/doc/${package%:*}/copyright" "$folder/libraries/${package%:*}"
    done <"$folder/libraries/versions.new" >"$folder/libraries/VERSIONS"
    rm "$folder/libraries/versions.new"
}

# The package that a file belongs to. If /lib is a link to /usr/lib, dpkg may list the file under
# either path.
owner() {
    local path
    path=$(readlink -f "$1")
    { dpkg-query -S "$path" 2>/dev/null || dpkg-query -S "${path#/usr}" 2>/dev/null ||
        fail "no package owns $path, so its licence is not known"; } | sed -n '1s/: .*//p'
}

# Fails if a file of the bundle needs or loads a library that the bundle lacks, except glibc.
check_bundle() {
    local folder=$bundle/lib/imgbake line
    local -a files
    mapfile -t files < <(find "$folder" -type f \( -name '*.so*' -o -name imgbake -o -name imgbake-worker \))
    while read -r line; do
        [ -f "$folder/$line" ] || fail "the archive lacks a library that a program loads: $line"
    done < <(patchelf --print-needed "$loaded")
    while read -r line; do
        fail "the archive lacks a library: $line"
    done < <(ldd "${files[@]}" | awk -v own="$(readlink -f "$folder")/" '
        / => not found/ { print; next }
        $2 == "=>" && index($3, own) != 1 && $1 !~ /^(ld-linux|lib(c|m|pthread|dl|rt|resolv|util|anl|mvec|nsl)\.so)/ { print }')
}

# gzip and not xz, because tar needs the program xz for that, which minimal systems lack. libdeflate
# writes the same format and 4 % less than gzip -9.
make_archive() {
    local name target work=$PWD/.build/package/archive
    name=imgbake-$version-linux-$(uname -m)
    target=$output/$name.tar.gz
    say "making ${target##*/}"
    stage_bundle
    rm -rf "$work"
    mkdir -p "$work"
    cp -a "$bundle" "$work/$name"
    (cd "$work/$name" && find bin share -type f | sort) >"$work/files"
    install -m 644 "$work/files" "$work/$name/lib/imgbake/files"
    tar --create --directory "$work" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 \
        --numeric-owner "$name" | libdeflate-gzip -12 -c >"$target.new"
    mv "$target.new" "$target"
}

# A wheel for any version of Python 3. Its tag says which glibc it needs.
make_wheel() {
    local work=$PWD/.build/package/wheel made
    say "making the wheel"
    stage_bundle
    rm -rf "$work"
    made=$(python3 packaging/wheel.py --version "$version" --output "$work" --programs "$bundle" \
        --platform "manylinux_2_36_$(uname -m)")
    advzip --recompress --shrink-normal --quiet "$made"
    mv "$made" "$output/"
}
