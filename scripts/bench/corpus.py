#!/usr/bin/env python3
"""Makes a folder of real images as sites have them, from the files of Debian packages.

Usage: corpus.py FOLDER PACKAGES

PACKAGES is a folder for the packages, which are downloaded and unpacked there but not installed.
Of each kind in KINDS, the files with the lowest digests of their paths are copied to FOLDER, as
image-1.jpg and so on, so that the same packages give the same images in the same order.
"""

import hashlib
import pathlib
import shutil
import struct
import subprocess
import sys

DEBIAN = [
    "extremetuxracer-data", "freeciv-data", "gcompris-qt-data", "gimp-help-en", "gnome-backgrounds",
    "gnome-user-docs", "krita-data", "libtk8.6", "lomiri-wallpapers", "mate-backgrounds",
    "oxygen-icon-theme", "pingus-data", "plasma-workspace-wallpapers", "supertux-data", "tk8.6",
    "ukui-wallpapers", "wesnoth-1.16-data",
]  # fmt: skip

BACKGROUNDS = ("usr/share/backgrounds/", "usr/share/wallpapers/")
MANUALS = ("usr/share/gimp/", "usr/share/help/")
GAMES = ("usr/share/games/", "usr/share/krita/")
ICONS = ("usr/share/icons/",)

# Number, file name extension, folders, alpha (None: any), smallest and largest area in pixels.
KINDS = [
    (70, ".jpg", BACKGROUNDS, None, 500_000, 16_000_000),
    (90, ".jpg", MANUALS, None, 10_000, 16_000_000),
    (20, ".jpg", GAMES, None, 10_000, 16_000_000),
    # Screenshots and diagrams.
    (35, ".png", MANUALS, False, 40_000, 16_000_000),
    (10, ".png", BACKGROUNDS, False, 500_000, 16_000_000),
    # Drawings, portraits and textures.
    (12, ".png", MANUALS, True, 40_000, 16_000_000),
    (25, ".png", GAMES, True, 160_000, 16_000_000),
    (8, ".png", ICONS, True, 4_000, 1_000_000),
    (8, ".gif", ("",), None, 4_000, 16_000_000),
    (12, ".webp", BACKGROUNDS, None, 0, 16_000_000),
    (10, ".svg", ("",), None, 0, 0),
]


def unpack(folder):
    """Downloads and unpacks the packages that are not there yet."""
    for package in DEBIAN:
        target = folder / package
        if target.exists():
            continue
        subprocess.run(["apt-get", "-qq", "download", package], cwd=folder, check=True)
        archive = next(folder.glob(f"{package}_*.deb"))
        subprocess.run(["dpkg", "-x", archive, f"{target}.part"], check=True)
        archive.unlink()
        target.with_name(f"{package}.part").rename(target)


def png(path):
    """The area of a PNG in pixels, and whether it has an alpha channel."""
    head = path.open("rb").read(26)
    width, height = struct.unpack(">II", head[16:24])
    return width * height, head[25] in (4, 6)


def jpeg(path):
    """The area of a JPEG in pixels, from its first frame header (ITU T.81, B.2.2)."""
    data = path.read_bytes()
    place = 2
    while place + 9 < len(data) and data[place] == 0xFF:
        if data[place + 1] in (0xC0, 0xC1, 0xC2):
            height, width = struct.unpack(">HH", data[place + 5 : place + 9])
            return width * height
        place += 2 + int.from_bytes(data[place + 2 : place + 4], "big")
    return 0


def facts(path):
    """The area in pixels, and whether there is an alpha channel; None where it does not matter."""
    if path.suffix == ".png":
        return png(path)
    if path.suffix == ".jpg":
        return jpeg(path), None
    if path.suffix == ".gif":
        width, height = struct.unpack("<HH", path.open("rb").read(10)[6:])
        return width * height, None
    return 0, None


def chosen(packages, kinds=KINDS):
    """The images of these kinds, each kind in the order of the digests."""
    files = {}
    for path in packages.rglob("*"):
        if path.is_file() and not path.is_symlink() and path.suffix in (".jpg", ".png", ".gif", ".webp", ".svg"):
            files[str(path.relative_to(packages)).split("/", 1)[1]] = path
    order = sorted(files, key=lambda name: hashlib.sha256(name.encode()).digest())
    contents = set()
    for number, suffix, folders, alpha, least, most in kinds:
        for name in order:
            path = files[name]
            if number == 0:
                break
            if path.suffix != suffix or not name.startswith(folders):
                continue
            area, has_alpha = facts(path)
            if not least <= area <= most or (alpha is not None and has_alpha != alpha):
                continue
            digest = hashlib.sha256(path.read_bytes()).digest()
            if digest not in contents:
                contents.add(digest)
                number -= 1
                yield path


def main():
    folder, packages = map(pathlib.Path, sys.argv[1:])
    packages.mkdir(parents=True, exist_ok=True)
    folder.mkdir(parents=True, exist_ok=True)
    unpack(packages)
    for number, path in enumerate(chosen(packages), 1):
        shutil.copy(path, folder / f"image-{number}{path.suffix}")


if __name__ == "__main__":
    main()
