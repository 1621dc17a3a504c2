import Documents
import Files
package import Reports

extension Site {
    /// The endings of files that imgbake does not read and that pages of a built site may load.
    private static let loadedEndings: Set<String> = ["canvas", "cjs", "js", "mjs", "txt"]
    /// The endings of files of a project that may name images, too: configuration, data, and templates
    /// and documents in other languages.
    private static let sourceEndings: Set<String> = [
        "adoc", "astro", "cjs", "ejs", "haml", "hbs", "html", "js", "jsx", "less", "liquid", "mjs",
        "njk",
        "org", "pug", "py", "rst", "sass", "scss", "slim", "svelte", "toml", "ts", "tsx", "vue",
        "webc", "yaml", "yml",
    ]
    /// Files that are for programs, and that no page loads.
    private static let foreignNames: Set<String> = [
        "ads.txt", "humans.txt", "imgbake.yml", "llms-full.txt", "llms.txt", "robots.txt",
        "security.txt",
    ]
    private static let largestFile = 16 << 20
    private static let mostBytes = 512 << 20

    /// Messages about files that name images of other hosts and are not read: one for each file of a
    /// project, and one for all scripts and data of a built site.
    ///
    /// Those of a theme in `themes/` are not the project's. Documents may also include files outside of
    /// the folder.
    ///
    /// - Parameters:
    ///   - files: The files of the site.
    ///   - loaded: The images of other hosts that its documents load. In scripts and data, these
    ///     are images whatever their paths are.
    ///   - severity: The severity for a built site.
    ///   - known: What is remembered of them.
    /// - Returns: The messages.
    package func unreadFileDiagnostics(
        _ files: [SiteFile], besides loaded: Set<String>, as severity: Diagnostic.Severity,
        _ known: inout SiteMemory
    ) -> [Diagnostic] {
        var bytes = 0
        var found: [(file: String, urls: [UnreadURL])] = []
        var unsearched: [String] = []
        let loaded = loaded.filter { !isImageByPath($0) }
        // With the option for data, JSON is read as a document.
        let isRead = reading.layout != nil || reading.others.readData
        let data = isRead || loaded.isEmpty ? nil : SiteFile.Role.document(.json)
        let inner = files.filter { file in
            file.role == data || file.role == .other && mayNameImages(file.path)
        }.map(\.path)
        for file in inner + includedFiles {
            let urls = known.value(\.unread, of: file, in: self) {
                guard bytes < Self.mostBytes,
                    let text = try? readFile(path(file), limit: Self.largestFile).bytes
                else {
                    unsearched.append(file)
                    return nil
                }
                bytes += text.count
                return UnreadURL.all(in: text, isJSON: fileEnding(file) == "json")
            }
            if let urls { found.append((file, urls)) }
        }
        for index in found.indices {
            found[index].urls.removeAll { one in
                !one.isImage && loaded.isEmpty
                    || !isForeign(one.url) { one.isImage || loaded.contains($0) }
            }
        }
        found.removeAll { $0.urls.isEmpty }
        let told =
            reading.layout == nil
            ? [builtDiagnostic(found, severity)].compactMap(\.self)
            : found.map { diagnostic($0.urls, "the file names", in: [$0.file], .warning) }
                + repositoryNotes(files)
        return told
            + unsearched.prefix(1).map { file in
                Diagnostic(
                    Problem(
                        .unreadImage,
                        "\(unsearched.count) files like this one are too large or cannot be read, so no "
                            + "images are searched for in them"
                    ),
                    .warning, at: Diagnostic.Place(name(file)))
            }
    }

    /// A note about each file about the repository that shows images of other hosts.
    private func repositoryNotes(_ files: [SiteFile]) -> [Diagnostic] {
        let names = files.filter { $0.role == .other }.map(\.path)
        return names.filter(SiteLayout.repositoryFiles.contains).compactMap { file in
            let text = try? readFile(path(file), limit: Self.largestFile).bytes
            let urls = UnreadURL.shown(in: text ?? []).filter { isForeign($0.url) { _ in true } }
            return urls.isEmpty ? nil : diagnostic(urls, "the file shows", in: [file], .note)
        }
    }

    /// The files outside of the folder that documents include, relative to it.
    private var includedFiles: [String] {
        guard let layout = reading.layout else { return [] }
        let included = layout.includers.keys.filter { !isBelow($0, layout.part) }.sorted()
        return (included + layout.outerIncludes).map {
            relativePath(from: joined(layout.part, "x"), to: $0)
        }
    }

    private func builtDiagnostic(
        _ found: [(file: String, urls: [UnreadURL])], _ severity: Diagnostic.Severity
    ) -> Diagnostic? {
        if found.isEmpty { return nil }
        let count = found.count
        let subject =
            count == 1 ? "a script or file of data names" : "\(count) scripts or files of data name"
        let urls = found[0].urls + found.dropFirst().flatMap(\.urls)
        return diagnostic(urls, subject, in: found.map(\.file), severity)
    }

    /// A message about files that name images, at the place of the first one.
    private func diagnostic(
        _ urls: [UnreadURL], _ subject: String, in files: [String],
        _ severity: Diagnostic.Severity
    ) -> Diagnostic {
        let others = Set(urls.map(\.url)).count - 1
        let more = others == 0 ? "" : " and \(others) more"
        var diagnostic = Diagnostic(
            Problem(
                .unreadImage,
                "\(subject) this image of another host\(more), and imgbake does not read such files",
                remedy: files.allSatisfy { fileEnding($0) == "canvas" }
                    ? "save the image beside the notes, and choose it in the whiteboard"
                    : reading.layout == nil && !reading.others.data
                        ? "if scripts show them when a visitor navigates, bake with --data" : nil
            ),
            severity,
            at: Diagnostic.Place(name(files[0]), line: urls[0].line, column: urls[0].column),
            url: urls[0].url)
        diagnostic.places += files.dropFirst().map { Diagnostic.Place(name($0)) }
        return diagnostic
    }

    /// Whether a URL is neither of the site nor excluded, and that of an image.
    private func isForeign(_ url: String, _ isImage: (String) -> Bool) -> Bool {
        let resolver = URLResolver(document: "index.html", address: reading.address)
        guard case .remote(let url) = resolver.resolve(url) else { return false }
        return isImage(url) && reading.urls.takes(url)
    }

    private func mayNameImages(_ path: String) -> Bool {
        let file = String(pathParts(path).last ?? "")
        let endings = reading.layout == nil ? Self.loadedEndings : Self.sourceEndings
        // Sphinx publishes the texts that it has made the pages of.
        let isCopy = reading.layout == nil && pathParts(path).dropLast().contains("_sources")
        return endings.contains(fileEnding(file)) && !Self.foreignNames.contains(file) && !isCopy
            && !isAt(joined(reading.layout?.part ?? "", path), "themes")
            && reading.documents.takes(path)
    }
}

/// A full URL in a file that is not read.
struct UnreadURL: Codable, Equatable, Sendable {
    var url: String
    /// Whether it names an image, whatever the documents of the site load.
    var isImage: Bool
    var line: Int
    var column: Int

    /// The first place of each URL in a text.
    ///
    /// JSON is a document: its reader tells of feeds, and of what names an image by itself.
    static func all(in text: [UInt8], isJSON: Bool) -> [UnreadURL] {
        if isJSON, mayBeFeedOrManifest(text) { return [] }
        let found = urls(inData: text)
        let images = isJSON ? [] : all(found.images, isImage: true, in: text)
        return images + all(found.others, isImage: false, in: text)
    }

    /// The images that a Markdown document shows.
    static func shown(in text: [UInt8]) -> [UnreadURL] {
        let references = extract(text, kind: .markdown).references
        let found = references.map {
            UnreadImage(.data, offset: $0.range.lowerBound, url: $0.url)
        }
        return all(found, isImage: true, in: text)
    }

    private static func all(
        _ found: [UnreadImage], isImage: Bool, in text: [UInt8]
    ) -> [UnreadURL] {
        zip(found, positions(of: found.map(\.offset), in: text)).map {
            UnreadURL(url: $0.url, isImage: isImage, line: $1.line, column: $1.column)
        }
    }
}
