import Documents
import Files

extension Site {
    /// The endings of files that imgbake does not read and that may name images: configuration, data,
    /// and templates and documents in other languages.
    private static let unreadEndings: Set<String> = [
        "adoc", "astro", "cjs", "ejs", "haml", "hbs", "js", "json", "jsx", "less", "liquid", "mjs",
        "njk", "org", "pug", "py", "rst", "sass", "scss", "slim", "svelte", "toml", "ts", "tsx",
        "vue", "webc", "yaml", "yml",
    ]
    private static let foreignNames: Set<String> = [
        "imgbake.yml", "package.json", "package-lock.json",
    ]
    private static let largestUnreadFile = 1 << 20
    private static let mostUnreadBytes = 256 << 20

    /// Warnings about files of a project that name images of other hosts and are not read, one for
    /// each file.
    ///
    /// A built site has no such files. Those of a theme in `themes/` are not the project's.
    func unreadFileDiagnostics(_ files: [SiteFile]) -> [Diagnostic] {
        guard reading.layout != nil else { return [] }
        var bytes = 0
        return files.compactMap { file in
            guard file.role == .other, bytes < Self.mostUnreadBytes, mayNameImages(file.path),
                let text = try? readFile(path(file.path), limit: Self.largestUnreadFile).bytes
            else { return nil }
            bytes += text.count
            let urls = remoteImageURLs(in: text).filter { reading.urls.takes($0.url) }
            guard let first = urls.first else { return nil }
            let others = urls.count == 1 ? "" : " and \(urls.count - 1) more"
            let position = positions(of: [first.offset], in: text).first
            return Diagnostic(
                Problem(
                    .unreadFile,
                    "the file names this image of another host\(others), and imgbake does not read "
                        + "such files"), .warning,
                at: Diagnostic.Place(
                    name(file.path), line: position?.line, column: position?.column),
                url: first.url)
        }
    }

    private func mayNameImages(_ path: String) -> Bool {
        let file = String(pathParts(path).last ?? "")
        return Self.unreadEndings.contains(fileEnding(file)) && !Self.foreignNames.contains(file)
            && !isAt(joined(reading.layout?.part ?? "", path), "themes")
            && reading.documents.takes(path)
    }
}
