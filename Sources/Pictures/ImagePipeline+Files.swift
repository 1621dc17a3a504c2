import Documents
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
            let stored = try await maker.images(of: source, header, group.options)
            let made: [FurtherFile?] = stored.map { blob in
                blob.map { (VariantFile($0, of: image.url), $0) }
            }
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
        let options = LoadingPlaceholder.options(for: request.options)
        let stored = try await maker.images(of: source, header, [options]).first ?? nil
        guard let stored, let colour = stored.colour else { return nil }
        let bytes = try readFile(stored.path, limit: LoadingPlaceholder.mostBytes).bytes
        return LoadingPicture(colour: colour, base64: Data(bytes).base64EncodedString())
    }
}

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
        let source = LoadedImage(
            digest: BlobDigest(hashing: bytes), path: path, byteCount: bytes.count, origin: .local)
        let stored = VariantBlob(
            source, ImageHeader(format: .svg, width: drawing.width, height: drawing.height))
        var image = BakedImage(request, of: source, stored)
        image.original.format = reference.claimedFormat ?? .png
        try await publisher.publish(
            [(image.fileName, stored)], of: image, isDrawn: true)
        return image
    }
}

extension ImagePipeline {
    /// Publishes a file that is no image as it is, if it is one of its kind.
    func publishUnchanged(
        _ request: ImageRequest, of source: LoadedImage
    ) async throws -> BakedImage {
        try source.requireBytes()
        let beginning = try OpenFile(reading: source.path).read(atMost: 64)
        var found: ImageFormat?
        switch request.kind {
        case .font: found = ImageFormat.other(beginning, ofKind: .font)
        case .media: found = ImageFormat.other(beginning, ofKind: .media)
        case .script:
            try RemoteScript.requireMovable(source)
            found = .script
        case .image, .style: break
        }
        guard let format = found else {
            throw Problem(
                .unsupportedFormat,
                "the bytes are no \(request.kind.rawValue) file that browsers load")
        }
        let stored = VariantBlob(source, ImageHeader(format: format, width: 0, height: 0))
        let image = BakedImage(request, of: source, stored)
        try await publish([(image.fileName, stored)], of: image)
        return image
    }

    /// Publishes the files of an image, unless nothing is published.
    func publish(_ files: [(String, VariantBlob)], of image: BakedImage) async throws {
        // A file that no document names would stay in the image folder.
        try Task.checkCancellation()
        if options.publishes { try await publisher.publish(files, of: image) }
    }
}

extension ImageLoader {
    /// The size of an image that could not be baked, from an earlier download or from the site.
    fileprivate func knownSize(of source: ImageLocation) async -> ImageSize? {
        var path: String?
        switch source {
        case .local: path = try? await load(source).path
        case .remote(let url):
            path = try? await cache.load(FetchRequest(url, mode: .offline)).path.string
        }
        return path.flatMap { FileFacts(fileAt: $0).size }
    }
}
