package import Documents
import FetchCache
package import Files
import Locks
package import Reports
package import Sites

/// Where the images of a site came from: the lists of all its image folders.
///
/// A bake in place records here what it changes, and what it must know of earlier ones. The lists
/// are read once a document is looked at that names an image of a bake.
package final class SiteOrigins: Sendable {
    /// A document as a bake reads it.
    package struct Text {
        /// The bytes to bake: those of the file with the changes `again` undone.
        package var bytes: [UInt8]
        /// The bytes of the file.
        var file: [UInt8]
        /// Changes that are made again, with places in `file`.
        package var again: [PastEdit] = []
        /// The references of `file` to images of bakes that lead to no file; nil if that is not known.
        var dangling: [Reference]?

        /// The text of a file, without a change.
        package init(_ file: [UInt8]) {
            bytes = file
            self.file = file
        }
    }

    private struct State {
        /// Nil until the lists are read.
        var lines: OriginLines?
        /// Lines that are not written yet, by folder.
        var pending: [String: [OriginList.Line]] = [:]
        /// The documents with new lines, with the folder of their list.
        var recorded: [String: String] = [:]
    }

    let site: Site
    private let output: OutputFolder?
    /// The settings of the run that decide the text of a document, except the image folder.
    let settings: String
    private let state = Locked(State())
    /// Held while lines are written: a document must not be replaced before its line, which another
    /// task may have taken, is in the list.
    ///
    /// Unlike others, it is held while files are written, for which all its callers wait.
    private let writing = Locked(())
    /// Whether all images are made again.
    private let redoesAll: Bool
    /// Whether there was a list at the beginning.
    package let hasLists: Bool

    /// - Parameters:
    ///   - site: The site, after its scan.
    ///   - settings: The settings of the run.
    ///   - output: The folder to write to; nil if nothing is written.
    ///   - redoesAll: Whether all images are made again.
    package init(
        _ site: Site, settings: String, output: OutputFolder? = nil, redoesAll: Bool = false
    ) {
        self.site = site
        self.settings = settings
        self.output = output
        self.redoesAll = redoesAll
        hasLists = Self.folders(of: site).contains { OriginList(folder: $0).status != nil }
    }

    /// The origins for a run that reads the documents as they were before all bakes.
    package static func undoingAll(in site: Site) -> SiteOrigins {
        SiteOrigins(site, settings: "", redoesAll: true)
    }

    /// The image folders that exist, by their absolute paths without links.
    package static func folders(of site: Site) -> [String] {
        let all = [site.reading.imageDirectory] + site.reading.imageFolders
        let resolved = all.compactMap { resolvedPath($0.hasPrefix("/") ? $0 : site.path($0)) }
        return Set(resolved).sorted()
    }

    /// Checks that no list is from a newer version.
    ///
    /// - Throws: ``BakeError``.
    package static func requireKnownVersions(of site: Site) throws(BakeError) {
        for folder in folders(of: site) {
            try OriginList(folder: folder).requireKnownVersion()
        }
    }

    /// Looks something up in the lists, which are read once.
    private func withLines<Result>(
        _ lookUp: (inout OriginLines) -> Result
    ) throws(FileError) -> Result {
        try state.withLock { (state) throws(FileError) in
            var lines: OriginLines
            if let known = state.lines.take() {
                lines = known
            } else {
                lines = try OriginLines(inFolders: Self.folders(of: site))
            }
            defer { state.lines = lines }
            return lookUp(&lines)
        }
    }

    /// The lines of the lists that cannot be read.
    ///
    /// - Throws: ``FileError`` if a list cannot be read at all.
    package func damagedLines() throws(FileError) -> [(path: String, number: Int)] {
        try withLines { $0.damaged }
    }

    /// What the lists tell about a document.
    package struct Past {
        /// The changes of earlier bakes that are in it.
        package var edits: [PastEdit] = []
        /// What cannot be undone.
        package var unknown: [UnknownOrigin] = []
    }

    /// The changes of earlier bakes that are in a document.
    ///
    /// They are exact if a list has its bytes, at whatever path they were. Otherwise it was edited.
    ///
    /// - Throws: ``FileError`` if a list cannot be read.
    package func past(
        of path: String, _ kind: DocumentKind, _ bytes: [UInt8]
    ) throws(FileError) -> Past {
        let digest = BlobDigest(hashing: bytes).hex
        let hashes = imageHashes(in: bytes)
        let (entries, same, isListed) = try withLines {
            ($0.entries(about: site.path(path)), $0.lines(ofDigest: digest), $0.name(hashes))
        }
        let own = entries.map(\.line)
        if !isListed, !own.contains(where: \.mayHaveEditsWithoutImages) { return Past() }
        func others(_ hash: ImageHash) -> [PastEdit] {
            (try? withLines { $0.changes(of: hash) }) ?? []
        }
        var edits = own.first { $0.sha256 == digest }?.past?.edits
        if edits == nil {
            let moved = Set(same.compactMap(\.past?.edits))
            edits = moved.count == 1 ? moved.first : nil
        }
        if let edits, [UnknownOrigin](besides: edits, others, in: bytes).isEmpty {
            return Past(edits: edits)
        }
        // A bake of the document alone has a list of its own.
        var folders: Set<String> = []
        let last = entries.filter { folders.insert($0.folder).inserted }.map(\.line)
        let lost = try withLines { $0.lost(of: hashes) }
        let known = PastSearch(
            bytes, exact: edits ?? [], own: last.flatMap { $0.past?.edits ?? [] }, lost: lost,
            others: others
        ) {
            extract($0, kind: kind, options: site.reading.extraction)
        }.edits
        return Past(
            edits: known, unknown: [UnknownOrigin](besides: known, others, in: bytes))
    }

    /// The references to images of bakes whose origin no list tells.
    ///
    /// - Parameters:
    ///   - path: The document, relative to the site.
    ///   - kind: Its kind.
    ///   - bytes: Its bytes.
    ///   - past: What the lists tell about the document.
    /// - Returns: The references, in the order of the document.
    /// - Throws: ``FileError`` if a list cannot be read.
    package func unlisted(
        of path: String, _ kind: DocumentKind, _ bytes: [UInt8], besides past: Past
    ) throws(FileError) -> [UnknownOrigin] {
        if imageHashes(in: bytes).isEmpty { return [] }
        let files = try withLines { $0.files }
        let known = past.edits.flatMap(\.ranges) + past.unknown.map { $0.offset..<$0.offset + 1 }
        let plan = DocumentPlan(bytes, kind: kind, path: path, site: site)
        return plan.named.compactMap { reference, file, path in
            guard !known.contains(where: reference.range.overlaps),
                files.contains(file) || path.map(site.reading.isBaked) == true
            else { return nil }
            return UnknownOrigin(offset: reference.range.lowerBound, file: file, isListed: false)
        }
    }

    /// Whether a change was made with other settings, or its image is in another folder.
    private func isOutdated(_ edit: PastEdit, of path: String) -> Bool {
        let (folder, files) = state.withLock { state in
            (state.lines?.entries(about: site.path(path)).first?.folder, state.lines?.files ?? [])
        }
        if redoesAll || edit.settings != settings || !isInFolder(folder) { return true }
        return !edit.files.isSubset(of: files)
    }

    /// Whether the folder whose list has a document, nil for none, is the image folder of the run.
    private func isInFolder(_ folder: String?) -> Bool {
        let own = site.reading.imageDirectory
        return folder == nil || folder == resolvedPath(own.hasPrefix("/") ? own : site.path(own))
    }

    /// The text of a document to bake.
    ///
    /// - Parameters:
    ///   - path: The document, relative to the site.
    ///   - kind: Its kind.
    ///   - bytes: Its bytes.
    /// - Returns: The text, and the changes that are outdated and cannot be made again.
    /// - Throws: ``FileError`` if a list cannot be read.
    package func text(
        of path: String, _ kind: DocumentKind, _ bytes: [UInt8]
    ) throws(FileError) -> (text: Text, left: [PastEdit]) {
        var text = Text(bytes)
        text.dangling = []
        let hashes = imageHashes(in: bytes)
        if hashes.isEmpty { return (text, []) }
        let made = try withLines { hashes.intersection($0.made) }
        text.dangling = DocumentPlan(bytes, kind: kind, path: path, site: site)
            .dangling(made.contains)
        let outdated = try past(of: path, kind, bytes).edits.filter { edit in
            isOutdated(edit, of: path)
                || text.dangling?.contains { edit.range.contains($0.range.lowerBound) } == true
        }
        if outdated.isEmpty { return (text, []) }
        let hidden = outdated.filter(\.isHidden)
        // What stays may need the style sheet.
        let again = outdated.filter { !$0.isHidden && (hidden.isEmpty || !$0.isLink) }
        return (text.with(again), hidden)
    }

    /// Records the changes of earlier bakes in a document that this one leaves as it is, if it was
    /// edited or moved.
    ///
    /// - Parameters:
    ///   - bytes: The document.
    ///   - path: Its path, relative to the site.
    ///   - kind: Its kind.
    /// - Throws: ``FileError``.
    package func keep(_ bytes: [UInt8], _ path: String, _ kind: DocumentKind) throws(FileError) {
        if !hasLists { return }
        let last = try withLines { $0.entries(about: site.path(path)).first?.line }
        if last == nil && imageHashes(in: bytes).isEmpty { return }
        if last?.sha256 == BlobDigest(hashing: bytes).hex { return }
        try record(bytes, [], of: Text(bytes), path, kind)
        try write(isSynced: false)
    }

    /// Records what was made of a document; ``write(isSynced:)`` must be called before the document
    /// is replaced.
    ///
    /// - Parameters:
    ///   - result: The new bytes.
    ///   - edits: The edits of `text`.
    ///   - text: The text that was baked.
    ///   - path: The document, relative to the site.
    ///   - kind: The kind of the document.
    /// - Throws: ``FileError``.
    package func record(
        _ result: [UInt8], _ edits: [Edit], of text: Text, _ path: String, _ kind: DocumentKind
    ) throws(FileError) {
        let kept = try past(of: path, kind, text.file).edits.without(changesOf: text)
        let past = [PastEdit](
            edits, of: text.bytes, after: kept, result: result, settings: settings)
        let isListed = try withLines { !$0.entries(about: site.path(path)).isEmpty }
        if past.isEmpty && !isListed { return }
        let directory = site.reading.imageDirectory
        try output?.makeFolder(of: directory + "/" + OriginList.name)
        let absolute = directory.hasPrefix("/") ? directory : site.path(directory)
        guard let folder = resolvedPath(absolute) else { throw FileError("write", absolute) }
        let document = site.path(path)
        let line = OriginList.Line(
            PastDocument(
                document: relativePath(from: folder + "/x", to: document), edits: past,
                sha256: BlobDigest(hashing: result).hex))
        state.withLock { state in
            state.recorded[document] = folder
            // A document that was restored is baked as before, and the list says so already.
            if let last = state.lines?.entries(about: document).first, last.folder == folder,
                last.line == line
            {
                return
            }
            state.pending[folder, default: []].append(line)
        }
    }

    /// Writes the recorded changes.
    ///
    /// - Parameter isSynced: Whether to wait until they are on disk.
    /// - Throws: ``FileError``.
    package func write(isSynced: Bool) throws(FileError) {
        try writing.withLock { _ throws(FileError) in try writePending(isSynced: isSynced) }
    }

    private func writePending(isSynced: Bool) throws(FileError) {
        let pending = state.withLock { state in
            defer { state.pending = [:] }
            return state.pending
        }
        var rest = pending
        do throws(FileError) {
            for (folder, lines) in pending {
                try OriginList(folder: folder).append(lines, isSynced: isSynced)
                rest[folder] = nil
            }
        } catch {
            // The documents of other folders must not be replaced without their lines either.
            state.withLock { $0.pending.merge(rest) { $1 + $0 } }
            throw error
        }
    }

    /// Sorts the lists, with one line for each document.
    ///
    /// - Parameters:
    ///   - restored: Absolute paths of documents without changes of bakes.
    ///   - named: The images that files name, after others were removed; nil if that is not known.
    ///     What undoes changes of other images is forgotten.
    ///   - isUndone: Whether no document of the site has changes of bakes.
    /// - Throws: ``FileError``.
    package func finish(
        restored: Set<String> = [], naming named: Set<ImageHash>? = nil, isUndone: Bool = false
    ) throws(FileError) {
        // The lists are read again, and need as much memory.
        let (recorded, areRead) = state.withLock { state in
            defer { state.lines = nil }
            return (state.recorded, state.lines != nil)
        }
        guard areRead || !restored.isEmpty || named != nil else { return }
        for folder in Set(Self.folders(of: site) + recorded.values).sorted() {
            let present = namesInFolder(folder).compactMap { imageHash(of: $0) }
            try OriginList(folder: folder).update(keepsDamaged: !isUndone) { lines in
                let elsewhere = recorded.filter { $0.value != folder }.keys
                return OriginList.current(
                    lines, in: folder, without: restored.union(elsewhere),
                    naming: named?.union(present))
            }
        }
    }
}

extension SiteOrigins.Text {
    /// The text with other changes undone; without any if they belong to another text.
    package func with(_ again: [PastEdit]) -> Self {
        var text = self
        let undone = again.undone(in: file)
        text.bytes = undone ?? file
        text.again = undone == nil ? [] : again
        return text
    }

    /// Whether a reference is known to lead to no file.
    package var hasDangling: Bool { dangling?.isEmpty == false }

    /// The references that lead to no file and that no change makes again; nil if they are not known.
    var lost: [Reference]? {
        dangling?.filter { reference in
            !again.contains { $0.range.contains(reference.range.lowerBound) }
        }
    }

    /// Where the bytes of the file are in ``bytes``.
    var map: SpliceMap { SpliceMap(again.splices) }

    /// The undone changes whose images were not all made by `edits`.
    package func failed(after edits: [Edit]) -> [PastEdit] {
        if again.isEmpty { return [] }
        let map = map
        let failed = again.filter { past in
            let places = past.splices.map { splice in
                let start = map.start(of: splice)
                return start..<(start + splice.text.utf8.count)
            }
            let whole = (places.first?.lowerBound ?? 0)..<(places.last?.upperBound ?? 0)
            let made = edits.reduce(0) { count, edit in
                count
                    + edit.images.count { image in
                        // The removal of a candidate begins before it, at the end of another one.
                        let range = edit.splices[image.splice].range
                        return range.overlaps(whole) || range == whole
                    }
            }
            return made < past.images.count
        }
        // What stays may need the style sheet.
        return failed.isEmpty ? [] : again.filter { failed.contains($0) || $0.isLink }
    }
}

extension [PastEdit] {
    /// The changes that are not made again in `text`, with their places there.
    func without(changesOf text: SiteOrigins.Text) -> [PastEdit] {
        if text.again.isEmpty { return self }
        let (gone, map) = (Set(text.again), text.map)
        return filter { !gone.contains($0) }.compactMap { $0.moved(by: map, to: text.bytes) }
    }
}
