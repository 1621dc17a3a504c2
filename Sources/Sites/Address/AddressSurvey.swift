import Documents
import FetchCache
import Files
package import Reports

/// Finds the URL at which a built site is published, from what the site says about itself.
///
/// These are the configuration of the generator beside the site, canonical links, `og:url`, feeds
/// and sitemaps. The URL is known if all that are found agree.
///
/// A URL counts only if it ends as the path of its page does, because an article may name its
/// original on another site.
struct AddressSurvey {
    /// The URLs that were found, each with the places that give it, in the order of discovery.
    private(set) var found: [(address: SiteAddress, places: [String])] = []

    /// The maximum number of pages that are read; of more, this many are read at even distances.
    private static let mostPages = 256
    /// A page has its links in its head; a sitemap begins with the home page.
    private static let headBytes = 1 << 16

    /// - Parameters:
    ///   - files: The files of the site.
    ///   - site: The site, without a layout.
    ///   - known: What the last bake read.
    init(
        _ files: [SiteFile], of site: Site, _ known: inout SiteMemory
    ) {
        let finder = LayoutFinder(root: site.root, displayName: site.displayRoot)
        if let (file, known) = finder.addressOfOutput(),
            let address = known.siteURL.flatMap({ SiteAddress($0) })
        {
            add(address, file)
        }
        let pages = files.filter { $0.role == .document(.html) }
        for page in evenly(pages, Self.mostPages) { read(page.path, .html, of: site, &known) }
        let others = files.filter { $0.role == .document(.xml) && !$0.path.contains("/") }
        for file in evenly(others, Self.mostPages) { read(file.path, .xml, of: site, &known) }
    }

    /// The URL, if everything agrees; nil if nothing was found or several URLs were.
    var address: SiteAddress? { found.count == 1 ? found[0].address : nil }

    /// One line about the result; nil if nothing was found.
    var note: Problem? {
        guard let first = found.first else { return nil }
        guard found.count > 1 else {
            return Problem(
                .siteURL,
                "this site is published at \(first.address.url), by \(listed(first.places)); "
                    + "--site-url none ignores that", remedy: "")
        }
        let claims = found.prefix(3).map { "\($0.address.url) (\(listed($0.places)))" }
        return Problem(
            .siteURL,
            "the URL of this site is not clear: \(claims.joined(separator: ", ")); "
                + "give the right one with --site-url", remedy: "")
    }

    private func evenly(_ files: [SiteFile], _ limit: Int) -> [SiteFile] {
        guard files.count > limit else { return files }
        return (0..<limit).map { files[$0 * files.count / limit] }
    }

    private mutating func read(
        _ path: String, _ kind: DocumentKind, of site: Site,
        _ known: inout SiteMemory
    ) {
        let claims = known.value(\.addresses, of: path, in: site) {
            guard let file = try? OpenFile(reading: site.path(path)),
                let bytes = try? file.read(atMost: Self.headBytes)
            else { return nil }
            return Self.claims(in: ownURLs(bytes, kind: kind), page: path)
        }
        for claim in claims ?? [] { SiteAddress(claim.url).map { add($0, claim.place) } }
    }

    private static func claims(in urls: OwnURLs, page path: String) -> [AddressClaim] {
        let addresses = [
            (urls.canonical.flatMap { address(of: $0, page: path) }, "canonical links"),
            (urls.social.flatMap { address(of: $0, page: path) }, "og:url"),
            (urls.feed.flatMap { address(of: $0, page: path) }, path),
            (home(of: urls.locations), path),
        ]
        return addresses.compactMap { address, place in
            address.map { AddressClaim(url: $0.url, place: place) }
        }
    }

    private mutating func add(_ address: SiteAddress, _ place: String) {
        // A development server writes its own address into the pages.
        guard !address.isLoopback else { return }
        let index = found.firstIndex { $0.address.rest(of: address.url) == "" } ?? found.count
        if index == found.count { found.append((address, [])) }
        // A server that has both leads from http to https.
        if address.scheme == "https" { found[index].address = address }
        if !found[index].places.contains(place) { found[index].places.append(place) }
    }

    /// The URL of the site that has a page at `url`; nil if the URL is not one of that page.
    ///
    /// A page may give the URL of another one, for example of the original of an article.
    static func address(of url: String, page path: String) -> SiteAddress? {
        guard let url = try? FetchManager.normalized(url: url) else { return nil }
        for ending in endings(of: path) where url.hasSuffix("/" + ending) {
            var base = url.dropLast(ending.count)
            // Generators that join an address and a path may write two slashes.
            while base.hasSuffix("//") { base.removeLast() }
            return SiteAddress(String(base))
        }
        return nil
    }

    /// The ends that the URL of a page may have, the longest first.
    private static func endings(of path: String) -> [String] {
        let path = urlPath(path)
        if path == "index.html" { return [path, ""] }
        if path.hasSuffix("/index.html") {
            let folder = path.dropLast("/index.html".count)
            return [path, folder + "/", String(folder)]
        }
        guard path.hasSuffix(".html") else { return [path] }
        let stem = path.dropLast(".html".count)
        return [path, stem + "/", String(stem)]
    }

    /// The URL that all others in a sitemap begin with.
    private static func home(of locations: [String]) -> SiteAddress? {
        guard let shortest = locations.min(by: { $0.utf8.count < $1.utf8.count }),
            locations.count > 1, shortest.hasSuffix("/"),
            locations.allSatisfy({ $0.hasPrefix(shortest) })
        else { return nil }
        return SiteAddress(shortest)
    }
}

/// The address that a page gives its site.
struct AddressClaim: Codable, Equatable, Sendable {
    var url: String
    /// The kind of place that gives it.
    var place: String
}

extension Site {
    /// Completes the options with what documents of the scan say: the style sheets that decide sizes,
    /// and the URL of a built site.
    ///
    /// - Parameters:
    ///   - scan: The result of the scan.
    ///   - known: What the last bake read.
    /// - Returns: The messages about the URL, the files that could not be read, and the layout.
    package mutating func complete(
        with scan: SiteScan.Result, _ known: inout SiteMemory
    ) -> [Diagnostic] {
        if reading.describesImages, reading.layout == nil {
            reading.styles = SiteStyles(scan.files, of: self, &known)
        }
        var notes: [Diagnostic] = []
        if reading.address == nil, reading.layout == nil, reading.infersAddress {
            let survey = AddressSurvey(scan.files, of: self, &known)
            reading.address = survey.address
            notes = survey.note.map { [Diagnostic($0, .note)] } ?? []
        }
        return notes + scan.diagnostics + reading.layoutWarnings
    }

    /// Completes the options with what documents of the scan say; each page is read.
    package mutating func complete(with scan: SiteScan.Result) -> [Diagnostic] {
        var known = SiteMemory()
        return complete(with: scan, &known)
    }
}

extension SiteAddress {
    /// Whether the host is this machine.
    fileprivate var isLoopback: Bool {
        guard let host = hostName(url).map({ $0.prefix { $0 != ":" } }) else { return false }
        return host == "localhost" || host.hasSuffix(".localhost") || host.hasPrefix("127.")
            || host == "0.0.0.0" || url.hasPrefix("\(scheme)://[::1]")
    }
}
