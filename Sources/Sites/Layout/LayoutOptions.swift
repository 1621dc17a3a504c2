import FetchCache
import Reports

/// The user's options about the layout of a site.
package struct LayoutOptions: Encodable, Sendable {
    /// The user's choice of a layout.
    package enum Choice: Encodable, Hashable, Sendable {
        /// The layout of the generator whose configuration is found.
        case automatic
        /// No layout: references become relative paths, as is right for the output of a generator.
        case none
        case named(Generator.Name)

        /// Reads `auto`, `none` or the name of a generator.
        package init?(_ word: String) {
            switch word {
            case "auto": self = .automatic
            case "none": self = .none
            default:
                guard let name = Generator.Name(rawValue: word) else { return nil }
                self = .named(name)
            }
        }

        /// All words that the initialiser accepts.
        package static let words = ["auto", "none"] + Generator.Name.allCases.map(\.rawValue)
    }

    /// The choice of a layout; by default, the configuration decides.
    package var choice = Choice.automatic
    /// The image folder, relative to the root of the output, or absolute; nil uses the folder of
    /// the layout, or `imgbake` without a layout.
    package var imageDirectory: String?
    /// The URL of the image folder; nil uses the layout's.
    package var publicPath: PublicPath?
    /// The form of the URLs of images; by default, each place gets the one that is right for it.
    package var urlChoice = URLChoice.automatic

    package init() {}
}

/// The user's choice of the form of the URLs that are written.
package enum URLChoice: String, Codable, Hashable, Sendable, CaseIterable {
    /// The first form that is right for everyone who resolves the place.
    case automatic = "auto"
    /// Relative to the file or to the page, as the generator resolves it.
    case relative
    /// From the root of the host, with the base path.
    case root
    /// The whole URL, with the address of the site.
    case absolute
}

/// The URL of the image folder: a path from the root of the host, or an absolute URL, for example
/// of a CDN.
package struct PublicPath: Encodable, Hashable, Sendable {
    /// The URL, with a slash at its end.
    package let text: String

    /// Returns nil if the text is neither.
    package init?(_ text: String) {
        if let address = SiteAddress(text) {
            self.text = address.url
            return
        }
        guard ReferenceText(text).kind == .rooted, !text.contains(where: { "?#\\".contains($0) })
        else { return nil }
        let parts = pathParts(text)
        guard !parts.contains(".."), !parts.contains(".") else { return nil }
        self.text = parts.isEmpty ? "/" : "/" + parts.joined(separator: "/") + "/"
    }

    /// The address, if the URL is absolute.
    package var address: SiteAddress? { SiteAddress(text) }

    /// The part of a document's URL after this one; nil if the URL is not below this one.
    func rest(of url: String) -> String? {
        let reference = ReferenceText(url)
        let path = reference.text.prefix { $0 != "?" }
        if reference.kind == .rooted { return address == nil ? rest(path, text) : nil }
        guard reference.kind == .absolute, let address,
            let normalized = try? FetchManager.normalized(url: reference.text),
            let rest = address.rest(of: normalized)
        else { return nil }
        return name(rest)
    }

    private func rest(_ path: Substring, _ prefix: String) -> String? {
        guard path.utf8.starts(with: prefix.utf8) else { return nil }
        return name(Substring(path.utf8.dropFirst(prefix.utf8.count)))
    }

    private func name(_ path: Substring) -> String? {
        guard let steps = SitePath.steps(path, from: []), let file = steps.file else { return nil }
        return (steps.folders + [file]).joined(separator: "/")
    }
}

/// A summary of the site's layout for the user.
package struct LayoutReport: Codable, Hashable, Sendable {
    package var generator: Generator.Name
    /// The configuration that was found, relative to the input folder.
    package var configuration: String?
    /// The image folder, relative to the input folder.
    package var imageDirectory: String
    /// The URL of the image folder, if it is known.
    package var publicPath: String?

    /// Returns nil if the site has no layout.
    package init?(_ reading: ReadingOptions) {
        guard let layout = reading.layout else { return nil }
        generator = layout.generator
        let upwards = String(repeating: "../", count: pathParts(layout.part).count)
        configuration = layout.configuration.map { upwards + $0 }
        imageDirectory = reading.imageDirectory
        publicPath =
            reading.layoutOptions.publicPath?.text
            ?? layout.publishedDirectory.map { (layout.address.basePath ?? "") + $0 + "/" }
    }

    /// The report as one line: `Hugo site (hugo.toml): images go to static/imgbake/, published as
    /// /blog/imgbake/`.
    package var line: String {
        let found = configuration.map { " (\($0))" } ?? ""
        let place = publicPath.map { ", published as \($0)" } ?? ""
        let title = Generator.row(generator).title
        return printable("\(title) site\(found): images go to \(imageDirectory)/\(place)")
    }
}

extension ReadingOptions {
    /// Warnings about the layout: actions for the user, and facts to know.
    var layoutWarnings: [Diagnostic] {
        (layout?.warnings ?? []).map {
            Diagnostic($0, .warning, at: layout?.configuration.map { Diagnostic.Place($0) })
        }
    }
}
