import FetchCache
package import Files
import FoundationEssentials
import Locks
import Recipes
package import Sites

/// Collects what a bake publishes, and writes it as the ``SiteIndex`` of the image folder.
///
/// Images that a bake need not look at are taken from the index that is there.
///
/// The list of the image folder names the index before it exists; a file that it does not name is
/// not imgbake's. `--prune` must not search the index for names, or no image would ever be removed.
package final class SiteIndexLog: Sendable {
    private struct State {
        var images: [BlobDigest: SiteIndex.Image] = [:]
        /// The variants that were looked up or made, by their source.
        var variants: [BlobDigest: [SiteIndex.File]] = [:]
    }

    private let state = Locked(State())
    private let output: OutputFolder
    /// The image folder, relative to the output.
    private let directory: String
    private let programs: ProgramIdentity
    /// The index of an earlier bake; nil if there is none.
    private let old: SiteIndex?
    private let oldFiles: Set<String>
    private let oldImages: [BlobDigest: SiteIndex.Image]

    /// - Parameters:
    ///   - output: The output folder.
    ///   - directory: The image folder, relative to it.
    ///   - programs: The programs whose headers the index has.
    init(_ output: OutputFolder, directory: String, programs: ProgramIdentity) {
        self.output = output
        self.directory = directory
        self.programs = programs
        old = SiteIndex(inFolder: output.path(directory))
        oldImages = Dictionary(
            (old?.images ?? []).map { ($0.source, $0) }, uniquingKeysWith: { $1 })
        oldFiles = Set(old?.images.flatMap { $0.files.compactMap(\.name) } ?? [])
    }

    /// Whether an index of this build is there, so that images need not be looked at for it.
    package func isComplete() async -> Bool {
        guard let old else { return false }
        return await old.build == programs.knownBuild()
    }

    /// Whether the index of an earlier bake has all files of an image.
    func covers(_ image: BakedImage) async -> Bool {
        guard image.files.allSatisfy({ oldFiles.contains($0.fileName) }) else { return false }
        return await isComplete()
    }

    /// Notes a variant that was looked up or made.
    func note(
        _ made: JobResult.Variant, _ stored: VariantBlob, of source: LoadedImage, by recipe: Recipe,
        encoder: String
    ) {
        var file = SiteIndex.File(stored)
        file.recipe = SiteIndex.recipe(ResultKeys.variant(recipe), encoder)
        file.colour = made.colour
        if recipe.isPlaceholder {
            file.bytes = (try? readFile(stored.path, limit: LoadingPlaceholder.mostBytes).bytes)
                .map { Data($0) }
        }
        state.withLock { state in
            let known = state.variants[source.digest] ?? []
            if !known.contains(where: { $0.recipe == file.recipe }) {
                state.variants[source.digest] = known + [file]
            }
        }
    }

    /// Notes the files of an image that were published.
    func note(
        _ header: ImageHeader, of source: LoadedImage, _ published: [(name: String, VariantBlob)]
    ) {
        if source.isNoStore { return }
        state.withLock { state in
            var image =
                state.images[source.digest]
                ?? SiteIndex.Image(
                    source: source.digest, byteCount: source.byteCount, header: header)
            if let location = SiteIndex.Location(source) { image.set(location) }
            let variants = state.variants[source.digest] ?? []
            for (name, stored) in published {
                var files = variants.filter { $0.digest == stored.digest && $0.bytes == nil }
                if files.isEmpty { files = [SiteIndex.File(stored)] }
                for var file in files {
                    // The rest of the name follows from the digest and the format.
                    file.stem = imageFileStem(of: name, file.format)
                    if !image.files.contains(file) { image.files.append(file) }
                }
            }
            for picture in variants where picture.bytes != nil && !image.files.contains(picture) {
                image.files.append(picture)
            }
            state.images[source.digest] = image
        }
    }

    /// Notes an image whose files are complete, and in the index of an earlier bake.
    func keep(_ source: LoadedImage) {
        guard let location = SiteIndex.Location(source),
            let old = oldImages[source.digest]
        else { return }
        state.withLock { state in
            var image = state.images[source.digest] ?? old
            image.set(location)
            state.images[source.digest] = image
        }
    }

    /// Writes the index, if it has changed.
    ///
    /// - Throws: ``FileError``.
    func save() async throws(FileError) {
        guard ImageFolder.isMarked(output.path(directory)) else { return }
        let build = await programs.knownBuild()
        var images = state.withLock(\.images)
        if let old, old.build == build {
            // A URL has one image: the one that it gave last.
            let known = Set(images.values.flatMap { $0.urls.map(\.key) })
            for var image in old.images {
                image.urls.removeAll { known.contains($0.key) }
                images[image.source]?.add(image)
                if images[image.source] == nil { images[image.source] = image }
            }
        }
        var index = SiteIndex(build: build)
        index.images = Array(images.values)
        try index.write(to: output, directory)
    }
}

extension SiteIndex {
    /// The index in an image folder; nil if there is none that can be used.
    package init?(inFolder folder: String) {
        guard let bytes = try? readFile(folder + "/" + Self.name).bytes,
            let index = try? SiteIndex(reading: bytes)
        else { return nil }
        self = index
    }

    /// Writes the index to an image folder, with the files that are there, unless it is as it was.
    ///
    /// The list of the folder names it first: what it does not name is not imgbake's.
    ///
    /// - Parameters:
    ///   - output: The output folder.
    ///   - folder: The image folder, relative to it or absolute.
    /// - Throws: ``FileError``.
    package func write(to output: OutputFolder, _ folder: String) throws(FileError) {
        let names = Set(output.files(in: folder))
        var index = self
        for position in index.images.indices {
            index.images[position].keep(names)
        }
        index.images.removeAll { $0.files.allSatisfy { $0.name == nil } }
        index.images.sort { $0.source.hex < $1.source.hex }
        index.images = Array(index.images.prefix(Self.mostImages))
        let bytes = index.encoded
        let path = output.path(folder)
        var list = ImageFileList(inFolder: path)
        if !list.hasIndex {
            list.hasIndex = true
            try output.write(list.encoded, to: folder + "/" + ImageFileList.name, mode: 0o644)
        }
        try output.write(bytes, to: folder + "/" + Self.name, mode: 0o644)
    }
}

extension SiteIndex.Image {
    /// Adds what is known about a URL.
    mutating func set(_ location: SiteIndex.Location) {
        urls.removeAll { $0.key == location.key }
        urls.append(location)
    }

    /// Adds what an earlier bake knew about the same source.
    fileprivate mutating func add(_ old: Self) {
        urls += old.urls
        files += old.files.filter { file in
            !files.contains { $0.recipe == file.recipe && $0.name == file.name }
        }
    }

    /// Drops the files that are not among some names, and sorts the rest.
    fileprivate mutating func keep(_ names: Set<String>) {
        files.removeAll { $0.name.map { !names.contains($0) } ?? false }
        files.sort { ($0.recipe ?? "", $0.name ?? "") < ($1.recipe ?? "", $1.name ?? "") }
        urls.sort { $0.key < $1.key }
    }
}

extension SiteIndex.Location {
    /// What a server has said about a source; nil if it must not be told, or is not known.
    fileprivate init?(_ source: LoadedImage) {
        guard let response = source.response, !source.isNoStore else { return nil }
        var validity = response.validity
        // A server that gives an entity tag compares it first (RFC 9110, section 13.2.2).
        if validity.etag != nil { validity.lastModified = nil }
        self.init(
            key: SiteIndex.key(of: response.key), validity: validity,
            isPrivate: !response.isFromPublicAddress)
    }
}

extension SiteIndex.File {
    fileprivate init(_ stored: VariantBlob) {
        self.init(
            digest: stored.digest, byteCount: stored.byteCount, format: stored.format,
            width: stored.width, height: stored.height, quality: stored.quality)
    }
}
