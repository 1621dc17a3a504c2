import Files
import Reports

/// Determines the generator that a folder belongs to.
package struct LayoutFinder {
    /// The absolute path of the input folder, without links.
    let root: String
    /// The name of the folder in messages.
    let displayName: String
    let address: SiteAddress?
    /// Whether the result is written to another folder.
    let isCopy: Bool

    package init(
        root: String, displayName: String, address: SiteAddress? = nil, isCopy: Bool = false
    ) {
        (self.root, self.displayName) = (root, displayName)
        (self.address, self.isCopy) = (address, isCopy)
    }

    /// The number of parent folders that are searched.
    static let mostParents = 4

    /// The layout for a choice; nil if there is none.
    ///
    /// - Throws: ``BakeError`` if it cannot be determined, or if pages could not load their images.
    func layout(for choice: LayoutOptions.Choice) throws(BakeError) -> SiteLayout? {
        switch choice {
        case .none: return nil
        case .automatic:
            let sources = try sources(in: root, Generator.table)
            if sources.count > 1 { throw ambiguity(sources) }
            if let (generator, source) = sources.first {
                guard let layout = generator.layout(source) else {
                    throw unknown(generator, source)
                }
                if layout.area(of: "index.html") == nil, hasBuiltPage {
                    throw BakeError(
                        "\(displayName) has \(source.file ?? "") (\(generator.title)) beside a built "
                            + "site (index.html): give '--layout \(layout.generator.rawValue)' or "
                            + "'--layout none'")
                }
                return layout
            }
            return try enclosing(Generator.table)
        case .named(let name):
            let generator = Generator.row(name)
            if let (_, source) = try sources(in: root, [generator]).first {
                return generator.layout(source)
            }
            if let layout = try enclosing([generator]) { return layout }
            return generator.layout(
                LayoutSource(root: root, stem: generator.stems[0], address: address))
        }
    }

    /// The configurations in a folder, at most one for each generator.
    func sources(
        in folder: String, _ generators: [Generator]
    ) throws(BakeError) -> [(Generator, LayoutSource)] {
        var result: [(Generator, LayoutSource)] = []
        for generator in generators {
            // A choice of one generator needs no other sign of it.
            let isChosen = generators.count == 1
            if let source = try source(of: generator, in: folder, isChosen: isChosen) {
                result.append((generator, source))
            }
        }
        return result
    }

    /// A folder around this one, the path of this one in it, and the configurations there.
    private typealias Parent = (
        folder: String, part: String, sources: [(Generator, LayoutSource)]
    )

    /// The folders around this one, the nearest first, up to the root of a repository.
    ///
    /// A configuration of theirs that cannot be read does not concern this folder.
    private func parents(
        with generators: [Generator], beyondRepository: Bool = false
    ) -> some Sequence<Parent> {
        sequence(state: root) { folder -> Parent? in
            guard beyondRepository || FileStatus(folder + "/.git") == nil else { return nil }
            folder = folderAndName(of: folder).folder
            if folder == "/" { return nil }
            let part = String(Substring(root.utf8.dropFirst(folder.utf8.count + 1)))
            return (folder, part, (try? sources(in: folder, generators)) ?? [])
        }.prefix(Self.mostParents)
    }

    /// The site of a document in this folder: the nearest folder around it whose images are in it
    /// already, unless a project of a generator is nearer; else this folder.
    package var bakedFolder: String {
        let own = try? sources(in: root, Generator.table)
        if ImageFolder.isMarked(root + "/imgbake") || own?.isEmpty == false { return root }
        for (folder, _, sources) in parents(with: Generator.table) {
            if ImageFolder.isMarked(folder + "/imgbake") { return folder }
            if !sources.isEmpty { break }
        }
        return root
    }

    private func source(
        of generator: Generator, in folder: String, isChosen: Bool
    ) throws(BakeError) -> LayoutSource? {
        for stem in generator.stems {
            for name in generator.extensions {
                let source = try LayoutSource(
                    root: folder, file: "\(stem).\(name)", stem: stem, address: address)
                if let source, isChosen || generator.accepts(source) { return source }
            }
        }
        return nil
    }

    /// The layout of the project that contains this folder.
    ///
    /// Its documents are useful only in the project.
    ///
    /// - Throws: ``BakeError`` if images could not be written where the project needs them.
    private func enclosing(_ generators: [Generator]) throws(BakeError) -> SiteLayout? {
        for (folder, part, sources) in parents(with: generators) where !sources.isEmpty {
            let layouts = sources.compactMap { $0.0.layout($0.1) }.filter { layout in
                layout.allParts.contains { isAt(part, $0) }
            }
            guard var layout = layouts.first else {
                let unknown = sources.first { generator, _ in
                    generator.sources.contains { isAt(part, $0) }
                        && !part.hasSuffix(generator.output)
                }
                if let (generator, source) = unknown { throw self.unknown(generator, source, part) }
                return nil
            }
            layout.part = part
            if isCopy, !isBelow(layout.imageDirectory, part) { throw lost(layout, folder) }
            return layout
        }
        return nil
    }

    private func ambiguity(_ sources: [(Generator, LayoutSource)]) -> BakeError {
        let names = sources.map { "\($0.1.file ?? "") (\($0.0.title))" }.joined(separator: " and ")
        let words = sources.compactMap { $0.0.name?.rawValue } + ["none"]
        let options = words.map { "'--layout \($0)'" }.joined(separator: " or ")
        return BakeError("\(displayName) has \(names): give \(options)")
    }

    private func unknown(
        _ generator: Generator, _ source: LayoutSource, _ part: String = ""
    ) -> BakeError {
        BakeError(
            "\(displayName) is \(part.isEmpty ? "a" : "part of a") \(generator.title) project "
                + "(\(source.file ?? "")), whose layout is not known: bake the built site, usually "
                + "\(generator.output), or give '--layout none'")
    }

    /// Whether the start page of the folder names the generator that has made it.
    private var hasBuiltPage: Bool {
        let page = try? readFile(root + "/index.html", limit: 16 << 20).bytes
        return page?.contains("generator") == true
    }

    /// The folder with a built site in the input folder, which is no site itself; nil if there is
    /// none.
    var builtFolder: String? {
        guard FileStatus(root + "/index.html") == nil else { return nil }
        return ["public", "_site", "dist", "build", "docs", "site", "output", "out"].first {
            FileStatus("\(root)/\($0)/index.html")?.kind == .file
        }
    }

    /// Refuses a folder without a layout if a project in a subfolder would read its documents.
    func requireNoProject(in scan: SiteScan.Result) throws(BakeError) {
        if FileStatus(root + "/index.html") != nil { return }
        let names = Set(
            Generator.table.flatMap { generator in
                generator.stems.flatMap { stem in
                    generator.extensions.map { pathParts("\(stem).\($0)")[0] }
                }
            })
        let folders = Set(
            (scan.files.map(\.path) + scan.hidden).flatMap { path in
                let parts = pathParts(path)
                return parts.indices.dropFirst().filter { names.contains(parts[$0]) }.map {
                    parts[..<$0].joined(separator: "/")
                }
            })
        for folder in folders.sorted() {
            let sources = (try? sources(in: root + "/" + folder, Generator.table)) ?? []
            for (generator, source) in sources {
                let layout = generator.layout(source)
                let isRead = scan.files.contains { file in
                    guard case .document(let kind) = file.role,
                        let path = rest(of: file.path, in: folder)
                    else { return false }
                    return layout.map { !$0.isBuilt(path) && $0.reads(path, kind) } ?? true
                }
                guard isRead else { continue }
                let remedy = generator.name == nil ? "bake the built site" : "bake that folder"
                throw BakeError(
                    "\(displayName) has a \(generator.title) project in \(folder) "
                        + "(\(source.file ?? "")): \(remedy), or give '--layout none'")
            }
        }
    }

    private func lost(_ layout: SiteLayout, _ project: String) -> BakeError {
        let title = Generator.row(layout.generator).title
        return BakeError(
            "\(displayName) is part of the \(title) project in \(project) "
                + "(\(layout.configuration ?? "")), and a copy would not contain the image folder "
                + "\(layout.imageDirectory): bake the project with '-o', bake this folder in "
                + "place, or give '--layout none'")
    }
}

extension LayoutFinder {
    /// The project whose output is this folder, and the number of folders that it is above it; nil
    /// if there is none.
    ///
    /// The output may be a repository of its own.
    ///
    /// - Parameter accepts: Whether a layout is suited; several generators may have a configuration
    ///   in one folder.
    /// - Returns: The layout, the path of the project, and the path of this folder in it.
    func projectOfOutput(
        where accepts: (SiteLayout, String) -> Bool = { _, _ in true }
    ) -> (layout: SiteLayout, root: String, part: String)? {
        for (folder, part, sources) in parents(with: Generator.table, beyondRepository: true) {
            let layouts = sources.compactMap { $0.0.layout($0.1) }
            if let layout = layouts.first(where: { $0.isOutput(part) && accepts($0, part) }) {
                return (layout, folder, part)
            }
        }
        return nil
    }

    /// The address in the configuration of that project, and the path of the configuration relative
    /// to this folder; nil if there is none.
    package func addressOfOutput() -> (configuration: String, address: SiteLayout.Address)? {
        let known = projectOfOutput { $0.address(ofOutput: $1).basePath != nil }
        guard let (layout, _, part) = known, let file = layout.configuration else { return nil }
        let upwards = String(repeating: "../", count: pathParts(part).count)
        return (upwards + file, layout.address(ofOutput: part))
    }
}

extension SiteLayout {
    /// Whether a folder of the project is the root of a built site, or of one of its languages.
    fileprivate func isOutput(_ part: String) -> Bool {
        builtFolders.contains { folder in
            folder == part || languages.contains { folder + "/" + $0.name == part }
                || generator == .sphinx
                    && ["html", "dirhtml", "singlehtml"].contains { folder + "/" + $0 == part }
        }
    }

    /// The address of a built site, which may be that of one language.
    fileprivate func address(ofOutput part: String) -> Address {
        languages.first { pathParts(part).last == $0.name[...] }?.address ?? address
    }
}
