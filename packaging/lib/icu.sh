# Removes from ICU's data (31 MB) the parts that the archive's libraries do not use.
# shellcheck shell=bash disable=SC2154  # scripts/release/package sets the variables

# Only libxml2 is linked to ICU, for the encodings of XML. Kept are the table of their names and the
# converters of the encodings in which imgbake accepts an SVG.
kept_icu_items=(cnvalias.icu ibm-923_P100-1998.cnv ibm-5347_P100-1998.cnv ibm-5348_P100-1997.cnv)

# Replaces ICU's data library in the folder by a smaller one.
trim_icu() {
    local folder=$1 work=$PWD/.build/package/icu library number kind
    library=$(find "$folder" -name 'libicudata.so.*')
    [ -n "$library" ] || return 0
    number=${library##*.}
    # The letter is the byte order, which is the same on both architectures.
    kind=icudt${number}l
    rm -rf "$work"
    mkdir -p "$work"
    # The section contains only the data, which begins with its magic number.
    objcopy -O binary --only-section=.rodata "$library" "$work/$kind.dat"
    icupkg -l "$work/$kind.dat" | grep -vxF "$(printf '%s\n' "${kept_icu_items[@]}")" >"$work/dropped.txt"
    icupkg -r "$work/dropped.txt" "$work/$kind.dat" "$work/small.dat"
    [ "$(icupkg -l "$work/small.dat" | wc -l)" = "${#kept_icu_items[@]}" ] || fail "ICU $number has other names for its converters"
    cat >"$work/data.S" <<END
.section .rodata
.globl icudt${number}_dat
.type icudt${number}_dat, %object
.balign 16
icudt${number}_dat: .incbin "$work/small.dat"
.size icudt${number}_dat, . - icudt${number}_dat
.section .note.GNU-stack,"",%progbits
END
    gcc -shared -nostdlib "-Wl,-soname,${library##*/}" -o "$library" "$work/data.S"
}
