import FetchCache
import Files
import Recipes

/// The file that a variant is written to.
struct OutputFile: Sendable {
    var path: String
    /// The file, if it has no name because the variant must not be stored.
    var held: HeldFile?
}

/// Variants of sources with `no-store`.
///
/// They are not in the cache, and their files have no names. Each exists as long as its
/// ``StoredImage``.
extension VariantStore {
    /// A new file for a variant of a source.
    func outputFile(of source: LoadedImage) throws -> OutputFile {
        guard source.isNoStore else { return OutputFile(path: try cache.temporaryFile().string) }
        let held = try cache.heldFile()
        return OutputFile(path: held.path, held: held)
    }

    /// A variant that is not stored.
    func unstored(
        _ made: JobResult.Variant, at file: OutputFile, of source: LoadedImage
    ) async throws -> StoredImage {
        let held = made.isSource ? source.held : file.held
        let path = held?.path ?? file.path
        let (digest, byteCount) = try await BlockingPool.shared.run {
            try BlobDigest.ofFile(path)
        }
        return StoredImage(
            path: path, digest: digest, byteCount: byteCount, format: made.format,
            width: made.width, height: made.height, quality: made.quality, colour: made.colour,
            held: held)
    }
}
