import FetchCache
import Files
import Glibc
import ImageFormats
import Recipes
import Sites

/// Small copies of an image, for a report that contains them.
package struct ImagePictures: Sendable {
    /// The bytes of an image file.
    package struct Picture: Sendable {
        package var mediaType: String
        package var bytes: [UInt8]
    }

    package var thumbnail: Picture?
    /// The source, scaled down.
    package var before: Picture?
    /// The file that was made of it, or a scaled copy if that is large.
    package var after: Picture?

    package init() {}

    fileprivate var byteCount: Int {
        [thumbnail, before, after].reduce(0) { $0 + ($1?.bytes.count ?? 0) }
    }
}

/// Makes the pictures of a report, by the jobs that also make variants, so that the cache keeps them.
package struct PictureMaker: Sendable {
    let loader: ImageLoader
    let maker: ImageMaker
    let output: OutputFolder

    private static let thumbnailWidth = 96
    private static let previewWidth = 640
    /// The number of images that can be compared: the largest ones.
    private static let mostPreviews = 100
    /// The number of images that get a thumbnail.
    private static let mostThumbnails = 10_000
    /// The largest picture, in bytes.
    private static let largestPicture = 150_000
    /// The bytes of all pictures of a report.
    private static let mostBytes = 24 << 20

    /// The pictures of some images, by their URLs.
    ///
    /// An image that cannot be decoded has none.
    ///
    /// - Throws: `CancellationError`.
    package func pictures(of uses: [ImageUse]) async throws -> [String: ImagePictures] {
        var firsts: [String: ImageUse] = [:]
        for use in uses where use.image.kind == .image && firsts[use.image.url] == nil {
            firsts[use.image.url] = use
        }
        let images = firsts.values.sorted {
            ($1.image.sourceByteCount, $0.image.url) < ($0.image.sourceByteCount, $1.image.url)
        }.prefix(Self.mostThumbnails)
        var result: [String: ImagePictures] = [:]
        var total = 0
        try await inOrder(Array(images.enumerated())) { index, use in
            await pictures(of: use, isCompared: index < Self.mostPreviews)
        } each: { item, made in
            let made = try made.get()
            total += made.byteCount
            if total <= Self.mostBytes { result[item.element.image.url] = made }
        }
        return result
    }

    private func pictures(of use: ImageUse, isCompared: Bool) async -> ImagePictures {
        var pictures = ImagePictures()
        let origin = ImageLocation(key: use.image.url)
        guard let loaded = try? await loader.load(origin) else { return pictures }
        // A file of the site may change while it is read.
        let copy = try? loader.snapshot(of: origin)
        defer { if let copy { unlink(copy.path) } }
        let source = copy ?? loaded
        pictures.thumbnail = await picture(of: source, Self.thumbnailWidth, quality: 70)
        guard isCompared else { return pictures }
        pictures.before = await picture(of: source, Self.previewWidth, quality: 88)
        pictures.after = await after(use)
        return pictures
    }

    private func after(_ use: ImageUse) async -> ImagePictures.Picture? {
        let path = output.path(use.directory + "/" + use.image.fileName)
        if use.image.byteCount <= Self.largestPicture, use.image.format.isShownByBrowsers {
            return picture(at: path, use.image.format)
        }
        guard let (digest, byteCount) = try? BlobDigest.ofFile(path) else { return nil }
        let source = LoadedImage(
            digest: digest, path: path, byteCount: byteCount, origin: .local)
        return await picture(of: source, Self.previewWidth, quality: 88)
    }

    /// A still picture of an image.
    private func picture(
        of source: LoadedImage, _ width: Int, quality: Int
    ) async -> ImagePictures.Picture? {
        var options = VariantOptions(format: .webp, quality: .number(quality), maximumWidth: width)
        options.frames = .first
        options.svg = .rasterise
        guard let image = try? await maker.image(of: source, options).variant,
            image.format.isShownByBrowsers, image.byteCount <= Self.largestPicture
        else { return nil }
        return picture(at: image.path, image.format)
    }

    private func picture(at path: String, _ format: ImageFormat) -> ImagePictures.Picture? {
        guard let bytes = try? readFile(path, limit: Self.largestPicture, ofAnyKind: true).bytes
        else { return nil }
        return ImagePictures.Picture(mediaType: format.mediaType, bytes: bytes)
    }
}
