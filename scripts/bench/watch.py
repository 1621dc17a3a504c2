"""Measures 'imgbake watch': bench-watch.py FOLDER-OF-PROGRAMS WORK-FOLDER SAVES"""

import functools
import http.server
import os
import random
import shutil
import statistics
import struct
import subprocess
import sys
import threading
import time
import zlib

PAGES, IMAGES, REFERENCES = 1000, 300, 3


def png(number: int) -> bytes:
    """A picture of 240 x 180 pixels that no other number has."""
    draw = random.Random(number)
    rows = b"".join(
        b"\0" + bytes((x * draw.randrange(1, 4) + number) % 256 for x in range(240 * 3))
        for _ in range(180)
    )

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 240, 180, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


class Handler(http.server.SimpleHTTPRequestHandler):
    def end_headers(self) -> None:
        self.send_header("Cache-Control", "max-age=86400")
        super().end_headers()

    def log_message(self, *arguments: object) -> None:
        pass


def write(path: str, text: str) -> None:
    """Saves a file as editors do."""
    with open(path + "~", "w") as file:
        file.write(text)
    os.replace(path + "~", path)


def wait(path: str, text: str) -> None:
    """Waits until a file contains a text."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            with open(path) as file:
                if text in file.read():
                    return
        except OSError:
            pass
        time.sleep(0.0005)
    sys.exit(f"{path} never contained {text}")


def main(programs: str, work: str, saves: int) -> None:
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(f"{work}/origin")
    os.makedirs(f"{work}/site")
    for number in range(IMAGES):
        with open(f"{work}/origin/{number}.png", "wb") as file:
            file.write(png(number))
    handler = functools.partial(Handler, directory=f"{work}/origin")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"

    def page(number: int, text: str) -> str:
        images = "".join(
            f'<p><img src="{url}/{(number * REFERENCES + i) % IMAGES}.png" alt="A picture"></p>\n'
            for i in range(REFERENCES)
        )
        return f"<!doctype html>\n<title>Page {number}</title>\n<p>{text}</p>\n{images}"

    for number in range(PAGES):
        write(f"{work}/site/{number}.html", page(number, "The quick brown fox."))
    command = [
        f"{programs}/imgbake", f"{work}/site", "-o", f"{work}/out", "--allow-private-network",
        "--cache-dir", f"{work}/cache", "--no-config",
    ]
    subprocess.run(command + ["-q"], check=True)
    # The files that the first bake writes are too new to be trusted by the next one.
    time.sleep(2.5)
    subprocess.run(command + ["-q"], check=True)

    def measure(change: int, act) -> float:
        number = change * 7 % PAGES
        # Like an author, the next save waits until the last one is done.
        time.sleep(0.3)
        write(f"{work}/site/{number}.html", page(number, f"Change {change}."))
        start = time.monotonic()
        act()
        wait(f"{work}/out/{number}.html", f"Change {change}.")
        return (time.monotonic() - start) * 1000

    bakes = [
        measure(change, lambda: subprocess.run(command + ["-q"], check=True))
        for change in range(saves)
    ]
    watch = subprocess.Popen(
        [command[0], "watch"] + command[1:], stdout=subprocess.PIPE, text=True
    )
    watch.stdout.readline()
    threading.Thread(target=watch.stdout.read, daemon=True).start()
    watched = [measure(change, lambda: None) for change in range(saves, 2 * saves)]
    watch.terminate()
    watch.wait()
    print(f"{PAGES} pages with {IMAGES} images, {saves} saves, in ms")
    for name, times in [("watch, from save to written", watched), ("a bake of its own", bakes)]:
        print(
            f"{name}: median {statistics.median(times):.0f}, "
            f"nine of ten within {sorted(times)[len(times) * 9 // 10]:.0f}, "
            f"at most {max(times):.0f}"
        )
    print(f"ratio of the medians: {statistics.median(watched) / statistics.median(bakes):.2f}")


main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
