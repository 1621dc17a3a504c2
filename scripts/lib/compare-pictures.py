"""Compares baked pictures with their sources in Chromium: see scripts/compare-pictures."""

import functools
import html
import http.server
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import threading

# Two libraries apply a profile, and differ most where they cut off colours.
TOLERANCE = 16
FORMATS = ["png", "keep", "webp"]

PAGE = """<!doctype html><script>
const pairs = PAIRS;
const types = {gif: "image/gif", png: "image/png", webp: "image/webp", avif: "image/avif",
               jpg: "image/jpeg", jpeg: "image/jpeg", bmp: "image/bmp"};
// A decoded image, as a page shows it: of AVIF with alpha, and of a file without its end, the decoder
// gives something else.
async function shown(name) {
  const image = new Image();
  image.src = name;
  await image.decode();
  const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight);
  const context = canvas.getContext("2d", {colorSpace: "srgb", willReadFrequently: true});
  context.drawImage(image, 0, 0);
  return {size: [canvas.width, canvas.height],
          pixels: context.getImageData(0, 0, canvas.width, canvas.height).data};
}
async function frames(name) {
  if (!/gif$/.test(name)) {
    const still = await shown(name);
    if (/avif$|end-/.test(name)) return [still];
  }
  const data = await (await fetch(name)).arrayBuffer();
  const decoder = new ImageDecoder({data, type: types[name.split(".").pop()]});
  await decoder.tracks.ready;
  await decoder.completed;
  const result = [];
  for (let index = 0; index < decoder.tracks.selectedTrack.frameCount; index++) {
    const {image} = await decoder.decode({frameIndex: index});
    const canvas = new OffscreenCanvas(image.displayWidth, image.displayHeight);
    const context = canvas.getContext("2d", {colorSpace: "srgb", willReadFrequently: true});
    context.drawImage(image, 0, 0);
    result.push({size: [canvas.width, canvas.height], delay: image.duration,
                 pixels: context.getImageData(0, 0, canvas.width, canvas.height).data});
    image.close();
  }
  return result;
}
// The largest difference of a sample multiplied by alpha, and the mean.
function difference(one, other) {
  let most = 0, sum = 0;
  for (let place = 0; place < one.length; place += 4) {
    for (let channel = 0; channel < 4; channel++) {
      const scaled = (pixels) => channel < 3
        ? pixels[place + channel] * pixels[place + 3] / 255 : pixels[place + 3];
      const distance = Math.abs(scaled(one) - scaled(other));
      most = Math.max(most, distance);
      sum += distance;
    }
  }
  return [most, sum / one.length];
}
async function compare(source, result) {
  const [before, after] = [await frames(source), await frames(result)];
  const count = Math.min(before.length, after.length);
  const found = {frames: [before.length, after.length], most: 0, mean: 0, sizes: true};
  for (let index = 0; index < count; index++) {
    if (String(before[index].size) !== String(after[index].size)) { found.sizes = false; continue; }
    const [most, mean] = difference(before[index].pixels, after[index].pixels);
    found.most = Math.max(found.most, most);
    found.mean = Math.max(found.mean, mean);
  }
  return found;
}
(async () => {
  const results = [];
  for (const [source, result] of pairs) {
    try { results.push(await compare(source, result)); }
    catch (error) { results.push({error: String(error)}); }
  }
  await fetch("/done", {method: "POST", body: JSON.stringify(results)});
})();
</script>"""


def run(*words, **options):
    subprocess.run([str(word) for word in words], check=True, capture_output=True, **options)


# Pictures of all kinds.


def gif(canvas, frames, background=3):
    """A GIF of plain frames: left, top, width, height, colour, disposal, transparent colour."""
    colours = [0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 128, 0]
    result = b"GIF89a" + struct.pack("<HHBBB", *canvas, 0x81, background, 0) + bytes(colours)
    for left, top, width, height, colour, disposal, key in frames:
        flags = disposal << 2 | (key is not None)
        result += bytes([0x21, 0xF9, 4, flags, 10, 0, key or 0, 0, 0x2C])
        result += struct.pack("<HHHHB", left, top, width, height, 0) + b"\2"
        # A clear code before each colour keeps the codes at three bits.
        codes = [code for _ in range(width * height) for code in (4, colour)] + [5]
        number = sum(code << 3 * place for place, code in enumerate(codes))
        data = number.to_bytes((3 * len(codes) + 7) // 8, "little")
        for start in range(0, len(data), 255):
            part = data[start:start + 255]
            result += bytes([len(part)]) + part
        result += b"\0"
    return result + b";"


def ink_profile(inks):
    """A profile of inks that mix in proportion: L, a and b of paper, cyan, magenta and yellow."""
    # Programs interpolate in different ways, which agree in a fine table.
    table, grid = b"", 9
    for node in range(grid ** 4):
        amounts = [1] + [node // grid ** (3 - ink) % grid / (grid - 1) for ink in range(3)]
        light = 1 - 0.9 * (node % grid) / (grid - 1)
        for place in range(3):
            value = light * sum(ink[place] * amount for ink, amount in zip(inks, amounts))
            table += bytes([int(max(0, min(255, value * 2.55 if place == 0 else value + 128)))])
    identity = b"".join(
        struct.pack(">I", 0x10000 if place % 4 == 0 else 0) for place in range(9))
    ramp = bytes(range(256))
    lut = b"mft1\0\0\0\0\4\3" + bytes([grid, 0]) + identity + 4 * ramp + table + 3 * ramp
    white = struct.pack(">III", 0xF6D6, 0x10000, 0xD32D)
    tags = [(b"A2B0", lut + bytes(-len(lut) % 4)), (b"wtpt", b"XYZ \0\0\0\0" + white)]
    place, entries, body = 132 + 12 * len(tags), b"", b""
    for name, data in tags:
        entries += name + struct.pack(">II", place + len(body), len(data))
        body += data
    head = struct.pack(">III", place + len(body), 0, 0x02100000) + b"prtrCMYKLab "
    head += bytes(12) + b"acsp" + bytes(28) + white
    return head.ljust(128, b"\0") + struct.pack(">I", len(tags)) + entries + body


def draw(folder):
    """Writes pictures of all kinds to a folder."""
    whole, half = (0, 0, 20, 20), (0, 0, 10, 20)
    gifs = {
        "small-first": [(*half, 1, 0, None)],
        "small-first-of-two": [(*half, 1, 1, None), (*half, 0, 0, None)],
        "disposed-part": [(*whole, 1, 1, None), (*half, 0, 2, None), (10, 0, 10, 20, 0, 0, None)],
        "taken-back-first": [(*whole, 1, 3, None), (10, 0, 10, 20, 0, 0, None)],
        "taken-back-4": [(*whole, 1, 0, None), (*half, 0, 4, None), (5, 5, 5, 5, 2, 2, None),
                         (0, 0, 1, 1, 2, 0, None)],
        "transparent": [(*whole, 1, 2, 2), (10, 0, 10, 20, 0, 0, 1)],
        "outside": [(*whole, 1, 2, None), (10, 10, 40, 40, 2, 0, None)],
        "large-first": [(10, 10, 30, 30, 1, 0, None), (*half, 2, 0, None)],
    }
    for name, frames in gifs.items():
        (folder / f"gif-{name}.gif").write_bytes(gif((20, 20), frames))

    work = folder / "work"
    work.mkdir()

    def vips(*words):
        run("vips", *words, cwd=work)

    vips("identity", "line.v")
    vips("zoom", "line.v", "rise.v", 1, 16)
    vips("invert", "rise.v", "fall.v")
    vips("linear", "rise.v", "middle.v", 0, 128, "--uchar")
    for name, bands, space in [
        ("grey", "rise.v", "b-w"), ("colours", "rise.v fall.v middle.v", "srgb"),
        ("alpha", "rise.v fall.v middle.v rise.v", "srgb"),
    ]:
        vips("bandjoin", bands, f"{name}.v")
        vips("copy", f"{name}.v", f"{name}.png", "--interpretation", space)
        shutil.copy(work / f"{name}.png", folder / f"{name}.png")

    exact = ["--min", 0, "--max", 0, "--minalpha", 0, "--maxalpha", 0, "--speed", 9]
    for name, source, words in [
        *[(f"code-{code.replace('/', '-')}", "colours", ["--yuv", 444, "--cicp", code])
          for code in ["1/13/6", "1/1/1", "1/6/6", "1/7/6", "1/14/6", "1/15/6", "1/13/0", "2/2/2", "1/8/6", "1/4/6", "1/5/6", "12/13/6",
                       "12/16/6", "9/16/9", "1/17/6", "1/18/6", "5/13/6", "6/6/6", "7/7/6",
                       "9/13/9", "11/13/6", "22/13/6", "1/13/4", "1/13/7", "1/13/8", "1/13/12"]],
        ("grey-limited", "grey", ["--yuv", 400, "--range", "limited"]),
        ("grey-full", "grey", ["--yuv", 400, "--range", "full"]),
        ("limited", "colours", ["--yuv", 444, "--range", "limited"]),
        ("alpha", "alpha", []), ("alpha-limited", "alpha", ["--range", "limited"]),
        ("premultiplied", "alpha", ["--premultiply"]),
    ]:
        run("avifenc", *exact, *words, work / f"{source}.png", folder / f"avif-{name}.avif")

    # Chromium mixes black in another way than other programs.
    vips("linear", "rise.v", "none.v", 0, 0, "--uchar")
    vips("bandjoin", "rise.v fall.v middle.v none.v", "inks.v")
    inks = {"none": None, "paper": [[100, 0, 0], [-40, -35, -45], [-45, 70, -5], [-8, -5, 90]],
            "yellowed": [[90, 5, 25], [-30, -20, -35], [-50, 50, 5], [-20, 10, 50]]}
    for name, colours in inks.items():
        option = "strip"
        if colours:
            (work / f"{name}.icc").write_bytes(ink_profile(colours))
            option = f"profile={work}/{name}.icc"
        vips("copy", "inks.v", f"{folder}/cmyk-{name}.jpg[Q=100,{option}]", "--interpretation",
             "cmyk")
    for encoding in ["jpg[Q=95]", "jpg[Q=95,interlace]", "png", "webp[lossless]"]:
        name, end = encoding.partition("[")[0], "-scans" if "interlace" in encoding else ""
        vips("copy", "colours.v", f"{work}/whole.{encoding}", "--interpretation", "srgb")
        whole_file = (work / f"whole.{name}").read_bytes()
        # Chromium shows the rows of a JPEG that it has, and of others only from some bytes on.
        for missing in {"jpg": [1, 2] if end else [], "png": [1, 4, 12]}.get(name, []):
            (folder / f"end{end}-{missing}.{name}").write_bytes(whole_file[:-missing])
        vips("icc_transform", f"whole.{name}", f"{folder}/p3{end}.{encoding}", "p3",
             "--input-profile", "srgb")
    shutil.rmtree(work)


# The comparison.


def bake(program, folder, target, form):
    """Bakes the pictures of a folder; returns the path of each result by the name of its source."""
    site = target / f"site-{form}"
    shutil.copytree(folder, site)
    names = sorted(path.name for path in site.iterdir() if path.is_file())
    body = "\n".join(f'<img alt="{html.escape(name)}" src="{html.escape(name)}">' for name in names)
    (site / "index.html").write_text(body)
    out = target / form
    baked = subprocess.run(
        [program, site, "-o", out, "--local", "--no-config", "--format", form, "--max-width",
         "none", *(["--quality", "100"] if form == "webp" else [])],
        capture_output=True, text=True, cwd=target,
        env=os.environ | {"XDG_CACHE_HOME": str(target / "cache")})
    sys.stderr.write("".join(line + "\n" for line in baked.stderr.splitlines() if "error" in line))
    found = re.findall(r'alt="([^"]*)" src="([^"]*)"', (out / "index.html").read_text())
    return {html.unescape(name): f"{form}/{html.unescape(path)}" for name, path in found}


def chromium(folder, pairs):
    """Compares pairs of files in Chromium; only a secure origin has its decoder."""
    done, answers = threading.Event(), []

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *words):
            pass

        def do_POST(self):
            answers.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()
            done.set()

        def do_GET(self):
            if self.path != "/page":
                return super().do_GET()
            page = PAGE.replace("PAIRS", json.dumps(pairs)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(page)

    handler = functools.partial(Handler, directory=folder)
    server = http.server.ThreadingHTTPServer(("localhost", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as profile:
        browser = subprocess.Popen(
            ["chromium-headless-shell", "--no-sandbox", "--disable-gpu",
             "--remote-debugging-port=0", f"--user-data-dir={profile}",
             f"http://localhost:{server.server_port}/page"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        done.wait(600)
        browser.terminate()
        browser.wait()
    server.shutdown()
    if not answers:
        sys.exit("error: Chromium did not answer")
    return answers[0]


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as temporary:
        target = pathlib.Path(temporary)
        folder = target / "pictures"
        if len(sys.argv) > 2:
            shutil.copytree(sys.argv[2], folder)
        else:
            folder.mkdir()
            draw(folder)
        pairs, names = [], []
        for form in FORMATS:
            for name, path in bake(program, folder, target, form).items():
                pairs.append([f"pictures/{name}", path])
                names.append((form, name))
        failures = 0
        for (form, name), found in zip(names, chromium(target, pairs)):
            # A still format has the first frame; a lossy one is compared as a whole.
            isLossy = form != "png" and name.split(".")[-1] in ("jpg", "jpeg") or form == "webp"
            frames = found.get("frames", [0, 0])
            if "alpha" in name and name.endswith(".avif") or "premultiplied" in name:
                # Chromium 156 expands each alpha channel of an AVIF as if it had a limited range.
                found["most"], found["mean"] = max(0, found["most"] - 20), found["mean"] / 6
            isSame = (found.get("sizes") and (frames[0] == frames[1] or form == "png")
                      and found["mean"] < (2 if isLossy else 1.1)
                      and (isLossy or found["most"] <= TOLERANCE))
            failures += not isSame
            print(f"{'same' if isSame else 'OTHER':5} {form:5} {name:32} {json.dumps(found)}")
        print(f"{len(names)} pictures, {failures} others")
        sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
