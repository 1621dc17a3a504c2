import Documents
import FetchCache
import Files
import ImageFormats
import Recipes
import Sites

extension ImagePipeline {
    /// Draws and publishes the placeholder of an image that could not be baked.
    ///
    /// - Returns: The placeholder as an image; its original has the same size.
    /// - Throws: ``FetchError``, ``FileError``, ``DamagedBlob``.
    func failurePlaceholder(
        for request: ImageRequest, at reference: Reference
    ) async throws -> BakedImage {
        let known = await loader.knownSize(of: request.source)
        let drawing = FailurePlaceholder(at: reference, known: known)
        let bytes = drawing.svg
        let path = try loader.cache.temporaryFile().string
        defer { removeFile(path) }
        try OpenFile(creating: path, mode: 0o600).write(bytes)
        let digest = try BlobDigest.ofFile(path).digest
        let url = request.source.key
        let image = BakedImage(
            url: url, options: request.options, sourceDigest: digest,
            sourceByteCount: bytes.count,
            fileName: imageFileName(url: url, digest: digest.hex, format: .svg),
            byteCount: bytes.count, format: .svg, width: drawing.width, height: drawing.height,
            original: BakedImage.Original(
                format: reference.claimedFormat ?? .png, width: drawing.width,
                height: drawing.height))
        let stored = VariantBlob(
            path: path, digest: digest, byteCount: bytes.count, format: .svg,
            width: drawing.width, height: drawing.height)
        try await publisher.publish(
            [(image.fileName, stored)], of: image, in: request.folder, isDrawn: true)
        return image
    }
}

extension ImageLoader {
    /// The size of an image that could not be baked, from an earlier download or from the site.
    fileprivate func knownSize(of source: ImageLocation) async -> ImageSize? {
        var path: String?
        switch source {
        case .local: path = try? await load(source, .normal).path
        case .remote(let url):
            path = try? await cache.load(FetchRequest(url, mode: .offline)).path.string
        }
        return path.flatMap { FileFacts(fileAt: $0).size }
    }
}
