import Files
import URLs

/// The hidden file that marks an output folder as made by imgbake.
///
/// It lists the files of the site that bakes have written there. A bake replaces only those, so a
/// file that the user put into the folder is safe.
struct OutputMark {
    /// The name of the file; hidden, so that it is no page of the site.
    static let name = ".imgbake-output"

    private static let heading = """
        # imgbake writes the files below into this folder and may replace them.
        # It replaces no other files, unless '--force' is given.

        """

    /// The absolute path of the output folder, which is also its name in messages.
    private let folder: String
    /// The files that the bake writes there, relative to the folder, in the order of their bytes.
    private let files: [String]
    /// The contents of a mark that lists just these files.
    private let text: [UInt8]
    /// The contents of the mark; nil if the folder has none.
    private let contents: [UInt8]?

    /// Reads the mark of a folder, which need not exist.
    ///
    /// - Parameters:
    ///   - folder: An absolute path.
    ///   - files: The files that the bake writes there.
    init(of folder: String, files: [SiteFile]) {
        self.folder = folder
        self.files = files.map(\.path)
        text = Self.text(self.files)
        contents = try? readFile(folder + "/" + Self.name).bytes
    }

    /// Checks that the bake may write its files to the folder.
    ///
    /// - Throws: ``BakeError`` if the folder holds files and has no mark, or if a file that no bake
    ///   has written would be replaced.
    func check() throws(BakeError) {
        guard let contents else {
            if isEmpty { return }
            throw BakeError(
                "the output folder \(folder) has files in it and was not made by imgbake; name "
                    + "another folder, or give '--force' to replace files there")
        }
        if contents == text { return }
        let listed = Self.paths(contents)
        let others = files.filter { !listed.contains($0) && FileStatus(folder + "/" + $0) != nil }
        guard let first = others.first else { return }
        let more = others.count == 1 ? "" : " and \(others.count - 1) more"
        throw BakeError(
            "imgbake did not write \(folder)/\(first)\(more), which the bake would replace; move "
                + "what you want to keep, or give '--force'")
    }

    /// Whether the folder is missing or holds nothing but version control.
    private var isEmpty: Bool {
        namesInFolder(folder).allSatisfy { HiddenFiles.isVersionControl($0) || isTemporaryName($0) }
    }

    /// Lists the files in the mark before they are written.
    ///
    /// So a bake that is killed leaves no file that the next one takes for the user's. Files of
    /// earlier bakes stay in the list as long as they exist.
    ///
    /// - Parameters:
    ///   - output: The output folder.
    ///   - removed: Files that were removed, so that the mark has changed.
    /// - Throws: ``FileError``.
    func write(
        in output: OutputFolder, replacing removed: Set<String> = []
    ) throws(FileError) {
        if contents == text, removed.isEmpty { return }
        let earlier = Self.paths(contents ?? []).subtracting(files)
            .filter { FileStatus(folder + "/" + $0) != nil }
        let all = (files + earlier).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        try output.write(Self.text(all), to: Self.name, mode: 0o644)
    }

    /// The files of earlier bakes in the folder whose sources do not exist any more.
    ///
    /// The mark may say anything. So a path counts only if it stays in the folder without a link on
    /// the way, and images are left to the lists of their folders.
    ///
    /// - Parameter site: The site that is copied.
    /// - Returns: Paths relative to the folder, sorted.
    func gone(from site: Site) -> [String] {
        guard let root = resolvedPath(folder) else { return [] }
        return Self.paths(contents ?? []).subtracting(files).filter { path in
            let parts = path.split(separator: "/", omittingEmptySubsequences: false)
            guard !parts.contains(where: { ["", ".", ".."].contains($0) }),
                !parts.contains(where: { HiddenFiles.isForeign(String($0)) }),
                imageHash(of: String(parts.last ?? "")) == nil,
                [.file, .link].contains(FileStatus(root + "/" + path)?.kind),
                FileStatus(site.path(path)) == nil
            else { return false }
            let folder = ([root] + parts.dropLast().map(String.init)).joined(separator: "/")
            return resolvedPath(folder) == folder
        }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// The contents of a mark with these paths.
    private static func text(_ paths: [String]) -> [UInt8] {
        var text = Array(heading.utf8)
        for path in paths {
            text += percentEncoded(path, where: isEncoded).utf8
            text.append(UInt8(ascii: "\n"))
        }
        return text
    }

    private static func paths(_ contents: [UInt8]) -> Set<String> {
        let lines = contents.split(separator: UInt8(ascii: "\n"))
        return Set(
            lines.lazy.filter { $0.first != UInt8(ascii: "#") }
                .map { String(decoding: percentDecoded($0), as: UTF8.self) })
    }

    private static func isEncoded(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "%") || byte == UInt8(ascii: "#")
    }
}
