import FetchCache
import Files
import Locks

/// What the last bake of a site left behind, so that the next one opens no file that has not changed.
///
/// A document is left alone if its file, its output and the files of its images have the status that
/// they had, and no server need be asked about an image. All else is looked at as if there were no
/// state. So a state that is missing, damaged or of another build costs time only.
///
/// Statuses are ``FileMark``s, which are recorded only if they are settled.
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

    private struct Contents {
        var old: BuildStateReader?
        var new = BuildStateWriter()
        /// Whether an image of the old state may be used, by its number.
        var verdicts: [Int: Bool] = [:]
        /// The images of documents that were left alone, each once.
        var unasked: [StateImage] = []
        var unaskedNumbers: Set<Int> = []
        var isChanged = false
    }

    private static let namespace = "state"
    /// After this time, the uses of images are recorded in the cache, so that it keeps them.
    private static let longestTrust: Int64 = 24 * 3_600_000

    private let values: BuildValues
    private let key: String
    private let programs: ProgramIdentity
    private let site: Site
    private let output: OutputFolder
    private let loader: ImageLoader
    private let published: PublishedFiles
    private let hasSheet: Bool
    private let contents: Locked<Contents>
    /// The time in milliseconds since 1970.
    private let now: @Sendable () -> Int64

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
        (self.key, self.programs) = (key, programs)
        (self.site, self.output) = (site, output)
        (self.loader, self.published, self.now) = (loader, published, now)
        self.hasSheet = hasSheet
        var bytes: [UInt8]?
        if isTrusted { bytes = try? await values.value(for: key, of: programs.knownBuild()) }
        contents = Locked(Contents(old: bytes.flatMap(BuildStateReader.init)))
    }

    /// A document that has not changed since the last bake, and whose images have not.
    ///
    /// - Parameters:
    ///   - path: The path of the document; paths are asked for in the order of their bytes.
    ///   - input: Its status.
    /// - Returns: nil if anything may have changed.
    func unchanged(_ path: String, _ input: FileStatus) -> StateDocument? {
        contents.withLock { contents in
            guard let document = contents.old?.document(at: path) else { return nil }
            guard document.input == FileMark(input), document.output == mark(ofOutput: path),
                hasSheet || !document.usesSheet,
                document.images.allSatisfy({ isUsable($0, &contents) })
            else {
                contents.isChanged = true
                return nil
            }
            var images: [Int] = []
            for number in document.images {
                guard let image = contents.old?.images[number] else { return nil }
                images.append(contents.new.add(image))
                if contents.unaskedNumbers.insert(number).inserted {
                    contents.unasked.append(image)
                }
            }
            var kept = document
            kept.images = images
            contents.new.add(kept, at: path, isFresh: false)
            return kept
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
            contents.isChanged = true
            let numbers = images.map { contents.new.add($0) }
            let document = StateDocument(
                input: baked.input, output: mark, referenceCount: Int64(baked.referenceCount),
                isRewritten: baked.isRewritten, usesSheet: baked.usesSheet, kept: baked.kept,
                images: numbers)
            contents.new.add(document, at: path, isFresh: true)
        }
    }

    /// The images of documents that were left alone.
    var unasked: [StateImage] { contents.withLock(\.unasked) }

    /// Writes the state for the next bake, if it differs.
    ///
    /// A failure is not an error; the next bake then looks at each document. Nothing is left to be
    /// saved a second time.
    func save() async {
        let bytes: [UInt8]? = contents.withLock { contents in
            // The rows are as large as the bytes, and the cache copies those.
            defer { (contents.old, contents.new) = (nil, BuildStateWriter()) }
            // A state without documents is as good as none.
            let isSame = !contents.isChanged && contents.old?.documentCount == contents.new.count
            return isSame ? nil : contents.new.encoded(at: now(), settledAt: FileMark.now)
        }
        guard let bytes else { return }
        try? await values.set(bytes, for: key, of: programs.knownBuild())
    }

    private func mark(ofOutput path: String) -> FileMark? {
        site.isInPlace ? nil : FileStatus(output.path(path)).map(FileMark.init)
    }

    /// Whether an image is published, fresh and unchanged.
    private func isUsable(_ number: Int, _ contents: inout Contents) -> Bool {
        if let verdict = contents.verdicts[number] { return verdict }
        guard let old = contents.old, old.images.indices.contains(number) else { return false }
        let image = old.images[number]
        let now = now()
        let isUsable =
            // A clock that was set back says nothing about freshness.
            old.time <= now && now < image.freshUntil
            && FileStatus(path(of: image.key, image.fileName)).map(FileMark.init) == image.file
            && sourceMark(of: image.key.url) == image.source
        contents.verdicts[number] = isUsable
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
        var freshUntil = now + Self.longestTrust
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
