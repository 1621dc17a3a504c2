package import FetchCache
import Files
import FoundationEssentials
import Glibc
import ImageFormats
import Locks
package import Recipes
package import Records

extension ImageHeader: Remembered {}

/// The headers of sources, which the cache stores after the first job of a source has read them.
package struct HeaderStore: Sendable {
    package typealias Found = Memory<ImageHeader>.Found

    /// The recipe under which a level of another machine has headers, as variants of their sources.
    static let recipe = "header"

    private let memory: Memory<ImageHeader>
    private let programs: ProgramIdentity
    /// The headers of sources that must not be stored, for the time of the bake.
    private let unstored = Locked<[BlobDigest: ImageHeader]>([:])

    package init(cache: FetchManager, programs: ProgramIdentity) {
        memory = Memory(of: "headers", in: cache)
        self.programs = programs
    }

    /// The stored header of a source; ``Found/none`` also for one that the source cannot have.
    ///
    /// - Throws: ``FetchError``, ``WorkerPool/PoolError``.
    package func find(_ source: LoadedImage) async throws -> Found {
        if source.isNoStore {
            return unstored.withLock { $0[source.digest] }.map { .value($0) } ?? .none
        }
        let build = try await programs.programs().build
        let found = try await memory.find(source.digest.hex, of: build)
        if case .value(let header) = found {
            guard isPossible(header, of: source) else { return .none }
            if memory.cache.isFilling { await share(header, of: source, build, .fill) }
            return found
        }
        let metadata = await memory.cache.variantMetadata(
            of: source.digest, recipe: Self.recipe, encoder: build)
        // It is not stored here: a bake that needs it again asks about the source again, and then the
        // level has it in memory.
        let shared = metadata.flatMap {
            try? JSONDecoder().decode(ImageHeader.self, from: Data($0.utf8))
        }
        if let shared, isPossible(shared, of: source) { return .value(shared) }
        return found
    }

    /// Whether a source can have a header.
    ///
    /// If the bytes of the source are not on this machine, only its length is known.
    private func isPossible(_ header: ImageHeader, of source: LoadedImage) -> Bool {
        let facts =
            source.hasBytes
            ? FileFacts(fileAt: source.path)
            : FileFacts(format: header.format, size: nil, byteCount: source.byteCount)
        return (try? header.check(against: facts)) != nil
    }

    /// Records that the header of a source is still needed.
    func use(_ source: LoadedImage) { memory.use(source.digest.hex) }

    /// Stores the header of a source; if it must not be stored, an earlier one is removed.
    ///
    /// - Throws: ``FetchError``, ``WorkerPool/PoolError``.
    func remember(_ header: ImageHeader, of source: LoadedImage) async throws {
        if source.isNoStore {
            unstored.withLock { $0[source.digest] = header }
            return try await memory.remove([source.digest.hex])
        }
        let build = try await programs.programs().build
        try await memory.set([source.digest.hex: header], of: build)
        await share(header, of: source, build, .all)
    }

    /// Gives a header to other machines, unless it is that of an image of the site itself: they would
    /// get its bytes too.
    private func share(
        _ header: ImageHeader, of source: LoadedImage, _ build: String, _ sharing: Sharing
    ) async {
        guard source.isForOthers, source.origin != .local else { return }
        let variant = LevelVariant(
            source: source.digest, recipe: Self.recipe, encoder: build, digest: source.digest,
            byteCount: source.byteCount, metadata: canonicalText(of: header))
        await memory.cache.share(variant, at: FilePath(source.path), sharing)
    }
}

extension FileFacts {
    /// The facts about the file at a path; without a format if it cannot be read.
    init(fileAt path: String) {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        defer { if file >= 0 { close(file) } }
        self.init(descriptor: file)
    }

    /// The facts about an open file; its position does not change.
    init(descriptor: Int32) {
        let byteCount = FileStatus(descriptor: descriptor)?.byteCount ?? 0
        func bytes(_ range: Range<Int>) -> [UInt8] {
            [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
                count = max(0, pread(descriptor, buffer.baseAddress, range.count, range.lowerBound))
            }
        }
        for length in FileFacts.prefixes {
            let isLast = length >= byteCount || length == FileFacts.prefixes.last
            let beginning = bytes(0..<min(length, byteCount))
            if let facts = FileFacts(beginning, byteCount: byteCount, isLast: isLast) {
                self = facts
                return
            }
        }
        self.init(format: nil, size: nil, byteCount: byteCount)
    }
}

extension FileContent {
    /// The content of an open file; foreign if it cannot be read.
    init(descriptor: Int32, format: ImageFormat) {
        let count = FileStatus(descriptor: descriptor)?.byteCount ?? 0
        // It is not mapped, because somebody could cut a local image.
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, read in
            read = max(0, pread(descriptor, buffer.baseAddress, count, 0))
        }
        self = bytes.withUnsafeBytes { FileContent(of: $0, format: format) }
    }
}

extension JobResult.Variant {
    /// Checks the file of a variant at a path: see ``check(_:_:of:metadata:)``.
    func check(
        fileAt path: String, of header: ImageHeader, metadata: Recipe.Metadata?
    ) throws(BrokenRule) {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        defer { if file >= 0 { close(file) } }
        try check(file: file, of: header, metadata: metadata)
    }

    /// Checks the open file of a variant.
    func check(
        file: Int32, of header: ImageHeader, metadata: Recipe.Metadata?
    ) throws(BrokenRule) {
        try check(
            FileFacts(descriptor: file), FileContent(descriptor: file, format: format),
            of: header, metadata: metadata)
    }
}
