import FetchCache
import Files
import Locks
import Pictures
import Records
import Reports
import Sites

/// What the last bake of a site left behind, so that the next one opens no file that has not changed.
///
/// A document is left alone if its file, its output and the files of its images have the status that
/// they had, and no server need be asked about an image. All else is looked at as if there were no
/// state. So a state that is missing, damaged or of another build costs time only.
///
/// Statuses are ``FileMark``s, which are recorded only if they are settled.
///
/// No program can set the time of the last change of a status, so neither an equal size nor an old
/// time hides a change. After a day each image is looked up in the cache again, because its use
/// keeps it there.
final class BuildState: Sendable {
    /// Facts about a document that was baked without any diagnostic.
    struct Baked {
        /// The status with which its text was read.
        var input: FileMark
        var referenceCount: Int
        /// Whether references of it were replaced.
        var isRewritten: Bool
        /// Whether it needs the style sheet of added classes.
        var usesSheet = false
        var kept = KeptImages()
        var images: [BakedImage]
        /// See ``ImageRequest/folder``.
        var folder: String?
    }

    /// A part of the old state.
    private struct Part {
        var reader: BuildStateReader
        /// Whether an image may be used, by its number; nil if no document has asked yet.
        var verdicts: [Bool?]
        /// Where the rows of the documents begin that were left alone.
        var documents: [Int] = []
        /// Whether a document that was left alone has an image, by the number of the image.
        var isUsed: [Bool]

        init(_ reader: BuildStateReader) {
            self.reader = reader
            verdicts = Array(repeating: nil, count: reader.images.count)
            isUsed = Array(repeating: false, count: reader.images.count)
        }

        /// The images of documents that were left alone.
        var images: [StateImage] {
            reader.images.indices.filter { isUsed[$0] }.map { reader.images[$0] }
        }
    }

    private struct Contents {
        /// The whole state and its additions; a document in both is as the additions say.
        var old: [Part] = []
        /// When the newest part was written, in milliseconds since 1970.
        var time: Int64 = 0
        /// The documents that were baked.
        var new = BuildStateWriter()

        /// Adds documents of the old state to the new ones, so that these can take the place of its
        /// additions, or of all of it.
        ///
        /// - Parameter isComplete: Whether each document of the site was looked at.
        /// - Returns: The digest of the whole state that stays; nil if it does not.
        mutating func merge(isComplete: Bool) -> String? {
            if !isComplete {
                for index in old.indices {
                    old[index].documents += old[index].reader.placesOfRest()
                }
            }
            let added = old.dropFirst().reduce(new.count) { $0 + $1.documents.count }
            let whole = old.first.flatMap { whole in
                whole.documents.count < added * BuildState.documentsPerAddition ? nil : whole
            }
            for part in old.dropFirst(whole == nil ? 0 : 1) {
                new.add(part.documents, of: part.reader)
            }
            return whole?.reader.digest
        }
    }

    static let namespace = "state"
    /// The whole state is written if there would be more additions than one for so many documents.
    private static let documentsPerAddition = 8
    /// After this time, the uses of images are recorded in the cache, so that it keeps them.
    static let longestTrust: Int64 = 24 * 3_600_000

    private let values: BuildValues
    /// The keys of the whole state and of what was added to it since.
    private let keys: (whole: String, additions: String)
    private let programs: ProgramIdentity
    private let site: Site
    private let output: OutputFolder
    private let loader: ImageLoader
    private let published: PublishedFiles
    private let hasSheet: Bool
    private let isTrusted: Bool
    private let contents: Locked<Contents>
    /// The time in milliseconds since 1970.
    private let now: @Sendable () -> Int64
    /// The time before the uses of images.
    private let start: Int64

    /// Reads the state of the last bake with the same settings.
    ///
    /// - Parameters:
    ///   - key: The key of everything that decides the result of the site, except its files.
    ///   - programs: The programs that make results.
    ///   - site: The site.
    ///   - output: The folder that it is baked to.
    ///   - loader: Knows until when an image is fresh.
    ///   - published: Knows which files of images are complete.
    ///   - hasSheet: Whether the style sheet of added classes exists.
    ///   - isTrusted: Whether an earlier state is used; otherwise only a new one is written.
    ///   - now: The clock of the cache, in milliseconds since 1970.
    init(
        key: String, programs: ProgramIdentity, site: Site, output: OutputFolder,
        loader: ImageLoader, published: PublishedFiles, hasSheet: Bool, isTrusted: Bool,
        now: @escaping @Sendable () -> Int64
    ) async {
        values = BuildValues(name: Self.namespace, cache: loader.cache)
        (keys, self.programs) = (Self.keys(for: key), programs)
        (self.site, self.output) = (site, output)
        (self.loader, self.published, self.now) = (loader, published, now)
        (self.hasSheet, self.isTrusted, start) = (hasSheet, isTrusted, now())
        var parts: [Part] = []
        for key in isTrusted ? [keys.whole, keys.additions] : [] {
            // Additions to another state are left from before that one was written.
            guard let bytes = try? await values.value(for: key, of: programs.knownBuild()),
                let reader = BuildStateReader(bytes),
                reader.base == parts.first?.reader.digest ?? ""
            else { break }
            parts.append(Part(reader))
        }
        contents = Locked(
            Contents(old: parts, time: parts.map(\.reader.time).max() ?? 0))
    }

    /// The keys of the parts of a state in the cache.
    static func keys(for key: String) -> (whole: String, additions: String) {
        (key, key + " additions")
    }

    /// A document that has not changed since the last bake, and whose images have not.
    ///
    /// - Parameters:
    ///   - path: The path of the document; paths are asked for in the order of their bytes.
    ///   - input: Its status.
    /// - Returns: nil if anything may have changed.
    func unchanged(_ path: String, _ input: FileStatus) -> StateDocument? {
        contents.withLock { contents in
            let time = contents.time
            for index in contents.old.indices.reversed() {
                guard let document = contents.old[index].reader.document(at: path) else { continue }
                let isSame =
                    document.input == FileMark(input) && document.output == mark(ofOutput: path)
                    && (hasSheet || !document.usesSheet)
                    && document.images.allSatisfy {
                        isUsable($0, &contents.old[index], since: time)
                    }
                guard isSame else { return nil }
                contents.old[index].documents.append(document.place)
                for image in document.images { contents.old[index].isUsed[image] = true }
                return document
            }
            return nil
        }
    }

    /// Records a document that was baked.
    func add(_ baked: Baked, at path: String) async {
        var images: [StateImage] = []
        for image in baked.images {
            guard let rows = await rows(of: image, baked.folder) else { return }
            images += rows
        }
        let mark = mark(ofOutput: path)
        guard site.isInPlace || mark != nil else { return }
        contents.withLock { [images] contents in
            let numbers = images.map { contents.new.add($0) }
            let document = StateDocument(
                input: baked.input, output: mark, referenceCount: Int64(baked.referenceCount),
                isRewritten: baked.isRewritten, usesSheet: baked.usesSheet, kept: baked.kept,
                images: numbers)
            contents.new.add(document, at: path, isFresh: true)
        }
    }

    /// Whether a document was left alone, so that the last use of its images was up to
    /// ``longestTrust`` ago.
    var hasSkipped: Bool { contents.withLock { $0.old.contains { !$0.documents.isEmpty } } }

    /// The images of documents that were left alone, each once.
    var unasked: [StateImage] {
        contents.withLock { contents in
            guard let whole = contents.old.first else { return [] }
            let added = contents.old.dropFirst().flatMap(\.images)
            let keys = Set(added.map(\.key))
            return whole.images.filter { !keys.contains($0.key) } + added
        }
    }

    /// Writes what the next bake can use of this one.
    ///
    /// A few documents are added to the old state. A failure is not an error; the next bake then
    /// looks at each document. Nothing is left to be saved a second time.
    ///
    /// - Parameter isComplete: Whether each document of the site was looked at.
    func save(isComplete: Bool) async {
        let new: (bytes: [UInt8], key: String)? = contents.withLock { contents in
            // The rows are as large as the bytes, and the cache copies those.
            defer { contents = Contents() }
            contents.new.leaveOutUnsettled(at: FileMark.now)
            if contents.new.count == 0 { return nil }
            let base = contents.merge(isComplete: isComplete)
            return (
                contents.new.encoded(after: base ?? "", at: now()),
                base == nil ? keys.whole : keys.additions
            )
        }
        if let new {
            try? await values.set(new.bytes, for: new.key, of: programs.knownBuild())
            if new.key == keys.whole { try? await values.remove(keys.additions) }
        } else if !isTrusted {
            // It says that images are fresh for which a server has just said otherwise.
            try? await values.remove(keys.whole)
        }
    }

    private func mark(ofOutput path: String) -> FileMark? {
        site.isInPlace ? nil : FileStatus(output.path(path)).map(FileMark.init)
    }

    /// Whether an image is published, fresh and unchanged since the state was written at `time`.
    private func isUsable(_ number: Int, _ part: inout Part, since time: Int64) -> Bool {
        guard part.verdicts.indices.contains(number) else { return false }
        if let verdict = part.verdicts[number] { return verdict }
        let image = part.reader.images[number]
        let now = now()
        let isUsable =
            // A clock that was set back says nothing about freshness.
            time <= now && now < image.freshUntil
            && FileStatus(path(of: image.key, image.fileName)).map(FileMark.init) == image.file
            && sourceMark(of: image.key.url) == image.source
        part.verdicts[number] = isUsable
        return isUsable
    }

    private func path(of key: StateImage.Key, _ fileName: String) -> String {
        let folder = key.folder.isEmpty ? site.reading.imageDirectory : key.folder
        return output.path(folder + "/" + fileName)
    }

    /// The status of an image of the site itself; nil for one of another host.
    private func sourceMark(of url: String) -> FileMark? {
        guard case .local(let path) = ImageLocation(key: url),
            let file = try? locateLocalImage(path, root: site.root)
        else { return nil }
        return FileStatus(file).map(FileMark.init)
    }

    /// The rows of an image and of its smaller files; nil if it cannot be trusted later.
    private func rows(of image: BakedImage, _ folder: String?) async -> [StateImage]? {
        guard !image.isNoStore, image.note == nil else { return nil }
        let now = now()
        var freshUntil = start + Self.longestTrust
        var source: FileMark?
        switch ImageLocation(key: image.url) {
        case .local(let path):
            source = loader.mark(ofLocal: path)
            if source == nil { return nil }
        case .remote:
            guard let fresh = loader.freshUntil(image.url), fresh > now else { return nil }
            freshUntil = min(freshUntil, fresh)
        }
        let key = StateImage.Key(image, folder)
        var rows: [StateImage] = []
        for file in image.files {
            let path = path(of: key, file.name)
            guard let status = FileStatus(path), await published.isKnown(path, status) else {
                return nil
            }
            rows.append(
                StateImage(
                    key: key, sourceByteCount: Int64(image.sourceByteCount),
                    byteCount: Int64(file.byteCount),
                    quality: Int64(rows.isEmpty ? image.quality ?? 0 : 0), freshUntil: freshUntil,
                    fileName: file.name, isSmaller: !rows.isEmpty, file: FileMark(status),
                    source: source))
        }
        return rows
    }
}

extension StateImage.Key {
    init(_ image: BakedImage, _ folder: String?) {
        self.init(
            url: image.url, options: KnownOptions.text(of: image.options), folder: folder ?? "")
    }

    init(_ request: ImageRequest) {
        self.init(
            url: request.source.key, options: KnownOptions.text(of: request.options),
            folder: request.folder ?? "")
    }
}
