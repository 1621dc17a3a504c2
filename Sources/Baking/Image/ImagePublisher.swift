import FetchCache
import Files

/// Stage 5 of an image: its file in the image folder.
struct ImagePublisher: Sendable {
    private let output: OutputFolder
    /// Knows which files are as they were after an earlier bake.
    let published: PublishedFiles
    /// The image folder of the site, for documents without their own image folder.
    private let images: ImageFolder

    init(cache: FetchManager, output: OutputFolder, directory: String) {
        self.output = output
        published = PublishedFiles(cache: cache)
        images = ImageFolder(directory, in: output, published)
    }

    /// Whether the complete file of an image exists.
    func has(_ image: BakedImage, in directory: String?) async -> Bool {
        await folder(directory).has(
            image.fileName, byteCount: image.byteCount, isNoted: !image.isNoStore)
    }

    /// Writes a variant to its folder, unless it is there already.
    ///
    /// - Throws: ``FileError``; ``DamagedBlob`` if its bytes do not match its digest.
    func publish(_ variant: StoredImage, as image: BakedImage, in directory: String?) async throws {
        if await has(image, in: directory) { return }
        let folder = folder(directory)
        try await BlockingPool.shared.run {
            try folder.place(
                variant.path, digest: variant.digest, as: image.fileName,
                isNoted: !image.isNoStore)
        }
    }

    /// Records which files are complete, so that the next bake need not hash them.
    func save() async { await images.save() }

    private func folder(_ directory: String?) -> ImageFolder {
        directory.map { ImageFolder($0, in: output, published) } ?? images
    }
}
