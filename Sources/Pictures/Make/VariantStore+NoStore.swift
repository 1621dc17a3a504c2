import FetchCache
import Files
import Recipes

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
