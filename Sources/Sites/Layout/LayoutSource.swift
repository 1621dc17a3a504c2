import Documents
import Files
import Reports
import SystemPackage

/// The input of a generator's layout: its configuration file and the names of files beside it.
package struct LayoutSource: Sendable {
    /// The absolute path of the project.
    let root: String
    /// The configuration, relative to the project, without its extension, as in the generator's
    /// row.
    let stem: String
    /// The configuration, relative to the project; nil if there is none.
    let file: String?
    /// The values of the configuration, if it is plain data.
    let values: KeyedValues
    /// The literals of the configuration, if it is a program.
    let script: ScriptText
    /// The site's URL from the user's options; it takes precedence over the configuration.
    let address: SiteAddress?

    /// The largest configuration that is read, in bytes.
    private static let largestFile = 1 << 20

    /// The layout of a project without a configuration: every setting has its default.
    init(root: String, stem: String, address: SiteAddress?) {
        self.root = root
        self.stem = stem
        self.address = address
        file = nil
        values = KeyedValues()
        script = ScriptText([], isPython: false)
    }

    /// Reads a configuration.
    ///
    /// - Returns: nil if there is no such file.
    /// - Throws: ``BakeError`` if it cannot be read.
    init?(
        root: String, file: String, stem: String, address: SiteAddress?
    ) throws(BakeError) {
        guard let status = FileStatus(root + "/" + file, followingLinks: true),
            status.kind == .file
        else { return nil }
        self.root = root
        self.stem = stem
        self.file = file
        self.address = address
        let bytes = try Self.bytes(root, file)
        let ending = fileEnding(file)
        guard ["toml", "yaml", "yml", "json"].contains(ending) else {
            values = KeyedValues()
            script = ScriptText(bytes, isPython: ending == "py")
            return
        }
        guard let read = KeyedValues(bytes, language: ending == "toml" ? .toml : .yaml) else {
            throw BakeError(
                "\(file) cannot be read as \(ending == "toml" ? "TOML" : "YAML"); correct it, or "
                    + "give '--layout'")
        }
        values = read
        script = ScriptText([], isPython: false)
    }

    private static func bytes(_ root: String, _ file: String) throws(BakeError) -> [UInt8] {
        let path = root + "/" + file
        do throws(FileError) {
            return try readFile(resolvedPath(path) ?? path, limit: largestFile).bytes
        } catch  where error.cause == .system(.fileTooLarge) {
            throw BakeError("\(file) is larger than 1 MiB; give '--layout'")
        } catch {
            throw BakeError(error.description)
        }
    }

    /// The values of another configuration file of the project; nil if it is missing or unreadable.
    func values(of other: String) -> KeyedValues? {
        guard let other = projectFolder(other), let path = resolvedPath(root + "/" + other),
            isPath(path, within: root),
            let status = FileStatus(path), status.byteCount <= Self.largestFile,
            let bytes = try? readFile(path).bytes
        else { return nil }
        return KeyedValues(bytes, language: other.hasSuffix(".toml") ? .toml : .yaml)
    }

    func hasFile(_ path: String) -> Bool {
        FileStatus(root + "/" + path, followingLinks: true)?.kind == .file
    }

    /// The folder that paths in the configuration start from: the configuration's own.
    var ownFolder: String {
        let folder = pathParts(stem).dropLast().joined(separator: "/")
        return file == nil ? "" : folder
    }

    /// The address of the site, from the option or from the configuration.
    ///
    /// - Parameter text: An absolute URL, or a path from the root of a host.
    /// - Returns: The address, with the parts of it that are known.
    func place(_ text: String?) -> SiteLayout.Address {
        address.map { SiteLayout.Address($0) } ?? SiteLayout.Address(text)
    }

    /// The texts of the project, without the output of its generator.
    func text(without built: [String]) -> ProjectText {
        ProjectText(root: root, skipped: built)
    }
}

extension SiteLayout.Address {
    init(_ address: SiteAddress) {
        self.init(basePath: address.path, siteURL: address.url)
    }

    /// Reads an absolute URL, or a path from the root of a host.
    init(_ text: String?) {
        self.init(basePath: nil, siteURL: nil)
        guard let text, !text.isEmpty else { return }
        if let address = SiteAddress(text) {
            self.init(address)
            return
        }
        let reference = ReferenceText(text)
        guard reference.kind == .rooted || reference.kind == .relative else { return }
        let parts = pathParts(reference.text)
        basePath = parts.isEmpty ? "/" : "/" + parts.joined(separator: "/") + "/"
    }
}

extension LayoutSource {
    /// The languages of a Hugo site that has an address for each of them; none for other sites.
    var hugoLanguages: [SiteLayout.Language] {
        let names = values.keys(below: "languages")
        let languages = names.compactMap { name in
            values.text("languages", name, "baseURL").map {
                SiteLayout.Language(
                    name: name,
                    folder: values.text("languages", name, "contentDir").flatMap(projectFolder),
                    address: SiteLayout.Address($0))
            }
        }
        // Hugo takes the addresses only if each language has one.
        return languages.count == names.count ? languages : []
    }

    /// The facts that the configuration and the templates of a Hugo project tell.
    func hugoFacts(templates: [String], _ built: [String]) -> SiteLayout.Facts {
        var facts: SiteLayout.Facts = []
        // With these settings, Hugo itself adds the base path to URLs that begin with a slash.
        if values.isTrue("canonifyURLs") || values.isTrue("relativeURLs") {
            facts.insert(.addsBase)
        }
        if values.isTrue("relativeURLs") { facts.insert(.relativizes) }
        if !values.texts("disableKinds").contains(where: { $0.lowercased() == "rss" }) {
            facts.insert(.hasFeed)
        }
        var text = text(without: built)
        for folder in templates {
            text.forEach(below: folder, endings: ["html", "xml"]) { path, bytes in
                let printsValues = bytes.contains(".Param")
                if path.hasSuffix(".xml"), printsValues { facts.insert(.feedPrintsValues) }
                if printsValues, bytes.printsInMeta { facts.insert(.printedInMeta) }
                guard bytes.contains("GetRemote") else { return }
                if path.contains("render-image") {
                    facts.insert(.fetchesMarkdown)
                } else if printsValues {
                    facts.insert(.fetchesValues)
                }
            }
        }
        return facts
    }

    /// The document of an mdBook's first chapter, as the summary names it.
    func firstChapter(in folder: String) -> String? {
        var text = text(without: [])
        guard let bytes = text.text(joined(folder, "SUMMARY.md")) else { return nil }
        let links = String(decoding: bytes, as: UTF8.self).matches(of: #/\]\(([^)\n]+)\)/#)
        return links.lazy.compactMap { projectFolder(String($0.output.1)) }.first
    }
}

extension SiteLayout {
    /// Reads how a project's templates print values.
    mutating func addValueFacts(
        of source: LayoutSource, in folder: String, endings: Set<String>, skipping: [String] = []
    ) {
        var text = source.text(without: builtFolders + skipping)
        var uses = TemplateUses()
        text.forEach(below: folder, endings: endings) { _, bytes in uses.add(bytes) }
        valueFacts = text.isComplete ? uses.facts : [:]
    }

    /// Reads how the templates of a Jekyll project print values and the parameters of includes.
    mutating func addJekyllTemplates(of source: LayoutSource, in top: String, includes: String) {
        let endings: Set<String> = ["html", "md", "markdown", "xml", "liquid", "json"]
        addValueFacts(
            of: source, in: top, endings: endings,
            skipping: ["_posts", "_drafts"].map { joined(top, $0) })
        var text = source.text(without: builtFolders)
        text.forEach(below: top, endings: ["xml"]) { _, bytes in
            if bytes.contains("replace"), bytes.contains("content") {
                facts.insert(.feedEditsContent)
            }
        }
        let values = source.values
        if values.has("theme") || values.has("remote_theme") {
            valueFacts = valueFacts.mapValues { $0.union(.unknown) }
        }
        let plugins = Set(values.texts("plugins") + values.texts("gems"))
        if !plugins.isDisjoint(with: ["jekyll-seo-tag", "jekyll-feed"]) {
            // Both add the address to the image of a page unless it has one.
            for key in ["image", "path", "facebook", "twitter"] {
                valueFacts[key, default: .filtered].insert(.filtered)
            }
        }
        text.forEach(below: includes, endings: endings) { path, bytes in
            var uses = TemplateUses()
            uses.add(bytes, prefix: "include")
            guard let name = rest(of: path, in: includes) else { return }
            for (parameter, fact) in uses.facts {
                for tag in ["include", "include_cached"] {
                    valueFacts["\(tag) \(name) \(parameter)"] = fact
                }
            }
        }
    }

    /// Reads what an MkDocs project says about snippets, posts and templates.
    mutating func addMkDocs(_ chain: [KeyedValues], of source: LayoutSource, in docs: String) {
        let texts = { (path: [String]) in
            chain.lazy.map { $0.texts(at: path) }.first { !$0.isEmpty }
        }
        let absolute =
            texts(["validation", "links", "absolute_links"])
            ?? texts(["validation", "absolute_links"])
        if absolute == ["relative_to_docs"] { facts.insert(.sourceRoot) }
        var extensions = chain.flatMap { $0.namesOfPlugins("markdown_extensions") }
        if extensions.isEmpty, generator == .zensical {
            extensions = MarkdownDialect.zensicalExtensions
        }
        dialect = .pythonMarkdown(extensions: extensions)
        if extensions.contains("pymdownx.snippets") {
            let options = ["markdown_extensions", "pymdownx.snippets"]
            addIncludes(
                .snippets, of: source, in: docs,
                bases: texts(options + ["base_path"]) ?? ["."],
                everywhere: texts(options + ["auto_append"]) ?? [])
        }
        let plugins = chain.flatMap { $0.namesOfPlugins("plugins") }
        if plugins.contains("rss") { facts.insert(.hasFeed) }
        for name in plugins where name == "blog" || name == "material/blog" {
            let folder = joined(docs, texts(["plugins", name, "blog_dir"])?.first ?? "blog")
            let posts = texts(["plugins", name, "post_dir"])?.first ?? "{blog}/posts"
            movedFolders += [
                projectFolder(
                    joined(docs, posts.replacing("{blog}", with: rest(of: folder, in: docs) ?? "")))
            ].compactMap(\.self)
        }
        for values in chain {
            guard let theme = values.text("theme", "custom_dir").flatMap(projectFolder) else {
                continue
            }
            add(theme, .templates)
            addValueFacts(of: source, in: theme, endings: ["html", "xml"])
        }
        // The templates of the theme itself are not read.
        if generator == .zensical || texts(["theme", "name"]) != nil || texts(["theme"]) != nil
            || valueFacts.isEmpty
        {
            valueFacts = valueFacts.mapValues { $0.union(.unknown) }
        }
    }
}

extension KeyedValues {
    /// The names in a list of plugins, each of which is a text or the key of its options.
    fileprivate func namesOfPlugins(_ key: String) -> [String] {
        texts(at: [key]) + keys(below: key)
    }
}

extension [UInt8] {
    /// Whether a template of Hugo prints a value as it is into a `<meta>` that names an image.
    fileprivate var printsInMeta: Bool {
        let brace = UInt8(ascii: "{")
        return indices.contains { index in
            guard self[index] == brace, index > 0, self[index - 1] == brace else { return false }
            let output = self[(index + 1)...].prefix(200).prefix { $0 != UInt8(ascii: "}") }
            let value = String(decoding: output, as: UTF8.self)
            let isDot = value.split { " -".contains($0) } == ["."]
            return (isDot || value.contains(".Param") && !value.contains("URL"))
                && TemplateUses.isInMeta(index, of: self)
        }
    }
}
