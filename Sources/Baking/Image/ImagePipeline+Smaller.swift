import FetchCache
import ImageFormats
import Recipes

extension ImagePipeline {
    /// Makes the smaller files of an image.
    ///
    /// A file that cannot be made is left out: the image itself is there.
    ///
    /// - Parameters:
    ///   - image: The image.
    ///   - header: The header of its source.
    ///   - source: The source.
    ///   - request: The request, with the wanted widths.
    /// - Returns: The files that are worth having, in ascending order of their widths.
    /// - Throws: The errors of the stages, but no ``Problem``; `CancellationError`.
    func smaller(
        than image: BakedImage, _ header: ImageHeader, of source: SourceImage,
        _ request: ImageRequest
    ) async throws -> [(image: SmallerImage, stored: StoredImage)] {
        let isStill = !header.isAnimated || request.options.frames == .first
        guard isStill, header.format.kind == .pixels, image.format.kind == .pixels else {
            return []
        }
        let widths = SmallerWidths.planned(
            request.widths, below: image.width, height: image.height
        ).suffix(Job.mostVariants)
        if widths.isEmpty { return [] }
        let options = widths.map { width in
            var options = request.options
            options.maximumWidth = width
            return options
        }
        let stored: [StoredImage?]
        do {
            stored = try await maker.images(of: source, header, options)
        } catch is Problem {
            return []
        }
        var made: [(image: SmallerImage, stored: StoredImage)] = []
        for case let one? in stored {
            let name = imageFileName(
                url: request.source.key, digest: one.digest.hex, format: one.format)
            let file = SmallerImage(
                fileName: name, byteCount: one.byteCount, format: one.format, width: one.width,
                height: one.height)
            let isFit = SmallerWidths.isProportional(file, to: image.width, image.height)
            if isFit, one.width < image.width, one.format.kind == .pixels {
                made.append((file, one))
            }
        }
        let kept = Set(SmallerWidths.kept(made.map(\.image), below: image.byteCount))
        return made.filter { kept.contains($0.image) }
    }
}
