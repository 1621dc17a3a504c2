import Documents
import FetchCache
import Files
import Pages
package import Reports
package import Sites
import URLs

/// A built site whose images are to be measured.
///
/// Its pages are read by the same code as in a bake, so both give an image the same place. A page
/// that the browser shows has the number of its place as an attribute of each image.
package struct MeasuredSite: Sendable {
    /// A page with images.
    package struct Page: Sendable {
        /// Relative to the folder.
        package var path: String
        /// The numbers of the places of its images, each once, in ascending order.
        package var places: [Int]
    }

    private let site: Site
    private let origins: SiteOrigins
    /// The pages with images, in the order of their paths.
    package let pages: [Page]
    /// The places; a place is named by its number.
    package let places: [String]
    /// The number of images in each place, by the number of the place.
    package let counts: [Int]
    /// The number of documents.
    package let documents: Int
    private let numbers: [String: Int]
    /// The address under which the browser gets the site, so that its absolute URLs hold.
    private let address: SiteAddress

    /// The attribute of an image with the number of its place.
    package static let attribute = "data-imgbake-place"

    /// Reads the pages of a folder.
    ///
    /// - Parameters:
    ///   - input: The folder.
    ///   - tell: Called with a diagnostic for each file that cannot be read.
    /// - Throws: ``BakeError`` if it is not a folder of built pages, or has no image to measure;
    ///   `CancellationError`.
    package init(
        _ input: SiteInput, tell: (Diagnostic) -> Void
    ) async throws {
        var input = input
        let name = input.displayName
        input.reading.responsive.isOn = true
        var site = try input.site()
        let scan = try site.scan(without: input.skipped)
        site.complete(with: scan).forEach(tell)
        guard site.reading.layout == nil else {
            throw BakeError(
                "\(name) is a project: build it, and measure the folder of the built pages")
        }
        let files = scan.files.filter { $0.role == .document(.html) }
        guard !files.isEmpty else {
            throw BakeError(
                "there is no HTML page in \(name): build the site, and measure the built pages")
        }
        let origins = SiteOrigins.undoingAll(in: site)
        var pages: [Page] = []
        var numbers: [String: Int] = [:]
        var counts: [Int] = []
        var places: [String] = []
        try await inOrder(files) { [site] file in
            try site.places(of: file.path, origins)
        } each: { file, result in
            let found: [String]
            do {
                found = try result.get()
            } catch let error as FileError {
                tell(Diagnostic(error.problem, .warning, at: .init(site.name(file.path))))
                return
            }
            var own: Set<Int> = []
            for place in found {
                if numbers[place] == nil {
                    guard places.count < SizesFile.mostGroups else { continue }
                    numbers[place] = places.count
                    places.append(place)
                    counts.append(0)
                }
                guard let number = numbers[place] else { continue }
                counts[number] += 1
                own.insert(number)
            }
            if !own.isEmpty { pages.append(Page(path: file.path, places: own.sorted())) }
        }
        guard !pages.isEmpty else {
            throw BakeError(
                "no page of \(name) has an image whose width is to be measured: images with a "
                    + "srcset, or with sizes, have it already")
        }
        self.site = site
        self.origins = origins
        // Browsers trust this machine as they trust https.
        guard let address = site.reading.address ?? SiteAddress("http://localhost/") else {
            throw BakeError("the URL of the site cannot be read")
        }
        self.address = address
        self.pages = pages
        self.places = places
        self.counts = counts
        self.numbers = numbers
        documents = files.count
    }

    /// The name of a page in messages.
    package func name(of path: String) -> String { site.name(path) }

    /// The URL of a file.
    package func url(of path: String) -> String { address.url(of: path) }

    /// What a URL names.
    package enum File: Sendable {
        case content([UInt8], path: String)
        /// A folder; its own URL has a slash at its end.
        case folder
        /// A file of another host, with its cache key.
        case remote(String)
        case missing
    }

    /// The size of the largest file that a browser gets, in bytes.
    private static let largestFile = 48 << 20

    /// Reads the file that a URL names; pages get the numbers of the places of their images.
    package func file(at url: String) -> File {
        guard let normalized = try? FetchManager.normalized(url: url) else { return .missing }
        guard let rest = address.rest(of: normalized) else { return .remote(normalized) }
        let path = percentDecoded(Array(rest.prefix { !"?#".contains($0) }.utf8))
        guard let path = String(validating: path, as: UTF8.self) else { return .missing }
        return file(path, isFolder: path.isEmpty || path.hasSuffix("/"))
    }

    private func file(_ path: String, isFolder: Bool) -> File {
        let steps = path.split(separator: "/", omittingEmptySubsequences: true)
        guard !steps.contains(where: { $0.hasPrefix(".") && $0 != ".well-known" }),
            !path.contains("\0"),
            let resolved = resolvedPath(site.root + "/" + steps.joined(separator: "/")),
            isPath(resolved, within: site.root) || resolved == site.root
        else { return .missing }
        if FileStatus(resolved)?.kind == .folder {
            guard isFolder else { return .folder }
            return file((steps + ["index.html"]).joined(separator: "/"), isFolder: false)
        }
        guard let bytes = try? readFile(resolved, limit: Self.largestFile).bytes else {
            return .missing
        }
        let relative = steps.joined(separator: "/")
        return .content(marked(bytes, relative), path: relative)
    }

    /// The document with the number of its place as an attribute of each image.
    private func marked(_ bytes: [UInt8], _ path: String) -> [UInt8] {
        let bytes = origins.withoutWidths(bytes, path)
        guard let extraction = site.described(bytes, path) else { return bytes }
        return extraction.adding(to: bytes) { element in
            ImagePlace.text(of: element).flatMap { numbers[$0] }.map { "\(Self.attribute)=\($0)" }
        }
    }
}

extension Site {
    /// The references of an HTML document with their elements; nil for another file.
    fileprivate func described(_ bytes: [UInt8], _ path: String) -> Extraction? {
        let end = path.split(separator: ".").last.map(String.init) ?? ""
        guard DocumentKind(fileExtension: end) == .html, bytes.count <= largestDocument else {
            return nil
        }
        return extract(bytes, kind: .html, options: reading.extraction(of: .html))
    }

    /// The places of the images of a page, in its order.
    fileprivate func places(
        of path: String, _ origins: SiteOrigins
    ) throws(FileError) -> [String] {
        let file = try readFile(self.path(path), limit: largestDocument).bytes
        let bytes = origins.withoutWidths(file, path)
        guard let page = described(bytes, path) else { return [] }
        return page.references.compactMap { reference in
            reference.role == .content ? reference.image.flatMap { ImagePlace.text(of: $0) } : nil
        }
    }
}

extension SiteOrigins {
    /// A page without the widths that a bake with `--responsive` has written into it: they are what is
    /// to be measured.
    fileprivate func withoutWidths(_ page: [UInt8], _ path: String) -> [UInt8] {
        guard hasLists, let past = try? past(of: path, .html, page) else { return page }
        return past.edits.filter(\.addsFiles).undone(in: page) ?? page
    }
}
