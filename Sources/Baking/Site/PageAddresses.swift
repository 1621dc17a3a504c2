import FetchCache
import Files

/// What single pages say about the address of their site, remembered between bakes.
///
/// A page is read again when its status has changed.
struct PageAddresses {
    /// What a page says.
    struct Page: Equatable {
        var file: FileMark
        /// The address that it gives the site, each time it gives one, and the kind of place.
        var claims: [(url: String, place: String)]

        static func == (a: Page, b: Page) -> Bool {
            a.file == b.file && a.claims.elementsEqual(b.claims, by: ==)
        }
    }

    private static let namespace = "addresses"

    /// Nil if nothing is remembered.
    private let values: BuildValues?
    private let root: String
    /// The pages of the last bake, by their paths.
    private let known: [String: Page]
    /// The pages of this bake.
    private var pages: [String: Page] = [:]

    /// Remembers nothing.
    init() {
        (values, root, known) = (nil, "", [:])
    }

    /// Reads what the last bake of a site has found; nothing if it is damaged or of another build.
    init(root: String, cache: FetchManager) async {
        let values = BuildValues(name: Self.namespace, cache: cache)
        (self.values, self.root) = (values, root)
        let build = await ProgramBuild.digest(of: ProgramBuild.command, in: cache)
        let bytes = try? await values.value(for: root, of: build)
        known = bytes.map { Self.pages(in: RowReader($0)) } ?? [:]
    }

    /// What a page says; nil if it has to be read.
    mutating func claims(of path: String, _ status: FileStatus) -> [(url: String, place: String)]? {
        guard let page = known[path], page.file == FileMark(status) else { return nil }
        pages[path] = page
        return page.claims
    }

    /// Notes what a page says that was read with a status.
    mutating func note(_ claims: [(url: String, place: String)], of path: String, _ file: FileMark)
    {
        pages[path] = Page(file: file, claims: claims)
    }

    /// Remembers the pages for the next bake.
    ///
    /// A failure is not an error; the next bake then reads the pages again.
    func save() async {
        guard let values else { return }
        if pages == known { return values.use(root) }
        var writer = RowWriter()
        for (path, page) in pages {
            writer.add(path)
            page.file.write(to: &writer)
            writer.add(Int64(page.claims.count))
            for claim in page.claims {
                writer.add(claim.url)
                writer.add(claim.place)
            }
        }
        let build = await ProgramBuild.digest(of: ProgramBuild.command, in: values.cache)
        try? await values.set(writer.bytes, for: root, of: build)
    }

    private static func pages(in reader: RowReader) -> [String: Page] {
        var reader = reader
        var pages: [String: Page] = [:]
        while let path = reader.text(), let file = FileMark(from: &reader),
            let count = reader.number()
        {
            var page = Page(file: file, claims: [])
            for _ in 0..<max(0, count) {
                guard let url = reader.text(), let place = reader.text() else { return pages }
                page.claims.append((url, place))
            }
            pages[path] = page
        }
        return pages
    }
}
