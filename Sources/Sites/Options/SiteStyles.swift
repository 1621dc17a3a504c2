package import Documents
import FetchCache
import Files
import Locks
package import StyleSizing

/// The style sheets of a site, as far as they decide the size of images.
///
/// They are read when the first page needs them. Their digest is known before, from the status that
/// each file had in the last bake, so a bake of an unchanged site opens none of them.
package struct SiteStyles: Sendable {
    private struct Files {
        /// By their paths relative to the site.
        var sheets: [String: SizingRules] = [:]
        /// Style sheets of other hosts that are made local, by their URLs.
        var remote: [String: (base: String, rules: SizingRules)] = [:]
        /// That of ``SiteStyles/headers``.
        var policy = ContentPolicy()
    }

    /// What was read; nil before.
    private let files: Locked<Files?>
    /// The digest of each style sheet and of the headers, by its path.
    private let digests: [String: String]
    private let root: String
    /// The URLs of the style sheets of other hosts that a page is linked to and that are made local.
    package var remote: Set<String> = []

    /// The file with the headers that Netlify and Cloudflare Pages send.
    private static let headers = "_headers"
    /// The largest style sheet that is read, in bytes.
    private static let largestSheet = 16 << 20

    /// Style sheets that are known already.
    init(sheets: [String: SizingRules]) {
        (files, digests, root) = (Locked(Files(sheets: sheets)), [:], "")
    }

    /// - Parameters:
    ///   - files: The files of the site.
    ///   - site: The site.
    ///   - known: The digests of the last bake. A file that cannot be read has none.
    init(_ files: [SiteFile], of site: Site, _ known: inout SiteMemory) {
        var digests: [String: String] = [:]
        for file in files
        where file.role != .link
            && (file.path.lowercased().hasSuffix(".css") || file.path == Self.headers)
        {
            digests[file.path] = known.value(\.sheet, of: file.path, in: site) {
                Self.bytes(of: site.path(file.path)).map { BlobDigest(hashing: $0).hex }
            }
        }
        (self.files, self.digests, root) = (Locked(nil), digests, site.root)
    }

    /// Reads the style sheets, unless they have been read.
    ///
    /// In place, a bake changes style sheets too, so they must be read before the first change. One
    /// that another program has just changed is not known in this bake.
    package func load() {
        if files.withLock({ $0 != nil }) { return }
        var read = Files()
        for (path, digest) in digests {
            guard let bytes = Self.bytes(of: root + "/" + path),
                BlobDigest(hashing: bytes).hex == digest
            else { continue }
            if path == Self.headers {
                read.policy = ContentPolicy(headersFile: String(decoding: bytes, as: UTF8.self))
            } else {
                read.sheets[path] = SizingRules(bytes)
            }
        }
        files.withLock { [read] in $0 = $0 ?? read }
    }

    /// Takes a style sheet of another host that is made local.
    ///
    /// - Parameters:
    ///   - url: Its URL.
    ///   - base: The URL from which its own URLs start.
    ///   - bytes: Its text.
    package func learn(_ url: String, from base: String, _ bytes: [UInt8]) {
        load()
        if files.withLock({ $0?.remote[url] != nil }) { return }
        let rules = SizingRules(bytes)
        files.withLock { $0?.remote[url] = (base, rules) }
    }

    private static func bytes(of path: String) -> [UInt8]? {
        try? readFile(path, limit: largestSheet).bytes
    }

    /// The style sheets of a page.
    package enum PageRules {
        case known([SizingRules])
        /// One of them is missing or of another host.
        case unknown
        case tooComplex
    }

    /// All rules that count on a page.
    package func rules(of page: PageStyles, _ resolver: URLResolver) -> PageRules {
        load()
        let (sheets, known) = files.withLock { ($0?.sheets ?? [:], $0?.remote ?? [:]) }
        // What a page of its own names: others are made local at any time, or not at all.
        var remote = remote
        var rules = page.rules
        func conditional(_ urls: [String]) -> [SheetLink] {
            urls.map { SheetLink(url: $0, isUnconditional: false) }
        }
        var waiting = page.links.map { ($0, resolver) }
        waiting += conditional(page.rules.flatMap(\.imports)).map { ($0, resolver) }
        var seen: Set<String> = []
        while let (link, resolver) = waiting.popLast() {
            let url = link.url
            switch resolver.resolve(url) {
            case .local(let path):
                // That of a bake decides about nothing else; see ``SizingRules/mayNoticeClasses``.
                if !seen.insert(path).inserted || path.hasSuffix(AddedSheet.fileName) { continue }
                guard let sheet = sheets[path] else { return .unknown }
                rules.append(link.isUnconditional ? sheet : sheet.ifApplied)
                let own = URLResolver(document: path, address: resolver.address)
                waiting += conditional(sheet.imports).map { ($0, own) }
            case .remote(let url) where remote.contains(url) && known[url] != nil:
                guard let sheet = known[url], seen.insert(url).inserted else { continue }
                rules.append(link.isUnconditional ? sheet.rules : sheet.rules.ifApplied)
                let own = URLResolver(
                    document: "", baseHref: sheet.base, address: resolver.address)
                let imports = conditional(sheet.rules.imports)
                for case .remote(let url) in imports.map({ own.resolve($0.url) }) {
                    remote.insert(url)
                }
                waiting += imports.map { ($0, own) }
            case .remote(let url) where Self.hasFontsOnly(url): continue
            case .nothing where url.isEmpty: continue
            case .remote, .nothing, .malformed: return .unknown
            }
        }
        return rules.contains(where: \.isTooComplex) ? .tooComplex : .known(rules)
    }

    /// The policy of a page, with that of the site.
    package func policy(of page: PageStyles) -> ContentPolicy {
        load()
        var policy = page.policy
        policy.add(files.withLock { $0?.policy ?? ContentPolicy() })
        return policy
    }

    /// Whether a style sheet of another host declares fonts and nothing else.
    package static func hasFontsOnly(_ url: String) -> Bool {
        ["fonts.googleapis.com", "fonts.bunny.net", "use.typekit.net"].contains {
            url.hasPrefix("https://\($0)/")
        }
    }
}

extension SiteStyles: Encodable {
    /// Changes with each byte of a style sheet.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(digests)
    }
}
