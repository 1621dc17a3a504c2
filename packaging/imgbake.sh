#!/bin/sh
# Starts imgbake with the libraries in ../lib/imgbake, relative to this script.
folder=$(dirname "$(readlink -f "$0")")/../lib/imgbake
# Without the configuration of fontconfig, text in SVG files would not be drawn.
if [ -z "${FONTCONFIG_FILE:-}${FONTCONFIG_PATH:-}" ] && [ ! -e /etc/fonts/fonts.conf ]; then
    export FONTCONFIG_FILE="$folder/fonts/fonts.conf"
fi
exec "$folder/imgbake" "$@"
