#!/bin/sh
# Starts imgbake with the libraries that lie in ../lib/imgbake, wherever this folder is.
folder=$(dirname "$(readlink -f "$0")")/../lib/imgbake
# A machine without fontconfig has no list of fonts, and SVG text would be drawn without letters.
if [ -z "${FONTCONFIG_FILE:-}${FONTCONFIG_PATH:-}" ] && [ ! -e /etc/fonts/fonts.conf ]; then
    export FONTCONFIG_FILE="$folder/fonts/fonts.conf"
fi
exec "$folder/imgbake" "$@"
