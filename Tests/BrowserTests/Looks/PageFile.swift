import TestSupport

/// A file that a page names together with its media type, or as an icon.
struct PageFile: Sendable, Decodable, Equatable {
    /// The path to the element, and the index of the file.
    var place: String
    /// The value of `type`; empty if there is none.
    var declared: String
    /// The type of the file by its first bytes.
    var actual: String

    /// All such files of a page: sources, links, objects, embeds, and the options of `image-set()`.
    static func all(of page: BrowserPage) async throws -> [PageFile] {
        try await page.evaluate(script)
    }

    private static let script = """
        (async () => {
            const signatures = [
                [/^\\xff\\xd8\\xff/, "image/jpeg"], [/^\\x89PNG/, "image/png"], [/^GIF8/, "image/gif"],
                [/^RIFF[^]{4}WEBP/, "image/webp"], [/^[^]{4}ftypavi/, "image/avif"],
                [/^\\0\\0\\1\\0/, "image/x-icon"], [/^\\s*<(svg|\\?xml)/, "image/svg+xml"],
            ];
            const actual = async url => {
                const bytes = new Uint8Array(await (await fetch(url)).arrayBuffer());
                const head = String.fromCharCode(...bytes.slice(0, 64));
                return (signatures.find(entry => entry[0].test(head)) || [0, "unknown"])[1];
            };
            const files = [];
            const add = async (place, declared, url) =>
                files.push({ place, declared, actual: await actual(url) });
            const urls = element => element.srcset
                ? element.srcset.split(/,\\s+/).map(candidate => candidate.trim().split(/\\s/)[0])
                : [element.href || element.data || element.src];
            for (const section of document.querySelectorAll("section")) {
                const selector = "source[type], link[type], link[rel*=icon], object[type], embed[type]";
                let index = 0;
                for (const element of section.querySelectorAll(selector)) {
                    const kind = element.rel || element.localName;
                    for (const url of urls(element)) {
                        await add(`${section.id} ${kind} ${index++}`, element.type || "", url);
                    }
                }
                for (const element of section.querySelectorAll("p")) {
                    const value = getComputedStyle(element).backgroundImage;
                    const options = value.matchAll(/url\\("([^"]*)"\\)[^,]*type\\("([^"]*)"\\)/g);
                    for (const [, url, type] of options) {
                        await add(`${section.id} image-set ${index++}`, type, url);
                    }
                }
            }
            return files;
        })()
        """
}
