import FetchCache
import Files
import FoundationEssentials
import ImageFormats
import Recipes
import Reports
import Sites

extension ImagePipeline {
    /// A further file of an image, and the blob with its bytes.
    typealias FurtherFile = (file: VariantFile, blob: VariantBlob)

    /// Makes the files of a `srcset` or `<picture>` beside an image.
    ///
    /// A file that cannot be made is left out: the image itself is there.
    ///
    /// - Parameters:
    ///   - image: The image.
    ///   - header: The header of its source.
    ///   - source: The source.
    ///   - request: The request, with the wanted widths and formats.
    /// - Returns: The files that are worth having, format by format in the order of preference,
    ///   each in ascending order of their widths.
    /// - Throws: The errors of the stages, but no ``Problem``; `CancellationError`.
    func furtherFiles(
        beside image: BakedImage, _ header: ImageHeader, of source: LoadedImage,
        _ request: ImageRequest
    ) async throws -> [FurtherFile] {
        var further = FurtherFiles(for: request, of: header, beside: image.file)
        var files: [FurtherFile] = []
        for group in further.groups {
            let made = try await self.files(group.options, of: image, source, header)
            let verdicts = further.judge(made.map { $0?.file }, of: group)
            files = zip(made, verdicts).compactMap { $1 == .isKept ? $0 : nil } + files
        }
        return files
    }

    /// Makes an image for a `<picture>`: a file that every browser shows, and those in other formats.
    ///
    /// - Returns: The image with its files; nil if no format is worth having, or if the image is
    ///   animated or a drawing.
    /// - Throws: The errors of the stages; `CancellationError`.
    func makePicture(
        _ request: ImageRequest, of source: LoadedImage
    ) async throws -> (image: BakedImage, files: [(String, VariantBlob)])? {
        let header = try await maker.header(of: source)
        guard header.isStill(for: request.options) else { return nil }
        let (_, variant) = try await maker.image(of: source, request.options.besideOthers)
        var image = try image(request, of: source, header, variant)
        let files = try await furtherFiles(beside: image, header, of: source, request)
        if files.isEmpty { return nil }
        image.alternatives = files.map(\.file)
        return (image, [(image.fileName, variant)] + files.map { ($0.file.fileName, $0.blob) })
    }

    /// What is shown while an image loads; nil if it was not asked for, or cannot be made.
    func loadingPicture(
        _ request: ImageRequest, of source: LoadedImage
    ) async throws -> LoadingPicture? {
        guard request.options.wantsPlaceholder else { return nil }
        let header = try await maker.header(of: source)
        guard header.takesPlaceholder else { return nil }
        let stored: VariantBlob?
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

    /// Makes variants of an image; nil for each that cannot be made.
    private func files(
        _ options: [VariantOptions], of image: BakedImage, _ source: LoadedImage,
        _ header: ImageHeader
    ) async throws -> [FurtherFile?] {
        let stored: [VariantBlob?]
        do {
            stored = try await maker.images(of: source, header, options)
        } catch is Problem {
            return options.map { _ in nil }
        }
        return stored.map { stored in
            stored.map { (VariantFile($0, of: image.url), $0) }
        }
    }
}
