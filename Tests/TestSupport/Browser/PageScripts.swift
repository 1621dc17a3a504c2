/// The scripts that run inside a page.
enum PageScripts {
    /// Scrolls to the end and back in steps of one window, and waits until images are decoded.
    ///
    /// Each step takes two frames: intersection observers are called in the first, and their
    /// changes are laid out in the second.
    static let settle = """
        (async () => {
            const frame = () => new Promise(done => requestAnimationFrame(() => setTimeout(done)));
            const root = document.scrollingElement || document.documentElement;
            for (let y = 0; y < root.scrollHeight; y += innerHeight) {
                scrollTo({ top: y, behavior: "instant" });
                await frame();
                await frame();
            }
            scrollTo({ top: 0, behavior: "instant" });
            await frame();
            const complete = [...document.images].filter(image => image.complete);
            await Promise.all(complete.map(image => image.decode().catch(() => {})));
            await document.fonts.ready;
            await frame();
            return true;
        })()
        """

    /// Returns every image of the page, of its frames and open shadow trees, as the fields of
    /// ``ImageBox``.
    static let imageBoxes = """
        (async () => {
            const boxes = [];
            const round = value => Math.round(value * 64) / 64;
            const path = element => {
                const steps = [];
                for (let at = element; at && at.nodeType === 1; at = at.parentNode) {
                    if (at.id) { steps.unshift("#" + at.id); break; }
                    const same = at.parentNode
                        ? [...at.parentNode.children].filter(other => other.tagName === at.tagName)
                        : [];
                    const place = same.length > 1 ? ":" + (same.indexOf(at) + 1) : "";
                    steps.unshift(at.tagName.toLowerCase() + place);
                }
                return steps.join(">");
            };
            const source = url => {
                if (!url || url.startsWith("data:")) return url ? "data" : "";
                const last = url.split(/[?#]/)[0].split("/").pop();
                const stem = decodeURIComponent(last).replace(/\\.[^.]*$/, "");
                const slug = stem.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
                return slug.replace(/-[0-9a-f]{16}$/, "");
            };
            const properties = [
                "background-image", "border-image-source", "list-style-image", "mask-image",
                "content", "cursor",
            ];
            const add = (kind, element, prefix, box, url, facts) => boxes.push({
                kind, path: prefix + path(element), source: source(url), isComplete: true,
                x: round(box.x), y: round(box.y), width: round(box.width), height: round(box.height),
                naturalWidth: 0, naturalHeight: 0, ...facts,
            });
            const replaced = {
                img: element => [element.currentSrc, {
                    naturalWidth: element.naturalWidth, naturalHeight: element.naturalHeight,
                    isComplete: element.complete && element.naturalWidth > 0,
                }],
                input: element => element.type === "image" && [element.src, {}],
                video: element => [element.poster, {}],
                object: element => [element.data, {}],
                embed: element => [element.src, {}],
                image: element => [element.href && element.href.baseVal, {}],
            };
            const icon = async (element, prefix) => {
                const image = new Image();
                image.src = element.href;
                const isComplete = await image.decode().then(() => true, () => false);
                add("icon", element, prefix, new DOMRect(), element.href, {
                    isComplete, naturalWidth: image.naturalWidth, naturalHeight: image.naturalHeight,
                });
            };
            const style = (element, prefix, pseudo) => {
                const values = getComputedStyle(element, pseudo || null);
                for (const property of properties) {
                    const value = values.getPropertyValue(property);
                    const urls = [...value.matchAll(/url\\("((?:[^"\\\\]|\\\\.)*)"\\)/g)];
                    if (!urls.length) continue;
                    const names = urls.map(match => source(match[1])).join(" ");
                    add((pseudo || "") + property, element, prefix,
                        element.getBoundingClientRect(), "", { source: names });
                }
            };
            const walk = async (document, prefix) => {
                for (const element of document.querySelectorAll("*")) {
                    const name = element.localName;
                    const found = replaced[name] && replaced[name](element);
                    if (found) {
                        add(name, element, prefix, element.getBoundingClientRect(), ...found);
                    }
                    if (name === "link" && /\\b(icon|apple-touch-icon|mask-icon)\\b/.test(element.rel)) {
                        await icon(element, prefix);
                    }
                    for (const pseudo of ["", "::before", "::after", "::marker"]) {
                        style(element, prefix, pseudo);
                    }
                    if (element.shadowRoot) {
                        await walk(element.shadowRoot, prefix + path(element) + ">>");
                    }
                    if (name === "iframe" && element.contentDocument) {
                        await walk(element.contentDocument, prefix + path(element) + ">>");
                    }
                }
            };
            await walk(document, "");
            return boxes;
        })()
        """
}
