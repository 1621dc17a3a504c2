import FetchCache
import Files
import Locks
import Pages
import Pictures
import Recipes
import Records
import Reports
import Sites
import StyleSizing

/// What the last bake of a site left behind, so that the next one opens no file that has not changed.
///
/// A document is left alone if its file, its output and the files of its images have the status that
/// they had, and no server need be asked about an image. All else is looked at as if there were no
/// state. So rows that are missing, damaged or of another build cost time only.
///
/// Statuses are ``FileMark``s, which are recorded only if they are settled.
///
/// No program can set the time of the last change of a status, so neither an equal size nor an old
/// time hides a change. After a day each image is looked up in the cache again, because its use
/// keeps it there.
final class BuildState: Sendable {
    private struct Contents {
        /// Rows of the last bake, of the documents that were read ahead.
        var known: [String: StateDocument] = [:]
        /// The images of those documents, by their keys.
        var images: [String: StateImage] = [:]
        /// Whether an image may be used, by its key; nil if no document has asked yet.
        var verdicts: [String: Bool] = [:]
        /// The images of documents that were left alone, by their keys.
        var unasked: [String: StateImage] = [:]
        var hasSkipped = false
        /// A clock that was set back since a row was written says nothing about freshness.
        var isClockRight = true
        /// The rows of this bake, and the documents that have none.
        var newDocuments: [String: StateDocument] = [:]
        var newImages: [String: StateImage] = [:]
        var outdated: Set<String> = []
    }

    /// The number of documents that are read ahead, and after which new rows are written.
    static let batch = 512
    /// After this time, the uses of images are recorded in the cache, so that it keeps them.
    static let longestTrust: Int64 = 24 * 3_600_000

    private let documents: Memory<StateDocument>
    private let images: Memory<StateImage>
    private let build: String
    /// What the keys of all rows begin with.
    private let prefix: String
    private let site: Site
    private let output: OutputFolder
    private let loader: ImageLoader
    private let published: PublishedFiles
    /// Those of ``StateDocument/named`` that exist.
    private let present: Set<ImageHash>
    private let isTrusted: Bool
    private let contents = Locked(Contents())
    /// The time in milliseconds since 1970.
    private let now: @Sendable () -> Int64
    /// The time before the uses of images.
    private let start: Int64

    /// - Parameters:
    ///   - key: The key of everything that decides the result of the site, except its files.
    ///   - baker: The baker of the site's documents.
    ///   - isTrusted: Whether an earlier state is used; otherwise only a new one is written.
    ///   - now: The clock of the cache, in milliseconds since 1970.
    init(
        key: String, of baker: DocumentBaker, isTrusted: Bool,
        now: @escaping @Sendable () -> Int64
    ) async {
        let pipeline = baker.images.pipeline
        (site, output) = (baker.site, baker.output)
        (loader, published) = (pipeline.loader, pipeline.publisher.published)
        if site.isInPlace {
            let names = SiteOrigins.folders(of: site).flatMap { namesInFolder($0) }
            present = Set(names.compactMap { imageHash(of: $0) })
        } else {
            present = await pipeline.publisher.hasSheet() ? [AddedSheet.digest.imageHash] : []
        }
        documents = Memory(of: "state documents", in: loader.cache)
        images = Memory(of: "state images", in: loader.cache)
        build = await pipeline.programs.knownBuild()
        prefix = key.prefix(32) + " "
        (self.isTrusted, self.now, start) = (isTrusted, now, now())
    }

    /// Reads what is known of some documents, on all cores: to decode it takes longer than to look at
    /// their files.
    func known(of paths: [String]) async -> [String: StateDocument] {
        guard isTrusted else { return [:] }
        return await withTaskGroup(of: [String: StateDocument].self) { group in
            for start in stride(from: 0, to: paths.count, by: Self.batch / 4) {
                let part = Array(paths[start..<min(paths.count, start + Self.batch / 4)])
                group.addTask { await self.values(of: self.documents, part) }
            }
            return await group.reduce(into: [:]) { $0.merge($1) { $1 } }
        }
    }

    /// Takes what is known of the next documents; ``unchanged(_:_:)`` is asked about them then.
    func expect(_ known: [String: StateDocument]) async {
        guard isTrusted else { return }
        let now = now()
        let missing = contents.withLock { contents in
            contents.known = known
            contents.isClockRight = known.values.allSatisfy { $0.time <= now }
            return Set(contents.known.values.flatMap(\.images)).subtracting(contents.images.keys)
        }
        let images = await values(of: images, Array(missing))
        contents.withLock { $0.images.merge(images) { $1 } }
    }

    private func values<Value>(
        of memory: Memory<Value>, _ names: [String]
    ) async -> [String: Value] {
        let rows = (try? await memory.values(names.map { prefix + $0 }, of: build)) ?? [:]
        return Dictionary(
            rows.map { (String($0.dropFirst(prefix.count)), $1) }, uniquingKeysWith: { $1 })
    }

    /// A document that has not changed since the last bake, and whose images have not.
    ///
    /// - Parameters:
    ///   - path: The path of the document, of which it was told what is known.
    ///   - input: Its status.
    /// - Returns: nil if anything may have changed.
    func unchanged(_ path: String, _ input: FileStatus) -> StateDocument? {
        contents.withLock { contents in
            guard let document = contents.known[path], document.input == FileMark(input),
                document.output == mark(ofOutput: path),
                document.named.allSatisfy(present.contains),
                document.images.allSatisfy({ isUsable($0, &contents) })
            else {
                if contents.known[path] != nil || !isTrusted { contents.outdated.insert(path) }
                return nil
            }
            contents.hasSkipped = true
            for image in document.images { contents.unasked[image] = contents.images[image] }
            return document
        }
    }

    /// Records a document that was baked, unless the next bake has to look at it.
    func add(_ baked: DocumentBaker.Report, at path: String) async {
        // In place, the next bake finds the references to baked images, and not these.
        guard baked.diagnostics.isEmpty, !site.isInPlace || !baked.isRewritten,
            let input = baked.input, let made = baked.images
        else { return }
        var images: [String: StateImage] = [:]
        for image in made.flatMap({ [$0] + $0.parts }) {
            guard let rows = await rows(of: image) else { return }
            for row in rows { images[row.request + " " + row.fileName] = row }
        }
        let mark = mark(ofOutput: path)
        guard site.isInPlace || mark != nil else { return }
        let document = StateDocument(
            input: input, output: mark, referenceCount: baked.referenceCount,
            isRewritten: baked.isRewritten,
            kept: baked.kept == KeptImages() ? nil : baked.kept, images: images.keys.sorted(),
            named: baked.named.sorted(), time: now())
        let count = contents.withLock { [images] contents in
            contents.newImages.merge(images) { $1 }
            contents.newDocuments[path] = document
            return contents.newDocuments.count
        }
        if count % Self.batch == 0 { await save() }
    }

    /// Whether a document was left alone, so that the last use of its images was up to
    /// ``longestTrust`` ago.
    var hasSkipped: Bool { contents.withLock(\.hasSkipped) }

    /// The images of documents that were left alone, each once.
    var unasked: [StateImage] { contents.withLock { Array($0.unasked.values) } }

    /// Keys of requests for images: equal requests give the same image.
    static func requests(of requests: some Sequence<ImageRequest>) -> Set<String> {
        Set(requests.map { request($0.source.key, $0.options) })
    }

    private static func request(_ url: String, _ options: VariantOptions) -> String {
        String(derivedKey(of: [url, canonicalText(of: options)]).prefix(32))
    }

    /// Writes what the next bake can use of this one; the rows of files that have just been written wait
    /// for the next call.
    ///
    /// A failure is not an error; the next bake then looks at each document.
    func save() async {
        let (new, outdated) = contents.withLock { contents in
            let now = FileMark.now
            // A later change in the same tick of the clock would not be visible.
            let settled = contents.newDocuments.filter { _, document in
                document.output?.isSettled(at: now) ?? true
                    && document.images.allSatisfy {
                        contents.newImages[$0]?.file.isSettled(at: now) == true
                    }
            }
            let images = contents.newImages
            let outdated = contents.outdated.filter { settled[$0] == nil }
            contents.newDocuments = contents.newDocuments.filter { settled[$0.key] == nil }
            let waiting = Set(contents.newDocuments.values.flatMap(\.images))
            contents.newImages = images.filter { waiting.contains($0.key) }
            contents.outdated = []
            return ((documents: settled, images: images), outdated)
        }
        // First of all, because they may name an image of which more is known now.
        try? await documents.remove(outdated.map { prefix + $0 })
        try? await images.set(prefixed(new.images), of: build)
        try? await documents.set(prefixed(new.documents), of: build)
    }

    private func prefixed<Value>(_ rows: [String: Value]) -> [String: Value] {
        Dictionary(rows.map { (prefix + $0, $1) }, uniquingKeysWith: { $1 })
    }

    private func mark(ofOutput path: String) -> FileMark? {
        site.isInPlace ? nil : FileStatus(output.path(path)).map(FileMark.init)
    }

    /// Whether an image is published, fresh and unchanged since it was recorded.
    private func isUsable(_ key: String, _ contents: inout Contents) -> Bool {
        if let verdict = contents.verdicts[key] { return verdict }
        guard let image = contents.images[key] else { return false }
        let isUsable =
            contents.isClockRight && now() < image.freshUntil
            && FileStatus(path(of: image.fileName)).map(FileMark.init) == image.file
            && sourceMark(of: image.url) == image.source
        contents.verdicts[key] = isUsable
        return isUsable
    }

    private func path(of fileName: String) -> String {
        output.path(site.reading.imageDirectory + "/" + fileName)
    }

    /// The status of an image of the site itself; nil for one of another host.
    private func sourceMark(of url: String) -> FileMark? {
        guard case .local(let path) = ImageLocation(key: url),
            let file = try? locateLocalImage(path, root: site.root)
        else { return nil }
        return FileStatus(file).map(FileMark.init)
    }

    /// The rows of an image and of its smaller files; nil if it cannot be trusted later.
    private func rows(of image: BakedImage) async -> [StateImage]? {
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
        let request = Self.request(image.url, image.options)
        var rows: [StateImage] = []
        for file in image.files {
            let path = path(of: file.fileName)
            guard let status = FileStatus(path), await published.isKnown(file.fileName, status)
            else { return nil }
            rows.append(
                StateImage(
                    request: request, url: image.url, fileName: file.fileName,
                    isSmaller: rows.isEmpty ? nil : true, sourceByteCount: image.sourceByteCount,
                    byteCount: file.byteCount, quality: rows.isEmpty ? image.quality : nil,
                    freshUntil: freshUntil, file: FileMark(status), source: source))
        }
        return rows
    }
}

/// An image that the last bake published.
struct StateImage: Remembered {
    /// See ``BuildState/requests(of:)``.
    var request: String
    /// The source's URL, from ``ImageLocation/key``.
    var url: String
    /// The name of the published file in its folder.
    var fileName: String
    /// Whether this is a further file of the image that was asked for; nil if not.
    var isSmaller: Bool?
    var sourceByteCount: Int
    var byteCount: Int
    /// See ``BakedImage/quality``.
    var quality: Int?
    /// The time until which no server need be asked, in milliseconds since 1970.
    var freshUntil: Int64
    /// The published file.
    var file: FileMark
    /// The file of an image of the site itself; nil for an image of another host.
    var source: FileMark?

    var isPossible: Bool {
        [sourceByteCount, byteCount].allSatisfy(possibleByteCounts.contains)
            && isPossibleQuality(quality)
    }
}

/// A document that the last bake left as it should be.
struct StateDocument: Remembered {
    var input: FileMark
    /// Nil in place: the document is its own output.
    var output: FileMark?
    var referenceCount: Int
    /// Whether references of it were replaced.
    var isRewritten: Bool
    /// The images that get fewer files than the options ask for; nil if there are none.
    var kept: KeptImages?
    /// The keys of its images.
    var images: [String]
    /// The images of earlier bakes in place that it names, and the style sheet that it needs.
    var named: [ImageHash]
    /// When it was recorded, in milliseconds since 1970.
    var time: Int64

    var isPossible: Bool {
        (0...Int(Int32.max)).contains(referenceCount) && kept?.isPossible ?? true
    }
}
