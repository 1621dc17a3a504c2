package import Files
package import Reports
import URLs

/// The ``FolderRecord`` that marks an output folder as made by imgbake.
///
/// It lists the files of the site that bakes have written there. A bake replaces only those, so a
/// file that the user put into the folder is safe.
///
/// A list in the cache would be lost with the cache.
package struct OutputMark {
    /// The name of the file; hidden, so that it is no page of the site.
    static let name = OwnFiles.output

    private static let heading = """
        # imgbake writes the files below into this folder and may replace them.
        # It replaces no other files, unless '--force' is given.

        """

    /// The part of a site that a bake writes; the input is equal for all shards of one site.
    package typealias Part = (shard: Shard, input: ShardInput)

    /// The absolute path of the output folder, which is also its name in messages.
    private let folder: String
    /// The files that the bake writes there, relative to the folder, in the order of their bytes.
    private let files: [String]
    /// The links of the site that the bake does not copy, because they lead out of it.
    private let leftOut: [String]
    /// Nil for the whole site.
    private let part: Part?
    /// The contents of a mark that lists just these files.
    private let text: [UInt8]
    /// The contents of the mark that the bake replaces; nil if the folder has none.
    private let contents: [UInt8]?
    /// The names of the other marks.
    private let others: [String]
    /// The files in all marks.
    private let listed: Set<String>

    /// Reads the mark of a folder, which need not exist.
    ///
    /// - Parameters:
    ///   - folder: An absolute path.
    ///   - files: The files that the bake writes there.
    ///   - leftOut: The links among them that it does not copy.
    ///   - part: The part of the site; nil for all.
    package init(of folder: String, files: [SiteFile], leftOut: [String] = [], part: Part? = nil) {
        self.folder = folder
        self.leftOut = leftOut
        let skipped = Set(leftOut)
        self.files = files.map(\.path).filter { !skipped.contains($0) }
        self.part = part
        text = Self.text(self.files, part)
        let record = FolderRecord(folder: folder, name: Self.name, shard: part?.shard)
        others = record.parts.filter { folder + "/" + $0 != record.path }
        contents = try? readFile(record.path).bytes
        listed = others.reduce(into: Self.paths(contents ?? [])) { paths, other in
            paths.formUnion(Self.paths((try? readFile(folder + "/" + other).bytes) ?? []))
        }
    }

    /// Whether bakes have written to the folder.
    package var exists: Bool { contents != nil || !others.isEmpty }

    /// Checks that the marks of a folder are those of all shards of one site.
    ///
    /// - Parameters:
    ///   - folder: An absolute path.
    ///   - isPart: Whether shards may be missing.
    /// - Returns: The problems, with the names of the marks.
    package static func shardProblems(
        in folder: String, isPart: Bool
    ) -> [(problem: Problem, name: String)] {
        var inputs: [(shard: Shard, name: String, input: ShardInput)] = []
        for name in FolderRecord(folder: folder, name: name).parts {
            guard let shard = Shard(ofFile: name, named: Self.name) else { continue }
            let text = (try? readFile(folder + "/" + name).bytes) ?? []
            let line = text.split(separator: UInt8(ascii: "\n")).first {
                $0.starts(with: inputMark.utf8)
            }
            let input = line.map {
                ShardInput(String(decoding: $0.dropFirst(inputMark.utf8.count), as: UTF8.self))
            }
            inputs.append((shard, name, input ?? ShardInput("")))
        }
        guard let first = inputs.first else { return [] }
        if let other = inputs.first(where: {
            $0.input != first.input || $0.shard.count != first.shard.count
        }) {
            let parts = other.input.differences(from: first.input)
            let reason =
                parts.isEmpty
                ? "the shards are parts of \(first.shard.count) and of \(other.shard.count)"
                : "the shards were made of other \(parts.joined(separator: " and other ")) than "
                    + "those of \(first.name)"
            return [(Problem(.mixedShards, reason), other.name)]
        }
        let missing = Set(1...first.shard.count).subtracting(inputs.map(\.shard.number)).sorted()
        // A whole bake writes the files of all shards.
        guard let number = missing.first, !isPart, FileStatus(folder + "/" + name) == nil else {
            return []
        }
        let more = missing.count == 1 ? "" : " and \(missing.count - 1) more"
        let reason = "shard \(number)/\(first.shard.count)\(more) is missing"
        return [(Problem(.mixedShards, reason), first.name)]
    }

    private static let inputMark = "# Input: "

    /// Checks that the bake may write its files to the folder.
    ///
    /// A folder in the place of a file is never replaced, except as one of the ``obstacles``.
    ///
    /// - Throws: ``BakeError`` if the folder holds files and has no mark, or if a file that no bake
    ///   has written would be replaced.
    package func check() throws(BakeError) {
        guard exists else {
            if isEmpty { return }
            // Another part may have marked the folder since its marks were read. A mark is written
            // before any other file.
            if part != nil, !FolderRecord(folder: folder, name: Self.name).parts.isEmpty { return }
            throw BakeError(
                "the output folder \(folder) has files in it and was not made by imgbake; name "
                    + "another folder, or give '--force' to replace files there")
        }
        if contents == text { return }
        let unlisted = files.filter { path in
            guard !listed.contains(path), let there = FileStatus(folder + "/" + path) else {
                return false
            }
            return there.kind != .folder
        }
        guard let first = unlisted.first else { return }
        let more = unlisted.count == 1 ? "" : " and \(unlisted.count - 1) more"
        throw BakeError(
            "imgbake did not write \(folder)/\(first)\(more), which the bake would replace; move "
                + "what you want to keep, or give '--force'")
    }

    /// Whether the folder is missing or holds nothing but version control.
    private var isEmpty: Bool {
        namesInFolder(folder).allSatisfy { HiddenFiles.isVersionControl($0) || isTemporaryName($0) }
    }

    /// Files and folders of earlier bakes that stand where the bake writes folders and files.
    package var obstacles: OutputObstacles {
        let isSame = contents == text && others.isEmpty
        return OutputObstacles(
            in: folder, of: files, earlier: isSame ? [] : listed.subtracting(files),
            leftOut: leftOut)
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
    package func write(
        in output: OutputFolder, replacing removed: Set<String> = []
    ) throws(FileError) {
        let joined = part == nil ? others : []
        if contents == text, removed.isEmpty, joined.isEmpty { return }
        let known = part == nil ? listed : Self.paths(contents ?? [])
        let earlier = known.subtracting(files)
            .filter { FileStatus(folder + "/" + $0) != nil }
        let all = (files + earlier).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let record = FolderRecord(folder: output.root, name: Self.name, shard: part?.shard)
        try record.update { _ in Self.text(all, part) }
        if part == nil { record.removeShards() }
    }

    /// The files of earlier bakes in the folder whose sources do not exist any more.
    ///
    /// The mark may say anything. So a path counts only if it stays in the folder without a link on
    /// the way, and images are left to the lists of their folders.
    ///
    /// - Parameter site: The site that is copied.
    /// - Returns: Paths relative to the folder, sorted.
    package func gone(from site: Site) -> [String] {
        guard let root = resolvedPath(folder) else { return [] }
        return listed.subtracting(files).filter { path in
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
    private static func text(_ paths: [String], _ part: Part?) -> [UInt8] {
        var text = Array(heading.utf8)
        if let part { text += "\(inputMark)\(part.input.text)\n".utf8 }
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
