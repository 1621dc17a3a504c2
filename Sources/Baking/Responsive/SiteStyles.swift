import Documents
import FetchCache
import Files

/// The style sheets of a site, as far as they decide the size of images.
package struct SiteStyles: Sendable {
    /// By the path of the file, relative to the site.
    let sheets: [String: SizingRules]
    /// Changes with each byte of a style sheet.
    private let digest: String

    /// The largest style sheet that is read, in bytes.
    private static let largestSheet = 16 << 20

    init(sheets: [String: SizingRules], digest: String = "") {
        self.sheets = sheets
        self.digest = digest
    }

    /// Reads the style sheets; one that cannot be read is missing.
    init(_ files: [SiteFile], of site: Site) {
        var sheets: [String: SizingRules] = [:]
        var parts: [String] = []
        for file in files where file.role != .link && file.path.lowercased().hasSuffix(".css") {
            guard let bytes = try? readFile(site.path(file.path), limit: Self.largestSheet).0 else {
                continue
            }
            sheets[file.path] = SizingRules(bytes)
            parts += [file.path, BlobDigest(hashing: bytes).hex]
        }
        self.init(
            sheets: sheets,
            digest: BlobDigest(hashing: Array(parts.joined(separator: "\n").utf8)).hex)
    }

    /// All rules that count on a page; nil if one of its style sheets is not known.
    func rules(of page: PageStyles, _ resolver: URLResolver) -> [SizingRules]? {
        var rules = page.rules
        var waiting = page.links.map { ($0, resolver) }
        waiting += page.rules.flatMap(\.imports).map { ($0, resolver) }
        var seen: Set<String> = []
        while let (url, resolver) = waiting.popLast() {
            switch resolver.resolve(url) {
            case .local(let path):
                if !seen.insert(path).inserted { continue }
                guard let sheet = sheets[path] else { return nil }
                rules.append(sheet)
                let own = URLResolver(document: path, address: resolver.address)
                waiting += sheet.imports.map { ($0, own) }
            case .remote(let url) where Self.hasFontsOnly(url): continue
            case .nothing where url.isEmpty: continue
            case .remote, .nothing, .malformed: return nil
            }
        }
        return rules.contains(where: \.isTooComplex) ? nil : rules
    }

    /// Whether a style sheet of another host declares fonts and nothing else.
    private static func hasFontsOnly(_ url: String) -> Bool {
        ["https://fonts.googleapis.com/", "https://fonts.bunny.net/"].contains(where: url.hasPrefix)
    }
}

extension SiteStyles: Encodable {
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(digest)
    }
}
