import FetchCache

/// What a user says of the layout of a site.
package struct LayoutOptions: Encodable, Sendable {
    /// Which layout is meant.
    package enum Choice: Encodable, Hashable, Sendable {
        /// That of the generator whose configuration is found.
        case automatic
        /// None: references become relative paths, as is right after a generator has run.
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

        /// The words that stand for one.
        package static let words = ["auto", "none"] + Generator.Name.allCases.map(\.rawValue)
    }

    /// By default the configuration says.
    package var choice = Choice.automatic
    /// Where images go, relative to the root of the output, or absolute; nil as the layout says, and
    /// without one `imgbake`.
    package var imageDirectory: String?
    /// Where the folder of images is published; nil as the layout says.
    package var publicPath: PublicPath?
    /// Whether the images of a Hugo page bundle go into the folder `imgbake` beside its page; false by
    /// default.
    package var usesBundles = false

    package init() {}
}

/// The URL of the folder of images: a path from the root of the host, or an absolute URL, of a CDN for
/// one.
package struct PublicPath: Encodable, Hashable, Sendable {
    /// With a slash at its end.
    package let text: String

    /// nil if the text is neither.
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

    /// Where it is, if it is an absolute URL.
    var address: SiteAddress? { SiteAddress(text) }

    /// What a URL, as a document has it, has behind this one; nil if it does not lie below it.
    func rest(of url: String) -> String? {
        let reference = ReferenceText(url)
        let path = reference.text.prefix { $0 != "?" }
        if reference.kind == .rooted { return address == nil ? rest(path, text) : nil }
        guard reference.kind == .absolute, let address,
            let normalized = try? FetchCache.normalized(url: reference.text),
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
