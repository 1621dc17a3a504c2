import FetchCache
import Files
import FoundationEssentials
import ImageFormats
import Recipes

extension ImagePipeline {
    /// A further file of an image, with its bytes.
    typealias MadeFile = (image: VariantFile, stored: StoredImage)

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
    ) async throws -> [MadeFile] {
        guard header.isStill(for: request.options), image.format.kind == .pixels else { return [] }
        let widths = SmallerWidths.planned(
            request.widths, below: image.width, height: image.height
        ).suffix(Job.mostVariants)
        if widths.isEmpty { return [] }
        let made = try await files(
            in: widths.map { request.options.limited(to: $0) }, of: image, source, header)
        return kept(made.filter { $0.image.width < image.width }, below: image.byteCount)
    }

    private func kept(_ files: [MadeFile], below byteCount: Int) -> [MadeFile] {
        let kept = Set(SmallerWidths.kept(files.map(\.image), below: byteCount))
        return files.filter { kept.contains($0.image) }
    }

    /// Makes an image for a `<picture>`: a file that every browser shows, and those in other formats.
    ///
    /// A format whose largest file is not smaller than that of the next one is left out.
    ///
    /// - Returns: The image with its files; nil if no format is worth having, or if the image is
    ///   animated or a drawing.
    /// - Throws: The errors of the stages; `CancellationError`.
    func makePicture(
        _ request: ImageRequest, of source: SourceImage
    ) async throws -> (image: BakedImage, files: [(String, StoredImage)])? {
        let header = try await maker.header(of: source)
        guard header.isStill(for: request.options) else { return nil }
        let own =
            request.options.isFormatStated ? request.options : request.options.forAllBrowsers
        let (_, variant) = try await maker.image(of: source, own)
        guard variant.format.isShownByReaders || own.isFormatStated, variant.format.kind == .pixels
        else { return nil }
        var image = try image(request, of: source, header, variant)
        let widths = SmallerWidths.planned(
            request.widths, below: image.width, height: image.height
        ).suffix(Job.mostVariants - 1)
        var files: [MadeFile] = []
        var limit = image.byteCount
        for format in request.formats.reversed() where format != image.format {
            if header.hasAlpha, !format.hasAlphaChannel { continue }
            let options = request.options.inPicture(format)
            let made = try await self.files(
                in: widths.map { options.limited(to: $0) } + [options], of: image, source, header
            ).filter { $0.image.format == format }
            guard let largest = made.last, largest.image.width == image.width,
                largest.image.byteCount < limit
            else { continue }
            limit = largest.image.byteCount
            files = kept(made.dropLast(), below: limit) + [largest] + files
        }
        if files.isEmpty { return nil }
        image.alternatives = files.map(\.image)
        return (image, [(image.fileName, variant)] + files.map { ($0.image.fileName, $0.stored) })
    }

    /// What is shown while an image loads; nil if it was not asked for, or cannot be made.
    func loadingPicture(
        _ request: ImageRequest, of source: SourceImage
    ) async throws -> LoadingPicture? {
        guard request.options.wantsPlaceholder else { return nil }
        let header = try await maker.header(of: source)
        guard header.takesPlaceholder else { return nil }
        let stored: StoredImage?
        do {
            stored =
                try await maker.images(of: source, header, [LoadingPlaceholder.options]).first
                ?? nil
        } catch is Problem {
            return nil
        }
        guard let stored, let colour = stored.colour else { return nil }
        let bytes = try readFile(stored.path, limit: LoadingPlaceholder.mostBytes).bytes
        return LoadingPicture(colour: colour, base64: Data(bytes).base64EncodedString())
    }

    /// Makes variants with the ratio of an image; those that cannot be made are left out.
    private func files(
        in options: [VariantOptions], of image: BakedImage, _ source: SourceImage,
        _ header: ImageHeader
    ) async throws -> [MadeFile] {
        let stored: [StoredImage?]
        do {
            stored = try await maker.images(
                of: source, header, options.map(\.ofSeveral))
        } catch is Problem {
            return []
        }
        return stored.compactMap { one in
            guard let one, one.format.kind == .pixels else { return nil }
            let file = VariantFile(
                fileName: imageFileName(
                    url: image.url, digest: one.digest.hex, format: one.format),
                byteCount: one.byteCount, format: one.format, width: one.width,
                height: one.height, quality: one.quality)
            let isFit = SmallerWidths.isProportional(file, to: image.width, image.height)
            return isFit ? (file, one) : nil
        }
    }
}

extension ImageHeader {
    /// Whether one picture is made of the image.
    func isStill(for options: VariantOptions) -> Bool {
        format.kind == .pixels && (!isAnimated || options.frames == .first)
    }
}
