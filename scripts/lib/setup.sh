# Shared by the scripts: installs missing packages without prompts.
# shellcheck shell=bash
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

say() { printf '\033[1m==> %s\033[0m\n' "$*" >&2; }
fail() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

# Packages to build and run imgbake; libvips depends on librsvg, libheif and the fonts.
build_packages=(
    libcmark-gfm-dev libcmark-gfm-extensions-dev libcurl4-openssl-dev libgumbo-dev
    liblcms2-dev libsqlite3-dev libssl-dev libvips-dev pkg-config zlib1g-dev
)
# Tools that draw the pictures of the demo and of the tests and check the results.
picture_packages=(libvips-tools fonts-dejavu-core)
# The reference encoders of the formats that imgbake only reads, and a reader of metadata.
encoder_packages=(
    apngasm libavif-bin libheif-examples libimage-exiftool-perl libjxl-tools libopenjp2-tools
    libtiff-tools netpbm
)
# The server for tests of TLS and HTTP/2.
server_packages=(nginx-light openssl)
# The shells whose completions are tested, besides bash.
shell_packages=(fish zsh)
# Another time and another order of files, to compare bakes under them.
repeat_packages=(disorderfs faketime)
# The validators of reports in JUnit and SARIF.
schema_packages=(libxml2-utils python3-jsonschema)
# Site generators whose output is tested in a browser.
generator_packages=(
    hugo jekyll pandoc ruby-jekyll-feed ruby-jekyll-seo-tag
    # Frameworks that show the pages of a fixture again.
    node-react-dom libjs-vue
)
# Site generators that are installed with pip in a virtual environment.
python_tools=.build/python
python_packages=(
    mkdocs==1.6.1 "mkdocs-material[imaging]==9.8.1" sphinx==9.0.4 myst-parser==5.2.0 furo==2025.12.19
    sphinx-rtd-theme==3.1.0 zensical==0.0.73 "pelican[markdown]==4.10.2" auditwheel==6.8.2
)
# The server of S3 for tests, installed with pip in a virtual environment of its own.
store_tools=.build/store
store_packages=("moto[server]==5.2.5")
# Apache Spark for tests, installed with pip in a virtual environment of its own.
spark_tools=.build/spark
spark_packages=(pyspark==3.5.3 pillow==12.0.0)
# The codecs of libheif, where they are separate packages (Ubuntu 24.04).
codec_packages=(libheif-plugin-aomdec libheif-plugin-aomenc libheif-plugin-dav1d)

is_installed() { dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q '^install ok installed$'; }

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

may_install() { [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null; }

# Installs those of the named packages that are missing.
install_packages() {
    local package missing=()
    for package in "$@"; do is_installed "$package" || missing+=("$package"); done
    [ ${#missing[@]} -gt 0 ] || return 0
    command -v apt-get >/dev/null || fail "no apt-get here; install by hand: ${missing[*]}"
    if ! may_install; then
        fail "not root, and sudo needs a password; run: sudo apt-get install ${missing[*]}"
    fi
    say "installing ${missing[*]}"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq update
    # A new machine may be running automatic upgrades.
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 install --no-install-recommends -y \
        "${missing[@]}" >/dev/null
}

# Prints those of the named packages that this system has.
available() {
    local package
    for package in "$@"; do
        if apt-cache show "$package" >/dev/null 2>&1; then echo "$package"; fi
    done
}

install_build_packages() {
    install_packages "${build_packages[@]}"
    # The check for the codecs needs package lists, which a slim image lacks.
    if ! apt-cache show libvips-dev >/dev/null 2>&1; then as_root apt-get -qq update; fi
    # shellcheck disable=SC2046
    install_packages $(available "${codec_packages[@]}")
}

# shellcheck disable=SC2046
install_picture_packages() { install_packages "${picture_packages[@]}" $(available "${encoder_packages[@]}"); }

install_shells() { install_packages "${shell_packages[@]}"; }

install_repeat_packages() { install_packages "${repeat_packages[@]}"; }

install_schema_packages() { install_packages "${schema_packages[@]}"; }

install_server_packages() { install_packages "${server_packages[@]}"; }

# Installs Debian's Chromium unless Chromium or Chrome is installed. Ubuntu has it only as a snap. Where
# it can, it also installs Chromium without windows, in which tests of pages take half of the time.
install_browser() {
    local name
    if may_install && [ -n "$(available chromium-headless-shell)" ]; then
        (install_packages chromium-headless-shell) || say "tests of pages take longer without it"
    fi
    for name in chromium chromium-browser google-chrome google-chrome-stable; do
        if command -v "$name" >/dev/null; then return 0; fi
    done
    if [ -n "$(available chromium)" ]; then
        install_packages chromium
    else
        say "this system has no package of Chromium; tests that need it are skipped, or fail with CI set"
    fi
}

# Installs the site generators that tests run.
install_generators() {
    install_packages "${generator_packages[@]}"
    install_documentation_tools
}

# Installs the generators that are written in Python; MkDocs builds the documentation site too.
install_documentation_tools() { install_with_pip "$python_tools" "${python_packages[@]}"; }

# Installs the server of S3 for tests.
install_store_tools() { install_with_pip "$store_tools" "${store_packages[@]}"; }

# Installs Apache Spark, and a Java for it unless there is one.
install_spark() {
    command -v java >/dev/null || install_packages openjdk-17-jre-headless
    install_with_pip "$spark_tools" "${spark_packages[@]}"
}

# Installs packages with pip in a virtual environment, unless it has just these.
install_with_pip() {
    local folder=$1
    shift
    if [ "$(cat "$folder/installed" 2>/dev/null)" = "$*" ]; then return 0; fi
    if ! python3 -c 'import ensurepip' 2>/dev/null; then install_packages python3 python3-venv; fi
    say "installing $*"
    rm -rf "$folder"
    python3 -m venv "$folder"
    "$folder/bin/python3" -m pip install --quiet --disable-pip-version-check "$@"
    echo "$*" >"$folder/installed"
}

# Installs the plugin for MkDocs and the extension for Sphinx, without programs.
install_python_package() {
    local wheel
    install_documentation_tools
    wheel=$(python3 packaging/wheel.py --version "$(scripts/release/version)" --output "$python_tools/wheels")
    "$python_tools/bin/python3" -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall "$wheel"
}

check_swift() {
    command -v swift >/dev/null || fail "Swift 6.1 or later is needed: https://www.swift.org/install/linux"
    local version
    version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p' | head -n 1)
    case "$version" in
    [0-5].* | 6.0) fail "Swift 6.1 or later is needed, this is $version: https://www.swift.org/install/linux" ;;
    esac
}

release=.build/release

# The programs are linked statically, so they run without Swift. Without the last option, the runtime
# finds the type of each generic collection by its name when it is first used, which is a tenth of the
# time that a bake of one unchanged page takes.
release_options=(
    --static-swift-stdlib
    -Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors
)

build_product() { swift build -c release "${release_options[@]}" --product "$1"; }

# Builds the command, its worker and the named products.
build_release() {
    local product
    say "building for release (some minutes the first time)"
    for product in imgbake imgbake-worker "$@"; do build_product "$product"; done
}
