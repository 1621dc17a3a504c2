package import FetchCache
import Files
import FoundationEssentials
import Glibc
import ImageFormats
package import Recipes
import Reports
import Sites

/// The bytes of a variant and facts about them: a blob of the cache, the source itself, or a file
/// without a name.
///
/// `StoredVariant` in FetchCache is what the cache knows of one, and a ``VariantFile`` is its copy in
/// the image folder.
package struct VariantBlob: Sendable {
    /// The path of the bytes.
    var path: String
    package var digest: BlobDigest
    var byteCount: Int
    var format: ImageFormat
    /// In pixels.
    var width: Int
    var height: Int
    /// The encoder's number of a lossy encoding; nil without loss, and for the source's bytes.
    var quality: Int?
    /// The dominant colour of a placeholder; nil for other variants.
    var colour: Int?
    /// The file without a name, if the variant must not be stored; it exists as long as this value.
    var held: HeldFile?
}

extension VariantFile {
    /// The file of a variant in the image folder.
    ///
    /// - Parameters:
    ///   - blob: The variant.
    ///   - url: The URL of its source, from ``ImageLocation/key``.
    package init(_ blob: VariantBlob, of url: String) {
        self.init(
            fileName: imageFileName(url: url, digest: blob.digest.hex, format: blob.format),
            byteCount: blob.byteCount, format: blob.format, width: blob.width,
            height: blob.height, quality: blob.quality)
    }
}

extension BakedImage {
    /// An image with one file.
    ///
    /// - Parameters:
    ///   - request: The request for it.
    ///   - source: Its source.
    ///   - blob: The file.
    ///   - original: Facts about the source; those of the file by default.
    init(
        _ request: ImageRequest, of source: LoadedImage, _ blob: VariantBlob,
        original: Original? = nil
    ) {
        let file = VariantFile(blob, of: request.source.key)
        self.init(
            url: request.source.key, options: request.options, sourceDigest: source.digest,
            sourceByteCount: source.byteCount, fileName: file.fileName, byteCount: file.byteCount,
            format: file.format, width: file.width, height: file.height, quality: file.quality,
            original: original
                ?? Original(format: file.format, width: file.width, height: file.height),
            isNoStore: source.isNoStore)
    }
}

/// The variants of sources that the cache stores.
package struct VariantStore: Sendable {
    let cache: FetchManager
    let programs: ProgramIdentity
    /// Gets what is looked up or made; nil if no index is written.
    var index: SiteIndexLog?

    /// The stored variant; nil if there is none, or one that this source and recipe cannot give.
    package func recall(
        _ source: LoadedImage, _ header: ImageHeader, _ recipe: Recipe
    ) async throws -> VariantBlob? {
        let encoders = try await programs.programs().encoders
        guard
            let stored = try await cache.variant(
                of: source.digest, recipe: ResultKeys.variant(recipe), encoder: encoders),
            let made = try? JSONDecoder().decode(
                JobResult.Variant.self, from: Data(stored.metadata.utf8))
        else { return nil }
        do throws(BrokenRule) {
            try made.check(of: header, by: recipe)
            try require(!made.isSource || stored.digest == source.digest, "it is another file")
            try made.check(fileAt: stored.path.string, of: header, metadata: recipe.metadata)
        } catch {
            return nil
        }
        guard await SVGCheck.objection(to: stored.path.string, as: made.format) == nil else {
            return nil
        }
        let blob = VariantBlob(stored, made)
        index?.note(made, blob, of: source, by: recipe, encoder: encoders)
        if source.isForOthers {
            await cache.share(
                LevelVariant(
                    source: source.digest, recipe: ResultKeys.variant(recipe), encoder: encoders,
                    digest: stored.digest, byteCount: stored.byteCount, metadata: stored.metadata),
                at: stored.path, .fill)
        }
        return blob
    }

    /// Checks a file that is about to be stored or published.
    ///
    /// - Throws: ``Problem`` if it is an SVG that could run or load something.
    func check(_ path: String, as format: ImageFormat) async throws {
        if let objection = await SVGCheck.objection(to: path, as: format) {
            throw JobResult.JobError(.unsafe, objection).problem
        }
    }

    /// Checks the bytes of a source before a worker reads them.
    ///
    /// A blob of an earlier bake may be damaged; a new download was hashed on arrival.
    ///
    /// - Throws: ``FetchError``; ``BytesNeeded``.
    func verify(_ source: LoadedImage) async throws {
        try source.requireBytes()
        if source.origin == .cached || source.origin == .unchanged {
            try await cache.verify(source.digest, at: FilePath(source.path))
        }
    }

    /// Stores a variant that a worker has made.
    ///
    /// - Parameters:
    ///   - made: The worker's description of the variant.
    ///   - output: Its bytes; there are none if the source is the variant.
    ///   - source: The source.
    ///   - recipe: The recipe of the variant.
    /// - Returns: The stored variant.
    /// - Throws: ``Problem``, ``WorkerPool/PoolError``, ``FetchError``, ``FileError``.
    func store(
        _ made: JobResult.Variant, at output: VariantOutput, of source: LoadedImage,
        _ recipe: Recipe
    ) async throws -> VariantBlob {
        try await check(made.isSource ? source.path : output.path, as: made.format)
        if source.isNoStore { return try await unstored(made, at: output, of: source) }
        let file = output.path
        let encoder = try await programs.programs().encoders
        let name = ResultKeys.variant(recipe)
        let sharing: Sharing = source.isForOthers ? .all : .none
        func noted(_ stored: StoredVariant) -> VariantBlob {
            let blob = VariantBlob(stored, made)
            index?.note(made, blob, of: source, by: recipe, encoder: encoder)
            return blob
        }
        let metadata = String(decoding: try JSONEncoder().encode(made), as: UTF8.self)
        if made.isSource, source.origin != .local {
            return noted(
                try await cache.storeVariant(
                    sameAs: source.digest, recipe: name, encoder: encoder, metadata: metadata,
                    sharing: sharing))
        }
        // A local source is not yet a blob of the cache, so its bytes are stored like others.
        if made.isSource, link(source.path, file) != 0 { throw FileError("write", file) }
        return noted(
            try await cache.storeVariant(
                fileAt: FilePath(file), of: source.digest, recipe: name, encoder: encoder,
                metadata: metadata, sharing: sharing))
    }
}

extension VariantBlob {
    /// A source that is published as it is.
    package init(_ source: LoadedImage, _ header: ImageHeader) {
        self.init(
            path: source.path, digest: source.digest, byteCount: source.byteCount,
            format: header.format, width: header.width, height: header.height, held: source.held)
    }

    fileprivate init(_ stored: StoredVariant, _ made: JobResult.Variant) {
        self.init(
            path: stored.path.string, digest: stored.digest, byteCount: stored.byteCount,
            format: made.format, width: made.width, height: made.height, quality: made.quality,
            colour: made.colour)
    }
}

/// The file that a variant is written to.
struct VariantOutput: Sendable {
    var path: String
    /// The file, if it has no name because the variant must not be stored.
    var held: HeldFile?
}

/// Variants of sources with `no-store`.
///
/// They are not in the cache, and their files have no names. Each exists as long as its
/// ``VariantBlob``.
extension VariantStore {
    /// A new file for a variant of a source.
    func output(for source: LoadedImage) throws -> VariantOutput {
        guard source.isNoStore else { return VariantOutput(path: try cache.temporaryFile().string) }
        let held = try cache.heldFile()
        return VariantOutput(path: held.path, held: held)
    }

    /// A variant that is not stored.
    func unstored(
        _ made: JobResult.Variant, at output: VariantOutput, of source: LoadedImage
    ) async throws -> VariantBlob {
        let held = made.isSource ? source.held : output.held
        let path = held?.path ?? output.path
        let (digest, byteCount) = try await BlockingPool.shared.run {
            try BlobDigest.ofFile(path)
        }
        return VariantBlob(
            path: path, digest: digest, byteCount: byteCount, format: made.format,
            width: made.width, height: made.height, quality: made.quality, colour: made.colour,
            held: held)
    }
}
