"""Makes a wheel from python/ and, if they are given, from the programs.

The same input gives the same bytes: members are sorted, and have the time in SOURCE_DATE_EPOCH.

The folder `data` is installed above the scripts, so `../lib/imgbake` is right in every environment,
and pip copies the shell script as it is.
"""

import argparse
import base64
import hashlib
import os
import re
import stat
import time
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent / "python"


def python_version(version: str) -> str:
    """The version as Python writes it (PEP 440): 1.0.0rc1 for 1.0.0-rc.1."""
    match = re.fullmatch(r"(\d+(?:\.\d+)*)(?:-(alpha|beta|rc)\.?(\d+))?", version)
    if match is None:
        raise SystemExit(f"error: {version} cannot be written as a version of Python")
    release, phase, number = match.groups()
    return release + {None: "", "alpha": "a", "beta": "b", "rc": "rc"}[phase] + (number or "")


def files_below(folder: Path) -> Iterator[tuple[str, Path]]:
    """The files below a folder, each with its relative path."""
    for path in folder.rglob("*"):
        if path.is_file():
            yield path.relative_to(folder).as_posix(), path


def metadata(project: dict, version: str, licences: list[str]) -> str:
    """The file METADATA (core metadata 2.4)."""
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {project['name']}",
        f"Version: {version}",
        f"Summary: {project['description']}",
        f"License-Expression: {project['license']}",
        *(f"License-File: {name}" for name in licences),
        f"Keywords: {','.join(project['keywords'])}",
        *(f"Classifier: {name}" for name in project["classifiers"]),
        *(f"Project-URL: {name}, {url}" for name, url in project["urls"].items()),
        f"Requires-Python: {project['requires-python']}",
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join(lines) + "\n\n" + (SOURCE / project["readme"]).read_text()


def entry_points(project: dict) -> str:
    """The file entry_points.txt."""
    groups = project["entry-points"].items()
    return "\n".join(
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in points.items())
        for group, points in groups
    )


class Wheel:
    """The members of a wheel, by their paths: content and mode."""

    def __init__(self, version: str, platform: str) -> None:
        self.name = f"imgbake-{version}"
        self.tag = f"py3-none-{platform}"
        self.members: dict[str, tuple[bytes, int]] = {}

    def add(self, path: str, content: bytes | str, mode: int = 0o644) -> None:
        """Add a member."""
        data = content.encode() if isinstance(content, str) else content
        self.members[path] = (data, mode)

    def add_package(self) -> None:
        """Add the modules of Python."""
        for name, path in files_below(SOURCE / "imgbake"):
            if "__pycache__" not in name:
                self.add(f"imgbake/{name}", path.read_bytes())

    def add_programs(self, root: Path) -> None:
        """Add the files of the archive. pip installs data/ into the folder above bin/."""
        self.add(f"{self.name}.data/scripts/imgbake", (root / "bin/imgbake").read_bytes(), 0o755)
        for folder in ("bash-completion", "zsh", "fish"):
            for path in sorted((root / "share" / folder).rglob("*imgbake*")):
                if path.is_file():
                    self.add(f"{self.name}.data/data/{path.relative_to(root)}", path.read_bytes())
        for name, path in files_below(root / "lib/imgbake"):
            is_program = "/" not in name and ".so" not in name and os.access(path, os.X_OK)
            self.add(
                f"{self.name}.data/data/lib/imgbake/{name}",
                path.read_bytes(),
                0o755 if is_program else 0o644,
            )

    def add_information(self, version: str, licences: Path | None) -> None:
        """Add the folder dist-info, after all other members."""
        project = tomllib.loads((SOURCE / "pyproject.toml").read_text())["project"]
        info = f"{self.name}.dist-info"
        texts = dict(files_below(licences)) if licences else {}
        texts = {name: path for name, path in texts.items() if name != "CHANGELOG.md"}
        for name, path in texts.items():
            self.add(f"{info}/licenses/{name}", path.read_bytes())
        self.add(f"{info}/METADATA", metadata(project, version, sorted(texts)))
        self.add(f"{info}/entry_points.txt", entry_points(project))
        is_pure = str(self.tag.endswith("-any")).lower()
        self.add(
            f"{info}/WHEEL",
            "Wheel-Version: 1.0\nGenerator: imgbake\n"
            f"Root-Is-Purelib: {is_pure}\nTag: {self.tag}\n",
        )
        record = f"{info}/RECORD"
        lines = [
            f"{path},sha256={digest(data)},{len(data)}\n"
            for path, (data, _) in sorted(self.members.items())
        ]
        self.add(record, "".join(lines) + f"{record},,\n")

    def write(self, folder: Path) -> Path:
        """Write the file, with dist-info at the end, and return its path."""
        moment = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", "315532800")))[:6]
        target = folder / f"{self.name}-{self.tag}.whl"
        order = sorted(self.members, key=lambda path: (".dist-info/" in path, path))
        # make_wheel compresses again, with libdeflate.
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
            for path in order:
                data, mode = self.members[path]
                member = zipfile.ZipInfo(path, moment)
                member.create_system = 3  # Unix, which the mode is for.
                member.external_attr = (stat.S_IFREG | mode) << 16
                member.compress_type = zipfile.ZIP_DEFLATED
                file.writestr(member, data)
        return target


def digest(data: bytes) -> str:
    """The SHA-256 of data as RECORD has it."""
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def main() -> None:
    """Make the wheel and print its path."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--version", required=True, help="the version of imgbake")
    parser.add_argument("--output", required=True, type=Path, help="the folder of the wheel")
    parser.add_argument("--programs", type=Path, help="the unpacked archive")
    parser.add_argument("--platform", default="any", help="the tag of the platform")
    options = parser.parse_args()
    version = python_version(options.version)
    wheel = Wheel(version, options.platform)
    wheel.add_package()
    licences = None
    if options.programs:
        wheel.add_programs(options.programs)
        licences = options.programs / "share/doc/imgbake"
    wheel.add_information(version, licences)
    options.output.mkdir(parents=True, exist_ok=True)
    print(wheel.write(options.output))


if __name__ == "__main__":
    main()
