import Documents

/// Where a generator keeps documents and static files in a project, and which URL a static file gets.
///
/// Folders are relative to the project, with `/` between their parts; the project itself is "".
package struct SiteLayout: Codable, Hashable, Sendable {
    /// How the URL of an image is written, so that the page that the generator makes has it right.
    enum URLStyle: String, Codable, Sendable {
        /// Relative, from the document's own file: the generator follows the path.
        case fromFile
        /// Relative, from the page that the generator makes of the document.
        case fromPage
        /// From the root of the host, with the base path: `/blog/imgbake/x.webp`.
        case fromHost
        /// From the root of the site: the generator puts the base path before it.
        case fromSite
        /// Like ``fromSite`` without the slash at the beginning, for a template that takes it so.
        case fromSiteWithoutSlash
    }

    /// How URLs are written at the kinds of places that there are.
    struct Styles: Codable, Hashable, Sendable {
        /// Markdown images and definitions.
        var markdown: URLStyle
        /// Attributes and CSS in a document's HTML, be it raw HTML in Markdown or a page.
        var html: URLStyle
        /// Values of front matter, for a theme's templates to use.
        var frontMatter: URLStyle
        /// Style sheets that the generator builds.
        var css = URLStyle.fromHost
        /// What a template may show on any page.
        var template = URLStyle.fromHost
    }

    /// A folder whose documents are read.
    struct Area: Codable, Hashable, Sendable {
        enum Role: Codable, Hashable, Sendable {
            /// Every document becomes a page or is built.
            case pages
            /// Markdown becomes pages; other files are published as they are, below the same path.
            case pagesAndFiles
            /// Markdown becomes pages; other files are not read.
            case markdown
            /// Files are published as they are, below this path of the site.
            case files(at: String)
            /// Templates of pages.
            case templates
        }

        var folder: String
        var role: Role
    }

    /// Where the generator puts the page that it makes of a document.
    enum PageNaming: String, Codable, Sendable {
        /// Beside the place of the document: `a/b.md` becomes `a/b.html`.
        case files
        /// In a folder of its own: `a/b.md` becomes `a/b/index.html`.
        case folders
    }

    package var generator: Generator.Name
    /// The configuration that was found, relative to the project; nil if there is none.
    package var configuration: String?
    /// The folder that is baked.
    var part = ""
    var areas: [Area]
    /// Folders that the generator writes or that hold other programs: neither read nor copied.
    var builtFolders: [String] = []
    /// Documents of the areas that are not read.
    var leftFiles: [String] = []
    /// Where images go.
    var imageDirectory: String
    /// Where the site has them; nil if they are published nowhere by themselves.
    var publishedDirectory: String?
    var styles: Styles
    var pages = PageNaming.files
    /// The path of the site's root on its host, with a slash at both ends; nil if it is not known.
    var basePath: String?
    /// Where the site is published, if the configuration says so.
    var siteURL: String?
    /// Shortcodes and the like that name images.
    var shortcodes: [ShortcodeRule] = []
    /// Folders of documents that are of use only within the project, besides those of the areas.
    var parts: [String] = []
    /// Whether the images of a page bundle go beside its page.
    var usesBundles = false
    /// What a user has to do or to know.
    var warnings: [Problem] = []

    /// What is known of the folder in which a file of the project lies; the innermost folder counts.
    func area(of path: String) -> Area? {
        let areas = areas.filter { isBelow(path, $0.folder) }
        return areas.max { $0.folder.utf8.count < $1.folder.utf8.count }
    }

    /// Whether a file is neither read nor copied.
    func isBuilt(_ path: String) -> Bool { builtFolders.contains { isAt(path, $0) } }

    /// Whether a document is read for references.
    func reads(_ path: String, _ kind: DocumentKind) -> Bool {
        guard let area = area(of: path), !leftFiles.contains(where: { isAt(path, $0) }) else {
            return false
        }
        return area.role != .markdown || kind.isMarkdown
    }

    /// Where the site has a file that is published as it is; nil if it is not, as far as is known.
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

    /// Whether the generator cannot do without a hidden file or folder of what is baked: it is its
    /// configuration.
    func needsHidden(_ path: String) -> Bool {
        part.isEmpty && configuration.map { isAt($0, path) } == true || path == ".eleventyignore"
    }

    /// The folders of documents that are of use only within the project.
    var allParts: [String] { parts + areas.map(\.folder).filter { !$0.isEmpty } }

    /// Whether a file of what is baked is an image of a page bundle that a bake has put there.
    func isInBundle(_ path: String) -> Bool {
        guard usesBundles, path.contains("imgbake/") else { return false }
        let file = joined(part, path)
        return area(of: file)?.role == .pages && ("/" + file).contains("/imgbake/")
    }

    /// Adds the role of a folder, unless it has one.
    mutating func add(_ folder: String, _ role: Area.Role) {
        guard !areas.contains(where: { $0.folder == folder }) else { return }
        areas.append(Area(folder: folder, role: role))
    }
}

extension DocumentKind {
    var isMarkdown: Bool { self == .markdown || self == .mdx }
}

/// Whether a path lies in a folder; everything lies in "".
func isBelow(_ path: String, _ folder: String) -> Bool { rest(of: path, in: folder) != nil }

/// Whether a path is that of a folder or lies in it.
func isAt(_ path: String, _ folder: String) -> Bool {
    path.utf8.elementsEqual(folder.utf8) || isBelow(path, folder)
}

/// The path from a folder on; nil if it does not lie there.
func rest(of path: String, in folder: String) -> String? {
    if folder.isEmpty { return path }
    let prefix = folder + "/"
    guard path.utf8.starts(with: prefix.utf8) else { return nil }
    return String(Substring(path.utf8.dropFirst(prefix.utf8.count)))
}

/// Two parts of a path as one; either may be empty.
func joined(_ folder: String, _ name: String) -> String {
    if folder.isEmpty { return name }
    return name.isEmpty ? folder : folder + "/" + name
}
