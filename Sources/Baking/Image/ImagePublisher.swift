import Documents
import FetchCache
import Files

/// Stage 5 of an image: its file in the image folder.
struct ImagePublisher: Sendable {
    private let output: OutputFolder
    /// Knows which files are as they were after an earlier bake.
    let published: PublishedFiles
    /// The image folder of the site, for documents without their own image folder.
    private let images: ImageFolder
    private let directory: String
    let sources: ImageFileLog
    /// The index of the image folder; nil if none is written.
    let index: SiteIndexLog?

    init(
        cache: FetchManager, output: OutputFolder, directory: String, shard: Shard? = nil,
        index: SiteIndexLog? = nil
    ) {
        self.index = index
        self.output = output
        published = PublishedFiles(cache: cache)
        images = ImageFolder(directory, in: output, published)
        sources = ImageFileLog(output, of: shard)
        self.directory = directory
    }

    /// Notes for the list of the image folder what an image with complete files is made of.
    func noteSource(of image: BakedImage, in folder: String?) {
        sources.note(image, in: folder ?? directory)
    }

    /// Whether the complete files of an image exist.
    func has(_ image: BakedImage, in directory: String?) async -> Bool {
        for file in image.files {
            let isThere = await folder(directory).has(
                file.name, byteCount: file.byteCount, isNoted: !image.isNoStore)
            if !isThere { return false }
        }
        return true
    }

    /// Writes the variant of an image to its folder, unless it is there already.
    ///
    /// - Throws: ``FileError``; ``DamagedBlob`` if its bytes do not match its digest.
    func publish(_ variant: StoredImage, as image: BakedImage, in directory: String?) async throws {
        try await publish(
            variant, as: image.fileName, in: directory, isNoStore: image.isNoStore)
    }

    /// Writes a variant to its folder, unless it is there already.
    ///
    /// - Parameters:
    ///   - variant: The variant.
    ///   - name: The name of its file.
    ///   - directory: The folder; nil for the common one.
    ///   - isNoStore: Whether nothing about the image may be stored in the cache.
    /// - Throws: ``FileError``; ``DamagedBlob`` if its bytes do not match its digest.
    func publish(
        _ variant: StoredImage, as name: String, in directory: String?, isNoStore: Bool
    ) async throws {
        let folder = folder(directory)
        if await folder.has(name, byteCount: variant.byteCount, isNoted: !isNoStore) { return }
        try await BlockingPool.shared.run {
            try folder.place(
                variant.path, digest: variant.digest, as: name, isNoted: !isNoStore)
        }
    }

    /// Whether the style sheet of added classes exists and is complete.
    func hasSheet() async -> Bool {
        await images.has(AddedSheet.fileName, byteCount: AddedSheet.bytes.count)
    }

    /// Writes the style sheet of added classes to the image folder, unless it is there already.
    ///
    /// - Throws: ``FileError``.
    func publishSheet() async throws(FileError) {
        sources.noteSheet(in: directory)
        if await hasSheet() { return }
        try images.write(AddedSheet.bytes, as: AddedSheet.fileName)
    }

    /// Records which files are complete, so that the next bake need not hash them.
    ///
    /// - Throws: ``FileError`` if the index of the image folder cannot be written.
    func save() async throws(FileError) {
        sources.save()
        await images.save()
        try await index?.save()
    }

    private func folder(_ directory: String?) -> ImageFolder {
        directory.map { ImageFolder($0, in: output, published) } ?? images
    }
}
