package import Documents
import Files

/// What scripts and data of a built site may name locally: what its documents load.
///
/// Frameworks show a page again from their scripts and data when a visitor navigates.
package struct SiteData: Encodable, Sendable {
    /// The cache keys of the images of other hosts that documents load.
    package let images: Set<String>
    /// The cache keys of images, scripts and style sheets whose URLs scripts compare or take apart.
    package private(set) var examined: Set<String> = []
    /// The files whose bytes a page or a service worker states, relative to the site.
    package var fixedFiles: Set<String>
    /// Whether scripts put something before a URL without a host, as NuxtImg does with `/_ipx/`.
    package private(set) var prefixesPaths = false
    /// Whether scripts put the base path of the site before a path, as VitePress and VuePress do for
    /// the images of their themes.
    package private(set) var prefixesBase = false

    /// Whether pages request files of the site below a path of the host that is not a folder of the
    /// site.
    package private(set) var isBelowPath = false

    /// The largest script that is searched, in bytes.
    private static let largestScript = 16 << 20

    /// The folders of other hosts below which documents load images, as URLs.
    ///
    /// A script that has one of them may join it with the paths of images.
    package let folders: Set<String>

    package init(images: Set<String>, fixedFiles: Set<String>) {
        (self.images, self.fixedFiles) = (images, fixedFiles)
        folders = Set(
            images.flatMap { url in
                let path = url.prefix { $0 != "?" && $0 != "#" }
                // The third slash is that before the path.
                return path.indices.filter { path[$0] == "/" }.dropFirst(3)
                    .map { String(path[...$0]) }
            })
    }

    // A set has no order, and a key of results is derived from this.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for names in [images, examined, fixedFiles] { try container.encode(names.sorted()) }
        for fact in [prefixesPaths, prefixesBase, isBelowPath] { try container.encode(fact) }
    }

    /// Learns from the files that pages request by paths from the root of the host whether the site
    /// begins below it: none is there, and one is if a part of its path is left out.
    package mutating func learnPath(from requested: Set<String>, in files: [SiteFile]) {
        let files = Set(files.map(\.path))
        guard requested.isDisjoint(with: files) else { return }
        isBelowPath = requested.contains { path in
            let steps = path.split(separator: "/")
            return steps.indices.dropFirst().contains {
                files.contains(steps[$0...].joined(separator: "/"))
            }
        }
    }

    /// Adds what the scripts of a site say about how they use URLs, and which files they have the
    /// revisions of.
    package mutating func read(scriptsOf site: Site, in files: [SiteFile]) {
        let others = files.filter {
            DocumentKind(fileExtension: fileEnding($0.path), readsData: true) != nil
        }.map(\.path)
        let resolver = URLResolver(document: "index.html", address: site.reading.address)
        for file in others {
            let bytes = try? readFile(site.path(file), limit: Self.largestScript).bytes
            guard let bytes else { continue }
            for url in examinedURLs(in: bytes) {
                guard case .remote(let key) = resolver.resolve(url),
                    images.contains(key) || Self.role(ofFileAt: key) != nil
                else { continue }
                examined.insert(key)
            }
            guard ["js", "mjs"].contains(fileEnding(file)) else { continue }
            if bytes.contains("/_ipx") { prefixesPaths = true }
            // How they find out that a URL is none of the site.
            if ["^(?:[a-z]+:|\\/\\/)/i", "^(https?:)?\\/\\//"].contains(where: bytes.contains) {
                prefixesBase = true
            }
            let revisions = bytes.places(of: "revision").map { place in
                // The list of Workbox: {url:"a.js",revision:"1"}, in any order.
                let start = bytes[..<place].lastIndex(of: UInt8(ascii: "{")) ?? 0
                let end = bytes[place...].firstIndex(of: UInt8(ascii: "}")) ?? bytes.count
                return Array(bytes[start..<end])
            }.filter { !$0.contains(":null") }
            if revisions.isEmpty { continue }
            for file in others where revisions.contains(where: { $0.names(file) }) {
                fixedFiles.insert(file)
            }
        }
    }

    /// The role of a file that data names; nil if it stays where it is.
    package func role(of url: String, _ reading: ReadingOptions) -> Reference.Role? {
        if examined.contains(url) { return nil }
        if images.contains(url) { return reading.others.data ? .content : nil }
        return Self.role(ofFileAt: url).flatMap { reading.others.roles.contains($0) ? $0 : nil }
    }

    /// The role of a file that is no image, by the extension of its URL.
    private static func role(ofFileAt url: String) -> Reference.Role? {
        let path = url.prefix { $0 != "?" && $0 != "#" }
        if path.hasSuffix(".js") || path.hasSuffix(".mjs") { return .script }
        return path.hasSuffix(".css") ? .style : nil
    }
}

extension [UInt8] {
    /// Where a text is in these bytes; a sequence that is searched as far as it is read.
    fileprivate func places(of text: String) -> some Sequence<Int> {
        let text = Array(text.utf8)
        return indices.lazy.filter { self[$0] == text[0] && self[$0...].starts(with: text) }
    }

    /// Whether a text is in these bytes.
    package func contains(_ text: String) -> Bool { places(of: text).contains { _ in true } }

    /// Whether a text in quotes is the path of a file, with or without something before it.
    fileprivate func names(_ file: String) -> Bool {
        ["\"", "'"].contains { quote in
            ["/", "\"", "'"].contains { contains($0 + file + quote) }
        }
    }
}
