"""A simulated year of a site and its builds; see scripts/soak."""

import argparse
import hashlib
import http.server
import json
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import threading
import time
import zlib
from pathlib import Path

BAKED = re.compile(rb"[A-Za-z0-9./_-]*[a-z0-9-]+-[0-9a-f]{16}\.[a-z0-9]+")
TEMPORARY = re.compile(r"\.imgbake-[0-9a-f]+-[0-9]+")
FOLDERS = ["", "posts/", "posts/2026/", "deep/er/"]


class Violation(Exception):
    """Something that must not happen."""


def png(seed):
    """A small picture in PNG; each seed gives other pixels."""
    rng = random.Random(seed)
    width, height = rng.randrange(20, 60), rng.randrange(20, 40)
    colours = [rng.randbytes(3) for _ in range(4)]
    rows = b"".join(
        b"\0" + b"".join(colours[(x // 9 + y // 7 + seed) % 4] for x in range(width))
        for y in range(height)
    )

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(
            ">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(
        b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


class Origin:
    """A server whose images appear, change and vanish."""

    def __init__(self, rng):
        self.rng = rng
        self.bodies = {}  # by path
        self.states = {}  # by path: "ok", "gone", "broken", "cut"
        self.requests = []
        origin = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                origin.answer(self)

            def log_message(self, *words):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None  # A killed bake breaks connections.
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        port = self.server.server_address[1]
        self.bases = [f"http://127.0.0.1:{port}", f"http://localhost:{port}"]
        self.serial = 0
        for _ in range(12):
            self.add()

    def answer(self, request):
        path = request.path
        self.requests.append(path)
        state, body = self.states.get(path, "gone"), self.bodies.get(path, b"")
        tag = '"' + hashlib.sha256(body).hexdigest()[:12] + '"'
        status = {"ok": 200, "cut": 200, "gone": 404, "broken": 500}[state]
        if state == "ok" and request.headers.get("If-None-Match") == tag:
            status = 304
        if status != 200:
            body = b""
        if state == "cut":
            body = body[: len(body) // 2]
        request.send_response(status)
        request.send_header("Content-Type", "image/png")
        request.send_header("ETag", tag)
        # Some images are asked about in each bake, others never again.
        control = "max-age=0" if path.startswith("/live") else "max-age=86400000, immutable"
        request.send_header("Cache-Control", control)
        if status != 304:
            request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        if status != 304:
            request.wfile.write(body)

    def add(self):
        """Adds an image; some have the bytes and the name of another one, in another folder."""
        self.serial += 1
        folder = self.rng.choice(["/live", "/a", "/a", "/b"])
        path = f"{folder}/picture{self.serial}.png?v={self.serial}&s={self.rng.randrange(10**6)}"
        body = png(self.serial)
        if self.bodies and self.rng.random() < 0.2:
            twin = self.rng.choice(sorted(self.bodies))
            path = f"/mirror{self.serial}/" + twin.split("/")[-1]
            body = self.bodies[twin]
        self.bodies[path], self.states[path] = body, "ok"
        return path

    def url(self):
        """The URL of an image that is there, in the text of a document."""
        path = self.rng.choice([p for p in sorted(self.states) if self.states[p] == "ok"])
        return self.bases[zlib.crc32(path.encode()) % 2] + path

    def live(self):
        """A day at the origin."""
        for path in sorted(self.states):
            chance = self.rng.random()
            if chance < 0.01:
                self.states[path] = self.rng.choice(["gone", "gone", "broken", "cut"])
            elif chance < 0.05:
                self.states[path] = "ok"
            elif chance < 0.07 and path.startswith("/live"):
                self.bodies[path] = png(self.rng.randrange(1 << 30))
        if self.rng.random() < 0.3:
            self.add()


def line(rng, origin, kind):
    """A line of a document, with an image or without."""
    url = origin.url()
    word = f"word{rng.randrange(10**6)}"
    if rng.random() < 0.4:
        return {"css": f"/* {word} */"}.get(kind, f"Some {word} here.")
    if kind == "css":
        return f"a {{ background: url({url}) }} /* {word} */"
    amp = url.replace("&", "&amp;")
    forms = [
        f'<p><img src="{amp}" alt="{word}" data-imgbake-quality=60></p>',
        f"<p><img alt='{word}' src='{amp}'></p>",
        f'<picture><source type="image/png" srcset="{amp} 1x"><img src="{amp}" alt="{word}"></picture>',
        f'<p><img srcset="{amp} 400w, {origin.url().replace("&", "&amp;")} 800w" alt="{word}"></p>',
    ]
    if kind == "md":
        forms += [f"![{word}]({url})"] * 3 + [f"Text ![{word}](<{url}> 'T') and more."]
    return rng.choice(forms)


class Tree:
    """The documents of a site, changed by an author."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True)

    def read(self, path):
        return (self.folder / path).read_bytes().split(b"\n")

    def write(self, path, lines):
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"\n".join(lines))

    def remove(self, path):
        (self.folder / path).unlink()

    def documents(self):
        found = [p for p in self.folder.rglob("*") if p.suffix in (".md", ".html", ".css")]
        return sorted(str(p.relative_to(self.folder)) for p in found)


class Author:
    """Changes a site, and a twin that is never baked, in the same way.

    A bake changes no line into two. So a change of a line is one of both.
    """

    def __init__(self, rng, origin, trees):
        self.rng, self.origin, self.trees = rng, origin, trees
        self.serial = 0
        self.history = []  # (path, the text in each tree)
        for _ in range(8):
            self.create()

    def path(self, suffix=None):
        self.serial += 1
        suffix = suffix or self.rng.choice([".md", ".md", ".html", ".css"])
        return f"{self.rng.choice(FOLDERS)}page{self.serial}{suffix}"

    def create(self):
        path = self.path()
        lines = [line(self.rng, self.origin, path.split(".")[-1]) for _ in range(6)]
        for tree in self.trees:
            # Markdown blocks are apart.
            tree.write(path, "\n\n".join(lines).encode().split(b"\n"))

    def work(self):
        """A day of work; returns what was done."""
        kinds = ["insert", "words", "words", "cut", "paste", "replace", "move", "copy", "delete",
                 "create", "undo", "duplicate"]
        done = []
        for _ in range(self.rng.randrange(4)):
            documents = self.trees[0].documents()
            kind = self.rng.choice(kinds) if len(documents) > 3 else "create"
            path = self.rng.choice(documents) if documents else ""
            done.append(f"{kind} {path}")
            if kind == "create":
                self.create()
                continue
            texts = [tree.read(path) for tree in self.trees]
            self.history.append((path, texts))
            getattr(self, kind)(path, texts)
        return done

    def save(self, path, texts):
        for tree, lines in zip(self.trees, texts):
            tree.write(path, lines)

    def any(self, path, texts):
        """The number of a line with text; images of a style sheet stay in style sheets."""
        return self.rng.choice([n for n, text in enumerate(texts[0]) if text.strip()] or [0])

    def insert(self, path, texts):
        new = line(self.rng, self.origin, path.split(".")[-1]).encode()
        place = self.any(path, texts)
        for lines in texts:
            lines[place:place] = [new, b""]
        self.save(path, texts)

    def words(self, path, texts):
        """Changes the text around images, as a word in an alt text or after the image."""
        place, word = self.any(path, texts), b"word%d" % self.rng.randrange(10**6)
        if b"word" not in texts[0][place]:
            return
        for lines in texts:
            lines[place] = re.sub(rb"word[0-9]+", word, lines[place], count=1)
        self.save(path, texts)

    def cut(self, path, texts):
        place = self.any(path, texts)
        self.clip = (path.split(".")[-1], [lines.pop(place) for lines in texts])
        self.save(path, texts)

    def paste(self, path, texts):
        kind, clip = getattr(self, "clip", ("", []))
        if kind != path.split(".")[-1]:
            return
        # Of two equal images with the same name, nothing tells which one was pasted.
        names = re.findall(rb"picture[0-9]+\.png", clip[1])
        if any(name in text for name in names for text in texts[1]):
            return
        place = self.any(path, texts)
        for lines, text in zip(texts, clip):
            lines[place:place] = [text, b""]
        self.save(path, texts)

    def duplicate(self, path, texts):
        place = self.any(path, texts)
        for lines in texts:
            lines[place:place] = [lines[place], b""]
        self.save(path, texts)

    def replace(self, path, texts):
        """Writes another line in place of one."""
        new = line(self.rng, self.origin, path.split(".")[-1]).encode()
        place = self.any(path, texts)
        for lines in texts:
            lines[place] = new
        self.save(path, texts)

    def move(self, path, texts):
        self.copy(path, texts)
        for tree in self.trees:
            tree.remove(path)

    def copy(self, path, texts):
        """A copy in any folder; half of the authors correct its relative links."""
        new = self.path(Path(path).suffix)
        if self.rng.random() < 0.5:
            texts[0] = [correct(text, path, new) for text in texts[0]]
        self.save(new, texts)

    def delete(self, path, texts):
        for tree in self.trees:
            tree.remove(path)

    def forget(self):
        self.history, self.clip = [], ("", [])

    def undo(self, path, texts):
        """Brings an earlier version of a document back."""
        path, texts = self.rng.choice(self.history)  # The present version is one of them.
        self.save(path, [list(lines) for lines in texts])


def correct(text, old, new):
    """A line of a document with relative paths of images as they are at another place."""
    def moved(match):
        path = os.path.normpath(os.path.join(os.path.dirname(old), match[0].decode()))
        return os.path.relpath(path, os.path.dirname(new) or ".").encode()
    return re.sub(rb"(?:\.\./)*imgbake/[^\s)\"'<>,]+", moved, text)


class Run:
    """A mode of the simulation: a folder, an origin, an author and the command."""

    # Whether images change, and with them settings and the cache.
    is_live = True

    def __init__(self, imgbake, folder, seed, days):
        self.rng = random.Random(f"{type(self).__name__} {seed}")
        self.imgbake, self.folder, self.days, self.day = imgbake, Path(folder).absolute(), days, 0
        shutil.rmtree(folder, ignore_errors=True)
        self.origin = Origin(self.rng)
        self.site, self.twin = Tree(self.folder / "site"), Tree(self.folder / "twin")
        self.author = Author(self.rng, self.origin, [self.site, self.twin])
        self.cache = self.folder / "cache"
        self.counts = {}
        self.settings = []

    def count(self, name, by=1):
        self.counts[name] = self.counts.get(name, 0) + by

    def command(self, *words, cache=None):
        options = ["--cache-dir", cache or self.cache, "--allow-private-network",
                   "--retries", "0"]
        plain = words[0] in ("restore",)
        return [self.imgbake, *words, *([] if plain else options)]

    def start(self, *words, **options):
        return subprocess.Popen(
            [str(w) for w in self.command(*words, **options)], cwd=self.folder,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run(self, *words, **options):
        """Runs the command; returns its exit code and what it tells as JSON."""
        process = self.start(*words, "--json", **options)
        output, errors = process.communicate(timeout=120)
        if process.returncode not in (0, 1):
            raise Violation(f"exit code {process.returncode} of {words}: {errors.decode()[-800:]}")
        try:
            return process.returncode, json.loads(output)
        except ValueError:
            raise Violation(f"no JSON from {words}: {errors.decode()[-800:]}") from None

    def kill(self, *words):
        """Runs the command and kills it at any moment."""
        process = self.start(*words)
        time.sleep(self.rng.random() * 0.25)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        self.count("kills")

    def disturb(self, *words):
        """Runs the command in a way that must do no harm: killed, or twice at once."""
        if self.rng.random() < 0.15:
            self.kill(*words)
            self.done.append("killed")
        if self.rng.random() < 0.05:
            for process in [self.start(*words) for _ in range(2)]:
                process.communicate()
            self.done.append("two at once")

    def end(self):
        """After the last day."""

    def year(self):
        for self.day in range(1, self.days + 1):
            self.done = []
            if self.day > 1:
                self.done = self.author.work()
            if self.is_live and self.day > 1:
                self.origin.live()
            if self.is_live and self.rng.random() < 0.05:
                self.settings = self.rng.choice(
                    [[], ["--format", "png"], ["--dimensions"], ["--max-width", "30"]])
            if self.is_live and self.rng.random() < 0.03:
                shutil.rmtree(self.cache, ignore_errors=True)
                self.done.append("cache deleted")
            self.today()
        self.end()
        return ", ".join(f"{n} {name}" for name, n in sorted(self.counts.items()))

    def require(self, condition, text):
        if not condition:
            raise Violation(text)

    def check_no_temporary_files(self, folder, when):
        left = [str(p) for p in folder.rglob(".imgbake-*") if TEMPORARY.fullmatch(p.name)]
        self.require(not left, f"temporary files {when}: {left}")

    def check_images(self, folder, told):
        """Each path to a baked image leads to its bytes, or a message names the line."""
        for file in sorted(folder.rglob("*")):
            if file.suffix not in (".md", ".html", ".css"):
                continue
            for number, text in enumerate(file.read_bytes().split(b"\n"), 1):
                for name in BAKED.findall(text):
                    image = file.parent / name.decode()
                    if not image.is_file():
                        place = f"{file.relative_to(folder)}:{number}"
                        self.require(
                            any(place == p for p in told), f"{place}: {name.decode()} dangles")
                        self.count("dangling paths that were told")
                        continue
                    digest = hashlib.sha256(image.read_bytes()).hexdigest()[:16]
                    self.require(f"-{digest}." in image.name, f"{image} has other bytes")


def places(result, name):
    """The lines that messages name, as `page.md:3`."""
    found = set()
    for diagnostic in result.get("diagnostics", []):
        for place in [diagnostic] + diagnostic.get("places", []):
            document = str(place.get("document", ""))
            found.add(f"{document.removeprefix(name + '/')}:{place.get('line')}")
    return found


def codes(result):
    """The codes and the first places of all messages."""
    return [(d["code"], d.get("severity"), (d.get("places") or [None])[0], d.get("url"))
            for d in result.get("diagnostics", [])]


class Place(Run):
    """Bakes in place, with undo."""

    def today(self):
        images = self.site.folder / "imgbake"
        files = sorted(images.glob("[!.]*")) if images.exists() else []
        if files and self.rng.random() < 0.06:
            self.rng.choice(files).unlink()
            self.done.append("image deleted")
        before = self.folder / "before"
        shutil.rmtree(before, ignore_errors=True)
        shutil.copytree(self.site.folder, before)
        prune = ["--prune"] if self.rng.random() < 0.1 else []
        words = ["site", *self.settings, *prune]
        if prune:
            # What no file names is forgotten.
            self.author.forget()
            self.done.append("prune")
        self.disturb(*words)
        code, first = self.run(*words)
        self.count("bakes")
        self.check_no_temporary_files(self.site.folder, "after a bake")
        self.check_images(self.site.folder, places(first, "site"))
        before = contents(self.site.folder)
        self.origin.requests.clear()
        again, result = self.run(*words)
        self.require(
            contents(self.site.folder) == before,
            f"a second bake changes {difference(contents(self.site.folder), before)}")
        # An image that one document missed may have been made again for another one.
        self.require(again <= code, f"exit codes {code} and then {again}: {codes(first)}")
        self.check_images(self.site.folder, places(result, "site"))
        asked = [p for p in self.origin.requests
                 if not p.startswith("/live") and self.origin.states.get(p) == "ok"]
        self.require(not asked, f"requests for fresh images: {asked[:3]}")
        self.restore()

    def restore(self):
        copy = self.folder / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(self.site.folder, copy)
        code, result = self.run("restore", "copy")
        told = places(result, "copy")
        wrong = 0
        for path in self.twin.documents():
            original, restored = self.twin.read(path), (copy / path).read_bytes().split(b"\n")
            self.require(len(original) == len(restored), f"{path} has other lines")
            for number, (old, new) in enumerate(zip(original, restored), 1):
                # A changed line gets its URLs back, perhaps in another notation.
                if not path.endswith(".css"):
                    old, new = old.replace(b"&amp;", b"&"), new.replace(b"&amp;", b"&")
                if old != new:
                    place = f"{path}:{number}"
                    self.require(
                        code == 1 and place in told,
                        f"{place} is not restored: {new.decode()} for {old.decode()}")
                    wrong += 1
        self.count("lines that restore named", wrong)
        self.check_no_temporary_files(copy, "after restore")
        left = [p for p in copy.rglob(".imgbake*")]
        self.require(code == 1 or not left, f"restore has left {left[:3]}")


class Copy(Run):
    """Bakes a copy; each day it is as if nothing had been there before."""

    def today(self):
        prune = ["--prune"] if self.rng.random() < 0.2 else []
        words = ["site", "-o", "out", *self.settings, *prune]
        self.disturb(*words)
        code, result = self.run(*words)
        out = self.folder / "out"
        self.count("bakes")
        self.check_no_temporary_files(out, "after a bake")
        self.check_images(out, places(result, "site"))
        before = contents(out)
        self.check_equals_bake_from_nothing(code, is_exact=bool(prune))
        self.origin.requests.clear()
        again, result = self.run(*words)
        self.require(again == code, f"exit codes {code} and then {again}: {codes(result)}")
        changed = difference(contents(out), before)
        self.require(not changed, f"a second bake changes {changed}")
        asked = [p for p in self.origin.requests
                 if not p.startswith("/live") and self.origin.states.get(p) == "ok"]
        self.require(not asked, f"requests for fresh images: {asked[:3]}")

    def check_equals_bake_from_nothing(self, code, is_exact):
        fresh = self.folder / "fresh"
        shutil.rmtree(fresh, ignore_errors=True)
        again, result = self.run("site", "-o", "fresh", *self.settings)
        self.require(again == code, f"exit code {code}, from nothing {again}: {codes(result)}")
        wanted, there = shown(fresh), shown(self.folder / "out")
        if not is_exact or code:
            there = {path: there[path] for path in wanted if path in there}
        self.require(
            wanted == there, f"not as from nothing: {difference(wanted, there)}")


class CI(Run):
    """Bakes fresh clones with a lockfile, and with caches that are missing, old or new."""

    def today(self):
        out, lock = self.folder / "out", self.folder / "imgbake.lock"
        if self.day == 1 or self.rng.random() < 0.4:
            update = ["--update", "*"] if self.rng.random() < 0.5 and lock.exists() else []
            self.run("lock", "site", *update)
            self.count("locks")
        locked = [json.loads(text) for text in lock.read_text().splitlines()[1:]]
        digests = {image["sha256"] for image in locked}
        for body in self.origin.bodies.values():
            half = hashlib.sha256(body[: len(body) // 2]).hexdigest()
            self.require(half not in digests, "the lockfile has a cut image")
        kind = self.rng.choice(["none", "old", "last"])
        if kind == "none":
            shutil.rmtree(self.cache, ignore_errors=True)
        old = self.folder / "old"
        if kind == "old" and old.exists():
            shutil.rmtree(self.cache, ignore_errors=True)
            shutil.copytree(old, self.cache)
        self.done.append(f"{kind} cache")
        shutil.rmtree(out, ignore_errors=True)
        code, result = self.run("site", "-o", "out", "--locked", "--retry-failed", *self.settings)
        self.count(f"bakes with exit code {code}")
        self.check_images(out, places(result, "site"))
        for text in (out / "imgbake/.imgbake-images").read_text().splitlines()[1:]:
            self.require(text.split()[1] in digests, f"made of no locked image: {text}")
        told = {d["code"] for d in result["diagnostics"] if d["severity"] == "error"}
        self.require(bool(told) == bool(code), f"exit code {code} with {told}")
        self.check_answers(result, locked)
        if kind == "last" or not old.exists():
            shutil.rmtree(old, ignore_errors=True)
            shutil.copytree(self.cache, old)

    def check_answers(self, result, locked):
        """No image fails whose locked bytes the origin gives."""
        # A lockfile and messages hide what looks like a signature.
        known = {image["url"].split("&s=")[0]: image["sha256"] for image in locked}
        for d in result["diagnostics"]:
            url = (d.get("url") or "").split("&s=")[0]
            path = "/" + url.split("/", 3)[-1]
            bodies = [body for p, body in self.origin.bodies.items()
                      if p.split("&s=")[0] == path and self.origin.states[p] == "ok"]
            if d["severity"] == "error" and bodies and url in known:
                digest = hashlib.sha256(bodies[0]).hexdigest()
                self.require(digest != known[url], f"{url} is as locked, but: {d['code']}")
                self.count("told errors of locked images")


class Watch(Run):
    """Watches the site while the author saves."""

    is_live = False

    def today(self):
        if self.day == 1:
            self.process = self.start("watch", "site", "-o", "out")
            threading.Thread(target=self.process.stderr.read, daemon=True).start()
            threading.Thread(target=self.process.stdout.read, daemon=True).start()
        fresh, out = self.folder / "fresh", self.folder / "out"
        shutil.rmtree(fresh, ignore_errors=True)
        self.run("site", "-o", "fresh")
        wanted, deadline = shown(fresh), time.monotonic() + 30
        while True:
            there = shown(out) if out.exists() else {}
            there = {path: there[path] for path in wanted if path in there}
            if there == wanted:
                break
            self.require(
                time.monotonic() < deadline, f"the copy lacks {difference(wanted, there)}")
            self.require(self.process.poll() is None, "the watch has ended")
            time.sleep(0.02)
        self.count("changes", len(self.done))

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.require(self.process.wait(timeout=20) == 143, "the watch did not end well")
        self.check_no_temporary_files(self.folder / "out", "after a watch")


def shown(folder):
    """The bytes of all files of a folder that are not hidden, by path."""
    return {path: data for path, data in contents(folder).items() if "/." not in "/" + path}


def contents(folder):
    """The bytes of all files of a folder, by path."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def difference(first, second):
    """The paths of files that are not equal."""
    return sorted(p for p in first.keys() | second.keys() if first.get(p) != second.get(p))[:3]


MODES = {"place": Place, "copy": Copy, "ci": CI, "watch": Watch}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("imgbake")
    parser.add_argument("folder")
    parser.add_argument("--days", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mode", choices=[*MODES, "all"], default="all")
    options = parser.parse_args()
    for name in MODES if options.mode == "all" else [options.mode]:
        start = time.monotonic()
        run = MODES[name](
            os.path.abspath(options.imgbake), os.path.join(options.folder, name), options.seed,
            options.days)
        try:
            counts = run.year()
        except Violation as violation:
            print(f"{name}: seed {options.seed}, day {run.day} ({'; '.join(run.done)}): {violation}")
            print(f"the site is in {run.folder}, as it was before the bake in {run.folder}/before")
            sys.exit(1)
        print(f"{name}: {options.days} days, {counts}, {time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()
