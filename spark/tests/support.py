"""Servers of images, a store, a cluster of Spark, and sites that are baked with them."""

from __future__ import annotations

import io
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pyspark
from PIL import Image

PROGRAM = Path(__file__).resolve().parent.parent / "imgbake_spark.py"
IMGBAKE = os.environ["IMGBAKE"]
SPARK = Path(pyspark.__file__).parent
#: Two tasks at once, of which none may fail.
LOCAL = "local[2]"


def picture(seed: int, width: int = 96, kind: str = "PNG") -> bytes:
    """A picture that differs from those of other seeds."""
    size = max(8, width // 8)
    noise = Image.frombytes("L", (size, size), random.Random(seed).randbytes(size * size))
    data = io.BytesIO()
    scaled = noise.resize((width, width * 2 // 3), Image.Resampling.BICUBIC)
    scaled.convert("RGB").save(data, kind)
    return data.getvalue()


class Host:
    """A server of images on loopback, which counts requests."""

    def __init__(self, images: dict[str, bytes], delay: float) -> None:
        self.images = images
        self.requests: Counter[str] = Counter()
        self.most = 0
        self._running = 0
        self._lock = threading.Lock()
        self._delay = delay
        host = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                host.answer(self)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        """Answer with an image, or with 404."""
        with self._lock:
            self.requests[request.path] += 1
            self._running += 1
            self.most = max(self.most, self._running)
        time.sleep(self._delay)
        with self._lock:
            self._running -= 1
        body = self.images.get(request.path.split("?")[0])
        request.send_response(404 if body is None else 200)
        request.send_header("Content-Type", "image/png")
        request.send_header("Content-Length", str(len(body or b"")))
        # The answer is stale at once, so another request would be seen.
        request.send_header("Cache-Control", "max-age=0")
        request.end_headers()
        request.wfile.write(body or b"")

    def close(self) -> None:
        """Stop the server."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def free_port() -> int:
    """A port of loopback that nothing listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def wait_until(condition: Callable[[], object], what: str, seconds: float = 60) -> None:
    """Wait for something, and fail if it does not come."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"waited {seconds} s for {what}")
        time.sleep(0.02)


def is_listening(port: int) -> bool:
    """Whether a port of loopback can be connected to."""
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


class SparkTestCase(unittest.TestCase):
    """A test with a store, a folder that all workers see, and two hosts of images."""

    def setUp(self) -> None:
        """Start the store."""
        folder = tempfile.TemporaryDirectory(prefix="imgbake-spark-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.environment = {
            "HOME": folder.name,
            "IMGBAKE": IMGBAKE,
            "IMGBAKE_FETCH_ALLOW_PRIVATE_NETWORK": "true",
            "LC_ALL": "C.UTF-8",
            "PATH": os.environ["PATH"],
            "PYSPARK_PYTHON": sys.executable,
        }
        self.configure_spark()
        self.store = self.start_store()
        self.environment["IMGBAKE_CACHE_REMOTE"] = self.store

    def start_store(self) -> str:
        """Start an nginx that keeps what is put there, and return its URL."""
        folder, port = self.folder / "nginx", free_port()
        folder.mkdir()
        user = "user root;" if os.getuid() == 0 else ""
        folders = " ".join(
            f"{name}_temp_path {folder}/{name};"
            for name in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        )
        (folder / "nginx.conf").write_text(
            f"{user} daemon off; master_process off; pid {folder}/pid;"
            f"error_log {folder}/error.log; events {{}} "
            f"http {{ access_log {folder}/access.log; {folders}"
            f"server {{ listen 127.0.0.1:{port}; root {folder};"
            "location /store/ { dav_methods PUT; create_full_put_path on; } } }"
        )
        self.start(shutil.which("nginx", path="/usr/sbin:/usr/bin") or "nginx", "-p", str(folder),
                   "-c", str(folder / "nginx.conf"))  # fmt: skip
        wait_until(lambda: is_listening(port), "the store")
        return f"http://127.0.0.1:{port}/store/"

    def start(self, *command: str) -> subprocess.Popen[bytes]:
        """Start a process that ends with the test."""
        log = (self.folder / "processes.log").open("ab")
        self.addCleanup(log.close)
        process = subprocess.Popen(
            command, env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
        )
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def start_cluster(self) -> tuple[str, list[subprocess.Popen[bytes]]]:
        """Start a master and two workers of one core; return the master's URL and the workers."""
        port = free_port()
        name = "org.apache.spark.deploy"
        run = str(SPARK / "bin/spark-class")
        address = ["--host", "127.0.0.1", "--webui-port", "0"]
        self.start(run, f"{name}.master.Master", *address, "--port", str(port))
        wait_until(lambda: is_listening(port), "the master")
        master = f"spark://127.0.0.1:{port}"
        workers = []
        for number in (1, 2):
            folder = self.folder / f"worker-{number}"
            self.environment["SPARK_LOCAL_DIRS"] = f"{folder}/local"
            limits = ["--cores", "1", "--memory", "1g", "--work-dir", str(folder)]
            workers.append(self.start(run, f"{name}.worker.Worker", *address, *limits, master))
        return master, workers

    def host(self, images: dict[str, bytes], delay: float = 0.02) -> Host:
        """Start a server of images, which waits for some seconds before each answer."""
        host = Host(images, delay)
        self.addCleanup(host.close)
        return host

    def write_site(self, pages: dict[str, str]) -> Path:
        """Write the pages of a site."""
        site = self.folder / "site"
        for name, text in pages.items():
            path = site / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return site

    def make_site(self, pages: int, images: int) -> tuple[Path, list[Host]]:
        """A site whose images are on two hosts."""
        hosts = [
            self.host({f"/{n}.png": picture(n) for n in range(first, images, 2)})
            for first in (0, 1)
        ]

        def tag(n: int) -> str:
            return f"<img src='{hosts[n % 2].url}/{n}.png'>"

        site = self.write_site(
            {
                f"{n % 7}/{n}.html": f"<p>{n}</p>{tag(n % images)}{tag((n * 5 + 1) % images)}"
                for n in range(pages)
            }
            | {"style.css": "img { max-width: 100% }", "robots.txt": "", "ü/é.txt": "x"}
        )
        return site, hosts

    def submit(self, *arguments: str, master: str = LOCAL) -> subprocess.CompletedProcess[str]:
        """Run the program with spark-submit."""
        return subprocess.run(
            self.submission(*arguments, master=master),
            env=self.environment, capture_output=True, text=True, check=False,
        )  # fmt: skip

    def submission(self, *arguments: str, master: str) -> list[str]:
        """The command line that submits the program."""
        return [str(SPARK / "bin/spark-submit"), "--master", master, str(PROGRAM), *arguments]

    def configure_spark(self) -> None:
        """Make Spark listen on loopback and keep a log of its events."""
        for name in ("conf", "events"):
            (self.folder / name).mkdir()
        (self.folder / "conf/spark-defaults.conf").write_text(
            "spark.driver.host 127.0.0.1\nspark.ui.port 0\nspark.eventLog.enabled true\n"
            f"spark.eventLog.dir file://{self.folder}/events\n"
        )
        self.environment |= {
            "SPARK_CONF_DIR": f"{self.folder}/conf",
            "SPARK_LOCAL_DIRS": f"{self.folder}/spark",
            # Everything listens on loopback.
            "SPARK_LOCAL_IP": "127.0.0.1",
        }

    def bake_whole(self, site: Path, *options: str) -> Path:
        """Bake the site on one machine."""
        environment = self.environment | {"IMGBAKE_CACHE_DIR": f"{self.folder}/whole-cache"}
        environment.pop("IMGBAKE_CACHE_REMOTE", None)
        whole = self.folder / "whole"
        command = [IMGBAKE, ".", "-o", str(whole), "--quiet", *options]
        subprocess.run(command, cwd=site, env=environment, check=False)
        return whole

    def expect_same_bytes(self, one: Path, other: Path) -> None:
        """Fail unless two folders have the same files, but for the lists of parts."""
        first, second = contents(one), contents(other)
        self.assertGreater(len(first), 3)
        self.assertEqual(sorted(first), sorted(second))
        self.assertEqual([name for name in first if first[name] != second[name]], [])


def contents(folder: Path) -> dict[str, bytes]:
    """The files below a folder by their paths, without the lists that each part has of its own."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.startswith((".imgbake-output", ".imgbake-images"))
    }
