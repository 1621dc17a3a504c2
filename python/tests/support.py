"""A server for images, and projects in temporary folders that real tools build."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tempfile
import threading
import unittest
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from PIL import Image

LOGO = b'<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><path d="M0 0h64v64z"/></svg>'


def picture(kind: str, width: int) -> bytes:
    """A picture with noise, which is larger than its WebP."""
    data = io.BytesIO()
    Image.effect_noise((width, width // 2), 40).convert("RGB").save(data, kind)
    return data.getvalue()


class Images(BaseHTTPRequestHandler):
    """Answers with an image, or with 404."""

    routes = {
        "/photo.jpg": ("image/jpeg", picture("JPEG", 400)),
        "/drawing.png": ("image/png", picture("PNG", 200)),
        "/logo.svg": ("image/svg+xml", LOGO),
    }

    def do_GET(self) -> None:
        """Answer a request."""
        kind, body = self.routes.get(self.path, ("text/plain", b""))
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "max-age=600")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Write no log."""


class ProjectTestCase(unittest.TestCase):
    """A test with a server for images and an empty folder. `ORIGIN` in files is the server."""

    def setUp(self) -> None:
        """Start the server."""
        server = ThreadingHTTPServer(("127.0.0.1", 0), Images)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        self.addCleanup(server.server_close)
        self.addCleanup(thread.join)
        self.addCleanup(server.shutdown)
        self.origin = f"http://127.0.0.1:{server.server_address[1]}"
        folder = tempfile.TemporaryDirectory(prefix="imgbake-python-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.environment = {
            "HOME": folder.name,
            "IMGBAKE": os.environ["IMGBAKE"],
            "IMGBAKE_CACHE_DIR": f"{folder.name}/cache",
            "LC_ALL": "C.UTF-8",
            "NO_MKDOCS_2_WARNING": "1",
            "PATH": os.environ["PATH"],
            # The tools write the time of the build into some files.
            "SOURCE_DATE_EPOCH": "1700000000",
        }

    def write(self, project: str, files: dict[str, str]) -> Path:
        """Write the files of a project, and return its folder."""
        root = self.folder / project
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text.replace("ORIGIN", self.origin), encoding="utf-8")
        return root

    def python(self, module: str, *arguments: str, folder: Path) -> subprocess.CompletedProcess:
        """Run a module of Python, with its messages as standard output."""
        return self.run_in(folder, sys.executable, "-m", module, *arguments)

    def run_in(self, folder: Path, *command: str) -> subprocess.CompletedProcess:
        """Run a command, with its messages as standard output."""
        return subprocess.run(
            command,
            cwd=folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )

    def expect_success(self, result: subprocess.CompletedProcess) -> str:
        """Fail unless the command succeeded; return its output."""
        self.assertEqual(result.returncode, 0, result.stdout)
        return result.stdout

    def expect_same_bytes(self, one: Path, other: Path) -> None:
        """Fail unless two folders have the same files."""
        first, second = contents(one), contents(other)
        self.assertEqual(sorted(first), sorted(second))
        self.assertEqual([name for name in first if first[name] != second[name]], [])

    def expect_baked(self, site: Path, site_url: str) -> None:
        """Fail if the site has no baked images, or takes an image from the server."""
        images = [name for name in contents(site) if name.startswith("imgbake/")]
        self.assertGreaterEqual(len(images), 3)
        check = [self.environment["IMGBAKE"], "check", ".", "--site-url", site_url]
        self.expect_success(self.run_in(site, *check))

    def compare_with_command(
        self,
        plain: dict[str, str],
        equipped: dict[str, str],
        build: Callable[[Path], subprocess.CompletedProcess],
        site: str,
        site_url: str,
    ) -> None:
        """Build a project without the plugin and bake it; the one with the plugin must be equal."""
        first = self.write("plain", plain)
        self.expect_success(build(first))
        command = [self.environment["IMGBAKE"], site, "--allow-private-network"]
        baked = self.run_in(first, *command, "--site-url", site_url)
        self.expect_success(baked)
        second = self.write("equipped", equipped)
        self.expect_success(build(second))
        self.expect_baked(second / site, site_url)
        self.expect_same_bytes(first / site, second / site)


def contents(folder: Path) -> dict[str, bytes]:
    """The files below a folder, by their paths."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
