import Documents
package import Reports

/// The folders of a generator's documents and static files, and the URLs of the static files.
///
/// Folders are relative to the project, with `/` between their parts; the project itself is "".
package struct SiteLayout: Codable, Hashable, Sendable {
    /// A folder whose documents are read.
    struct Area: Codable, Hashable, Sendable {
        enum Role: Codable, Hashable, Sendable {
            /// Every document becomes a page or is built.
            case pages
            /// Markdown becomes pages; other files are published as they are, at the same path.
            case pagesAndFiles
            /// Markdown becomes pages; other files are not read.
            case markdown
            /// Files are published as they are, below this path in the site.
            case files(at: String)
            /// Templates for pages.
            case templates
        }

        var folder: String
        var role: Role
    }

    /// The place of the page that the generator makes of a document.
    enum PageNaming: String, Codable, Sendable {
        /// Next to the document's path: `a/b.md` becomes `a/b.html`.
        case files
        /// In a separate folder: `a/b.md` becomes `a/b/index.html`.
        case folders
    }

    package var generator: Generator.Name
    /// The configuration that was found, relative to the project; nil if there is none.
    package var configuration: String?
    /// The input folder.
    package var part = ""
    var areas: [Area]
    /// Folders of the generator's output or of other programs: neither read nor copied.
    var builtFolders: [String] = []
    /// Documents of the areas that are not read.
    var leftFiles: [String] = []
    /// The image folder.
    package var imageDirectory: String
    /// The image folder's path in the site; nil if its files are not published directly.
    package var publishedDirectory: String?
    var pages = PageNaming.files
    /// The address of the site; for a site of ``languages``, that of no page.
    var address: Address
    /// The languages, if each has its own address.
    package var languages: [Language] = []
    /// The language of documents whose names tell none.
    var mainLanguage = ""
    /// The known facts about the consumers of URLs.
    var facts: Facts = []
    /// The known facts about the consumers of values.
    ///
    /// They are listed by the last part of the value's key, or by `include FILE PARAMETER`. About
    /// all others, nothing is known.
    var valueFacts: [String: Facts] = [:]
    /// The folder that URLs in the style ``URLStyle/fromSource`` start from.
    var sourceFolder = ""
    /// The pages that include a document, by the document's path.
    var includers: [String: [String]] = [:]
    /// The files outside of the project that its documents include.
    var outerIncludes: [String] = []
    /// More pages, by their paths in the site, that show a document.
    var copies: [String: [String]] = [:]
    /// Folders of documents whose pages have URLs that are not known.
    var movedFolders: [String] = []
    /// Whether not all documents could be searched for includes.
    var isUncertain = false
    /// Shortcodes and similar constructs that name images.
    var shortcodes: [ShortcodeRule] = []
    /// The features of its Markdown beyond CommonMark; nil if they are not known.
    var dialect: MarkdownDialect?
    /// More folders of documents that are useful only within the project, besides those of the
    /// areas.
    var parts: [String] = []
    /// The user's choice of the form of URLs.
    var urlChoice = URLChoice.automatic
    /// Warnings: actions for the user, and facts to know.
    var warnings: [Problem] = []

    /// The area that a file of the project belongs to; the innermost folder counts.
    func area(of path: String) -> Area? {
        let areas = areas.filter { isBelow(path, $0.folder) }
        return areas.max { $0.folder.utf8.count < $1.folder.utf8.count }
    }

    /// Whether a file is neither read nor copied.
    func isBuilt(_ path: String) -> Bool { builtFolders.contains { isAt(path, $0) } }

    /// Whether a document is read for references.
    func reads(_ path: String, _ kind: DocumentKind) -> Bool {
        if leftFiles.contains(where: { isAt(path, $0) }) { return false }
        if kind.isMarkdown, includers[path] != nil { return true }
        guard let area = area(of: path) else { return false }
        return area.role != .markdown || kind.isMarkdown
    }

    /// The path in the site of a file that is published as it is; nil if it is not, or not known to
    /// be.
    func published(_ path: String) -> String? {
        guard let area = area(of: path), let rest = rest(of: path, in: area.folder) else {
            return nil
        }
        switch area.role {
        case .files(let place): return joined(place, rest)
        case .pagesAndFiles: return rest
        case .pages: return generator == .hugo || generator == .jekyll ? rest : nil
        case .markdown, .templates: return nil
        }
    }

    /// Whether the generator needs a hidden file or folder of the input, since it is the
    /// configuration.
    func needsHidden(_ path: String) -> Bool {
        part.isEmpty && configuration.map { isAt($0, path) } == true || path == ".eleventyignore"
    }

    /// The folders of documents that are useful only within the project.
    var allParts: [String] { parts + areas.map(\.folder).filter { !$0.isEmpty } }

    /// Adds the role of a folder, unless it already has one.
    mutating func add(_ folder: String, _ role: Area.Role) {
        guard !areas.contains(where: { $0.folder == folder }) else { return }
        areas.append(Area(folder: folder, role: role))
    }
}

extension DocumentKind {
    var isMarkdown: Bool { self == .markdown || self == .mdx }
}

extension DocumentProblem.Reason {
    /// The reason as a problem of a document of a project, whose generator decides the remedy.
    package func problem(in layout: SiteLayout?) -> Problem {
        guard self == .markdownInHTML, let layout, let dialect = layout.dialect else {
            return problem
        }
        let remedy =
            layout.generator == .mkdocs && !dialect.contains(.markdownInHTML)
            ? "add md_in_html to markdown_extensions in mkdocs.yml" : "bake the built site"
        return Problem(.markdownInHTML, description, remedy: remedy)
    }
}

extension SiteLayout {
    /// Finds the documents that others include, and who includes them.
    ///
    /// - Parameters:
    ///   - syntax: The syntax of the generator.
    ///   - source: The project.
    ///   - folder: The folder of the documents.
    ///   - bases: The folders that paths start from; nil if they start from the including document.
    ///   - everywhere: Paths of documents that every page includes.
    mutating func addIncludes(
        _ syntax: IncludeSyntax, of source: LayoutSource, in folder: String,
        bases: [String]? = nil, everywhere: [String] = []
    ) {
        var text = ProjectText(root: source.root, skipped: builtFolders)
        var graph: [String: [String]] = [:]
        var documents: [String] = []
        func file(_ path: String, from document: String) -> String? {
            let own =
                path.hasPrefix("/")
                ? folder : pathParts(document).dropLast().joined(separator: "/")
            let files = (bases ?? [own]).map { plainPath(joined($0, path)) }
            guard let file = files.first(where: source.hasFile) else { return nil }
            guard isBelow(file, "..") else { return file }
            if !outerIncludes.contains(file) { outerIncludes.append(file) }
            return nil
        }
        func add(_ path: String, _ bytes: [UInt8]) {
            for name in syntax.paths(in: bytes) {
                if let target = file(name, from: path) { graph[target, default: []].append(path) }
            }
        }
        text.forEach(below: folder, endings: ["md", "markdown", "rst"]) { path, bytes in
            documents.append(path)
            add(path, bytes)
        }
        for name in everywhere {
            if let target = file(name, from: "") { graph[target, default: []] += documents }
        }
        // An included document outside of the folder may include others.
        var queue = graph.keys.filter { !isBelow($0, folder) }.sorted()
        var known = Set(queue)
        while let path = queue.popLast() {
            if let bytes = text.text(path) { add(path, bytes) }
            for new in graph.keys where !isBelow(new, folder) && known.insert(new).inserted {
                queue.append(new)
            }
        }
        isUncertain = !text.isComplete
        var steps = 0
        for (target, direct) in graph {
            includers[target] = pages(including: direct, graph, folder, &steps)
        }
    }

    /// Together for all documents, so that a chain of includes takes no quadratic time.
    private static let mostSteps = 5_000_000

    /// The pages that include a document, also by way of other documents.
    private mutating func pages(
        including direct: [String], _ graph: [String: [String]], _ folder: String,
        _ steps: inout Int
    ) -> [String] {
        var seen = Set(direct)
        var queue = Array(seen)
        while let path = queue.popLast() {
            steps += 1
            if steps > Self.mostSteps {
                isUncertain = true
                return []
            }
            for next in graph[path] ?? [] where seen.insert(next).inserted { queue.append(next) }
        }
        return seen.filter { isBelow($0, folder) }.sorted()
    }
}

extension SiteLayout {
    /// The ways to write the URL of an image in a project, the best first.
    ///
    /// Of several that are right, the first is written.
    enum URLStyle: String, Codable, Sendable, CaseIterable {
        /// Relative to the document's own file: the generator resolves the path.
        case fromFile
        /// Relative to the page that the generator makes of the document.
        case fromPage
        /// From the folder of the sources: `/_static/imgbake/x.webp`, resolved by the generator.
        case fromSource
        /// From the root of the site: the generator adds the base path.
        case fromSite
        /// Like ``fromSite`` without the leading slash, for templates that expect no slash.
        case fromSiteWithoutSlash
        /// From the root of the host, with the base path: `/blog/imgbake/x.webp`.
        case fromHost
        /// The whole URL, with the address of the site.
        case absolute
    }

    /// Facts about the resolution of URLs, from the configuration, the templates and the text of a
    /// project.
    struct Facts: OptionSet, Codable, Hashable, Sendable {
        let rawValue: Int

        /// The generator adds the base path to URLs of pages that begin with a slash.
        static let addsBase = Facts(rawValue: 1)
        /// The project has a feed with the content of its pages.
        static let hasFeed = Facts(rawValue: 2)
        /// A template of a feed prints values of front matter.
        static let feedPrintsValues = Facts(rawValue: 4)
        /// A template of a feed edits the content of pages.
        static let feedEditsContent = Facts(rawValue: 8)
        /// A template fetches the images of Markdown by their URLs.
        static let fetchesMarkdown = Facts(rawValue: 16)
        /// A template fetches the images of front matter by their URLs.
        static let fetchesValues = Facts(rawValue: 32)
        /// Markdown resolves a URL that begins with a slash from the folder of the sources.
        static let sourceRoot = Facts(rawValue: 64)
        /// The generator makes URLs that begin with a slash relative to the page or to the feed.
        static let relativizes = Facts(rawValue: 128)

        /// A template prints the value into a `<meta>` for social networks, which need the whole URL
        /// of an image with the format and size that the template states.
        static let printedInMeta = Facts(rawValue: 256)

        /// A template prints the value as it is.
        static let printed = Facts(rawValue: 1 << 16)
        /// A template prints the value through a filter that adds the base path.
        static let filtered = Facts(rawValue: 2 << 16)
        /// A template prints the value after the base path.
        static let prefixed = Facts(rawValue: 4 << 16)
        /// The use of the value in templates is not known.
        static let unknown = Facts(rawValue: 8 << 16)
    }

    /// The address of a site, or of one of its languages.
    package struct Address: Codable, Hashable, Sendable {
        /// The path of the site's root on its host, with a slash at both ends; nil if it is unknown.
        package var basePath: String?
        /// The URL of the site, if it is known.
        package var siteURL: String?
    }

    /// A language of a site that has an address for each language.
    package struct Language: Codable, Hashable, Sendable {
        var name: String
        /// The folder of its documents; nil if the names of documents tell their language.
        var folder: String?
        var address: Address
    }
}
