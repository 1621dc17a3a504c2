import FetchCache
import Files
import ImageFormats
import Pages
import Pictures
import Reports
import Sites

/// Finds what `--prune` removes: copies of files whose source is gone, and images that no file names
/// any more.
///
/// An image is removed only if the list of its folder says that imgbake made it, and only if its
/// bytes have the hash in its name. The names are searched in the files as they are on disk. So a
/// page that could not be baked, or that another program wrote, keeps its images too.
struct SitePruning: Sendable {
    /// What is to be removed.
    struct Plan: Sendable {
        /// Copies of files that are gone, relative to the output.
        var copies: [String] = []
        /// Images, by absolute path.
        var images: [String] = []
        /// The images that files name, as far as a list of an image folder knows them; nil if nothing is
        /// removed.
        var named: Set<ImageHash>?
        var diagnostics: [Diagnostic] = []
        /// The lists of image folders, by absolute path, with the times since when images are unnamed.
        fileprivate var lists: [String: ImageFileList] = [:]
    }

    let site: Site
    /// The absolute path of the output, without links.
    let root: String
    /// The second folder of the output; see ``OutputFolder``.
    let other: String?
    /// The mark of the output; nil in place.
    let mark: OutputMark?
    /// Absolute paths of folders that are part of neither the site nor the output.
    let skipped: Set<String>
    /// How long an image must have been unnamed, in seconds.
    let grace: Int64
    /// The time in seconds since 1970.
    let now: Int64
    /// Whether images are also removed from an image folder elsewhere that is not this site's alone.
    var takesShared = false

    /// The folder whose files may name the images: the project around the output, if images go there.
    private var searched: String {
        guard let other, isPath(root, within: other) else { return root }
        return other
    }

    /// Looks at all files.
    ///
    /// - Parameters:
    ///   - used: The images that count as named, whatever files say.
    ///   - stems: The beginnings of the names of images that count as named.
    ///   - planned: The SHA-256 of sources whose images count as named.
    ///   - documents: Documents that will be written again, so that their names do not count,
    ///     relative to the output.
    /// - Returns: What can be removed; nothing if a file cannot be read.
    /// - Throws: `CancellationError`.
    func plan(
        used: Set<ImageHash>, stems: Set<String> = [], planned: Set<String> = [],
        without documents: Set<String> = []
    ) async throws -> Plan {
        var plan = Plan()
        plan.copies = mark?.gone(from: site) ?? []
        let scan = SiteScan(root: searched, skipped: skipped).run()
        try Task.checkCancellation()
        if let error = scan.errors.first { return Self.nothing(error.description) }
        for folder in folders(scan, &plan) { plan.lists[folder] = ImageFileList(inFolder: folder) }
        var candidates = Set(plan.lists.values.flatMap(\.files.keys).compactMap(imageHash(of:)))
        let left = Set((plan.copies + documents).map { root + "/" + $0 })
        let pages = scan.files.compactMap { file -> String? in
            let path = searched + "/" + file.path
            let name = String(pathParts(file.path).last ?? "")
            let isImage = isListed(name, path, in: plan)
            guard file.role != .link, !isImage, !left.contains(path) else { return nil }
            return path
        }
        let sources = documents.sorted().map { site.path($0) }
        do {
            let origins = try SiteOrigins.folders(of: site).map { folder throws(FileError) in
                (folder, try OriginList(folder: folder).contents().lines)
            }
            for line in origins.flatMap(\.1) { candidates.formUnion(imageHashes(in: line.bytes)) }
            var named = try await names(candidates, in: pages + sources)
            for (folder, lines) in origins { search(lines, in: folder, &named) }
            let all = try withParts(of: scan, named.found.union(used), candidates, plan)
            plan.named = all
            judge(all, stems, planned, &plan)
        } catch let error as FileError {
            return Self.nothing(error.description)
        }
        return plan
    }

    /// Removes what was planned.
    ///
    /// The lists are written last: a line whose file is gone is dropped by the next bake.
    ///
    /// - Returns: The number of removed files.
    func run(_ plan: Plan, in output: OutputFolder) -> Int {
        var removed = plan.copies.count { removeFile(root + "/" + $0) }
        for path in plan.copies { removeEmptyFolders(of: path) }
        removed += plan.images.count { removeFile($0) }
        for (folder, list) in plan.lists {
            var list = list
            let names = Set(namesInFolder(folder))
            // A file that its index still names would only not be found.
            if list.hasIndex { try? SiteIndex(inFolder: folder)?.write(to: output, folder) }
            list.files = list.files.filter { names.contains($0.key) }
            guard list != ImageFileList(inFolder: folder) else { continue }
            // Without the times, an image is kept for longer.
            try? output.write(list.encoded, to: folder + "/" + ImageFileList.name, mode: 0o644)
        }
        return removed
    }

    /// A plan to remove nothing.
    static func nothing(_ reason: String) -> Plan {
        var plan = Plan()
        plan.diagnostics = [
            Diagnostic(Problem(.nothingRemoved, "nothing was removed: \(reason)"), .warning)
        ]
        return plan
    }

    /// The image folders of the output, by absolute paths without links.
    private func folders(_ scan: SiteScan.Result, _ plan: inout Plan) -> Set<String> {
        var folders = Set(
            scan.imageFolders.map { $0.isEmpty ? searched : searched + "/" + $0 }
                .filter { isPath($0, within: root) })
        let named = site.reading.imageDirectory
        guard let folder = resolvedPath(named.hasPrefix("/") ? named : root + "/" + named),
            ImageFolder.isMarked(folder)
        else { return folders }
        if takesShared || isPath(folder, within: searched) {
            folders.insert(folder)
        } else {
            let reason = "the image folder \(folder) is not in it, and other sites may use it"
            plan.diagnostics += Self.nothing("\(reason)").diagnostics
        }
        return folders
    }

    private func isListed(_ name: String, _ path: String, in plan: Plan) -> Bool {
        let folder = String(path.dropLast(name.utf8.count + 1))
        guard let list = plan.lists[folder] else { return false }
        return list.files[name] != nil || name == SiteIndex.name && list.hasIndex
    }

    /// Searches files on all cores.
    private func names(
        _ candidates: Set<ImageHash>, in pages: [String]
    ) async throws -> NamedImages {
        let empty = NamedImages(candidates)
        var named = empty
        if candidates.isEmpty { return named }
        try await inOrder(pages) { page in
            var found = empty
            try found.search(file: page)
            return found
        } each: { _, found in
            named.formUnion(try found.get().found)
        }
        return named
    }

    /// Adds the files that named style sheets of bakes name.
    private func withParts(
        of scan: SiteScan.Result, _ named: Set<ImageHash>, _ candidates: Set<ImageHash>,
        _ plan: Plan
    ) throws(FileError) -> Set<ImageHash> {
        var sheets = scan.files.filter { file in
            let name = String(pathParts(file.path).last ?? "")
            return file.path.hasSuffix("." + ImageFormat.css.fileExtension)
                && isListed(name, searched + "/" + file.path, in: plan)
        }
        var named = named
        while let next = sheets.firstIndex(where: { sheet in
            imageHash(of: String(pathParts(sheet.path).last ?? "")).map(named.contains) == true
        }) {
            var parts = NamedImages(candidates)
            try parts.search(file: searched + "/" + sheets.remove(at: next).path)
            named.formUnion(parts.found)
        }
        return named
    }

    /// Searches the lines about documents that are not in the searched folder but use the image folder.
    private func search(
        _ lines: [OriginList.Line], in folder: String, _ named: inout NamedImages
    ) {
        for line in lines {
            let path = line.path(in: folder)
            guard !isPath(path, within: searched), FileStatus(path) != nil else { continue }
            named.formUnion(line.images)
        }
    }

    /// Decides which images are removed.
    private func judge(
        _ named: Set<ImageHash>, _ stems: Set<String>, _ planned: Set<String>, _ plan: inout Plan
    ) {
        for (folder, list) in plan.lists.sorted(by: { $0.key < $1.key }) {
            for (name, source) in list.files.sorted(by: { $0.key < $1.key }) {
                let isUsed =
                    planned.contains(source.digest.hex)
                    || imageHash(of: name).map(named.contains) == true
                    || name.lastIndex(of: "-").map { stems.contains(String(name[..<$0])) } == true
                // A clock that was set back says nothing about the time.
                let since = isUsed ? nil : min(source.unnamedSince ?? now, now)
                plan.lists[folder]?.files[name]?.unnamedSince = since
                let path = folder + "/" + name
                guard let since, now - since >= grace, FileStatus(path) != nil else { continue }
                if isBakedImage(path) {
                    plan.images.append(path)
                    continue
                }
                let problem = Problem(
                    .publishedImageDamaged,
                    "no file names this image, but it is kept: its bytes are not those that imgbake "
                        + "made",
                    remedy: "look at the file, and delete it if nobody needs it")
                plan.diagnostics.append(
                    Diagnostic(problem, .warning, at: Diagnostic.Place(display(path))))
            }
        }
    }

    /// The path of a file in messages.
    func display(_ path: String) -> String {
        guard isPath(path, within: site.root) else { return path }
        return site.name(String(path.dropFirst(site.root.count + 1)))
    }

    private func removeEmptyFolders(of path: String) {
        var parts = pathParts(path).dropLast()
        while !parts.isEmpty {
            removeEmptyFolder(root + "/" + parts.joined(separator: "/"))
            parts = parts.dropLast()
        }
    }
}

/// Finds out which of some images files name, whatever the files are.
///
/// Any text with the hash of an image counts, however a program wrote the rest of its name. So a
/// name in a script, in UTF-16 or with an escaped hyphen is found too.
struct NamedImages: Sendable {
    private let candidates: Set<ImageHash>
    /// The candidates that were found.
    private(set) var found: Set<ImageHash> = []

    init(_ candidates: Set<ImageHash>) { self.candidates = candidates }

    mutating func formUnion(_ images: Set<ImageHash>) {
        found.formUnion(images.intersection(candidates))
    }

    /// Searches a file of any size.
    ///
    /// - Parameter path: The absolute path of the file.
    /// - Throws: ``FileError``.
    mutating func search(file path: String) throws(FileError) {
        if candidates.isEmpty { return }
        var pieces = try FilePieces(path)
        var value: ImageHash = 0
        var digits = 0
        while let piece = try pieces.next() {
            // A character of UTF-16 has a byte that is 0.
            for byte in piece where byte != 0 {
                guard let digit = hexDigit(byte) else {
                    digits = 0
                    continue
                }
                value = value << 4 | ImageHash(digit)
                digits += 1
                if digits >= 16, candidates.contains(value) { found.insert(value) }
            }
        }
    }
}
