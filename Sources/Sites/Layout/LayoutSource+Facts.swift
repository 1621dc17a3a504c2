import Documents
import Files

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
                let printsValues = bytes.has(".Param")
                if path.hasSuffix(".xml"), printsValues { facts.insert(.feedPrintsValues) }
                guard bytes.has("GetRemote") else { return }
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
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        return lines.lazy.compactMap { line -> String? in
            guard let open = line.firstRange(of: Array("](".utf8)),
                let close = line[open.upperBound...].firstIndex(of: UInt8(ascii: ")")),
                open.upperBound < close
            else { return nil }
            return projectFolder(String(decoding: line[open.upperBound..<close], as: UTF8.self))
        }.first
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
            if bytes.has("replace"), bytes.has("content") { facts.insert(.feedEditsContent) }
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
    fileprivate func has(_ text: String) -> Bool { firstRange(of: Array(text.utf8)) != nil }
}
