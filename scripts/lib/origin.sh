# A site to bake and a server on loopback for its images, for tests of packages and of the action.
# shellcheck shell=bash

# Makes the images in the folder, one for each library that decodes a format.
make_pictures() {
    local folder=$1
    mkdir -p "$folder"
    vips gaussnoise "$folder/noise.v" 900 600 --mean 128 --sigma 20
    vips bandjoin "$folder/noise.v $folder/noise.v $folder/noise.v" "$folder/colours.v"
    vips cast "$folder/colours.v" "$folder/bytes.v" uchar
    vips copy "$folder/bytes.v" "$folder/photo.jpg[Q=95]" --interpretation srgb
    vips copy "$folder/bytes.v" "$folder/drawing.png" --interpretation srgb
    vips copy "$folder/bytes.v" "$folder/picture.webp" --interpretation srgb
    rm "$folder"/*.v
    cat >"$folder/words.svg" <<'END'
<svg xmlns="http://www.w3.org/2000/svg" width="400" height="100"><text x="10" y="60" font-family="sans-serif" font-size="48">Words in SVG</text></svg>
END
}

# Writes a site of two pages with images below the URL. Further arguments are names of missing
# images.
make_site() {
    local folder=$1 url=$2 missing
    shift 2
    mkdir -p "$folder/posts"
    # The image of a social card needs an absolute URL, so it is baked only if the site's URL is
    # known.
    cat >"$folder/index.html" <<END
<!doctype html>
<html><head><title>Home</title><meta property="og:image" content="$url/words.svg"></head>
<body><img src="$url/photo.jpg" alt="A photograph"><img src="$url/drawing.png" alt="A drawing"></body></html>
END
    printf '# A post\n\n![A picture](%s/picture.webp)\n' "$url" >"$folder/posts/one.md"
    for missing in "$@"; do printf '\n![Missing](%s/%s)\n' "$url" "$missing" >>"$folder/posts/one.md"; done
}

# Serves the folder on a free port of loopback. Sets origin_url and origin_process; the caller ends
# the process.
start_origin() {
    local folder=$1 log
    log=$(mktemp)
    python3 -u -m http.server --bind 127.0.0.1 --directory "$folder" 0 >"$log" 2>&1 &
    origin_process=$!
    local tries=0
    until grep -q 'Serving HTTP' "$log"; do
        kill -0 "$origin_process" 2>/dev/null || fail "the origin did not start: $(cat "$log")"
        [ $((tries += 1)) -lt 300 ] || fail "the origin did not start in 30 s"
        sleep 0.1
    done
    origin_url=$(sed -n 's/.*(\(http:[^)]*\)\/).*/\1/p' "$log" | head -n 1)
    rm -f "$log"
    export origin_url
}
