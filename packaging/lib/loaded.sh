# Describes the libraries that the programs load at run time.
# shellcheck shell=bash

# A library that is linked with them. No package contains it.
loaded=$PWD/.build/package/loaded.so

make_loaded() {
    mkdir -p "${loaded%/*}"
    gcc -shared -fPIC -nostdlib -o "$loaded" packaging/loaded.c -lcurl
}
