import Documents
import FetchCache
import Files
package import Sites
import StyleSizing

/// The stage that publishes an image: its files in the image folder.
package struct ImagePublisher: Sendable {
    /// Knows which files are as they were after an earlier bake.
    package let published: PublishedFiles
    /// The image folder of the site.
    private let images: ImageFolder
    /// The path of that folder.
    private let directory: String
    let lists: ImageFileLog
    /// The index of the image folder; nil if none is written.
    let index: SiteIndexLog?

    init(
        cache: FetchManager, output: OutputFolder, directory: String, shard: Shard? = nil,
        index: SiteIndexLog? = nil
    ) {
        self.index = index
        published = PublishedFiles(in: output.path(directory), cache: cache)
        images = ImageFolder(directory, in: output, published)
        lists = ImageFileLog(output, of: shard)
        self.directory = directory
    }

    /// Notes for the list of the image folder what an image with complete files is made of.
    func noteSource(of image: BakedImage) {
        lists.note(ImageFileList(of: image), in: directory)
    }

    /// Whether the complete files of an image exist.
    func has(_ image: BakedImage) async -> Bool {
        for file in image.files {
            let isThere = await images.has(
                file.fileName, byteCount: file.byteCount, isNoted: !image.isNoStore)
            if !isThere { return false }
        }
        return true
    }

    /// Writes the files of an image to the image folder, unless they are there already, and notes for the
    /// list of the folder what they are made of.
    ///
    /// - Parameters:
    ///   - files: The names of the files, and the variants that they hold.
    ///   - image: The image.
    ///   - isDrawn: Whether it is a placeholder, which is made of no image.
    /// - Throws: ``FileError``; ``DamagedBlob`` if bytes of a variant do not match its digest.
    func publish(
        _ files: [(name: String, variant: VariantBlob)], of image: BakedImage,
        isDrawn: Bool = false
    ) async throws {
        let sources = ImageFileList(of: image, isDrawn: isDrawn)
        var isListed = false
        for (name, variant) in files {
            let isThere = await images.has(
                name, byteCount: variant.byteCount, isNoted: !image.isNoStore)
            if isThere { continue }
            try await BlockingPool.shared.run { [isListed] in
                try images.markOnce()
                // A bake that is killed leaves no image that the list does not know.
                if !isListed { lists.append(sources, in: directory) }
                try images.place(
                    variant.path, digest: variant.digest, as: name, isNoted: !image.isNoStore)
            }
            isListed = true
        }
        lists.note(sources, in: directory)
    }

    /// Whether the style sheet of added classes exists and is complete.
    package func hasSheet() async -> Bool {
        await images.has(AddedSheet.fileName, byteCount: AddedSheet.bytes.count)
    }

    /// Writes the style sheet of added classes to the image folder, unless it is there already.
    ///
    /// - Throws: ``FileError``.
    func publishSheet() async throws(FileError) {
        lists.note(.sheet, in: directory)
        if await hasSheet() { return }
        try images.markOnce()
        lists.append(.sheet, in: directory)
        try images.write(AddedSheet.bytes, as: AddedSheet.fileName)
    }

    /// Records which files are complete, so that the next bake need not hash them.
    ///
    /// - Throws: ``FileError`` if the index of the image folder cannot be written.
    func save() async throws(FileError) {
        lists.save()
        await images.save()
        try await index?.save()
    }
}
