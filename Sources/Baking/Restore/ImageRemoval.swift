import Documents
import FetchCache
import Files

/// Removes the images that bakes have made and that nothing names any more.
struct ImageRemoval {
    private let site: Site
    private let files: [SiteFile]
    private let origins: SiteOrigins

    /// - Parameters:
    ///   - site: The site.
    ///   - files: All its files.
    ///   - origins: The lists of its image folders.
    init(_ site: Site, _ files: [SiteFile], _ origins: SiteOrigins) {
        self.site = site
        self.files = files
        self.origins = origins
    }

    /// Removes the images that a list names, or that a killed bake has left.
    ///
    /// If a file of the site cannot be read, nothing is removed: it may name any image.
    ///
    /// - Returns: The number of removed files.
    /// - Throws: ``FileError`` if a list cannot be read.
    func run() throws(FileError) -> Int {
        let lists = try origins.lists()
        let ownFolders = Set(ownFolders)
        let folders = ownFolders.union(lists.keys)
        guard let named = named(imagesOf: folders) else { return 0 }
        let used = named.union(namedElsewhere(lists))
        var count = 0
        for folder in folders {
            let listed = try OriginList(folder: folder).images()
            for name in namesInFolder(folder) {
                guard let hash = imageHash(of: name), !used.contains(hash) else { continue }
                let path = folder + "/" + name
                // A bake that was killed has placed images that no list names yet.
                let isMade =
                    listed.contains(hash) || ownFolders.contains(folder) && isBakedImage(path)
                if isMade, removeFile(path) { count += 1 }
            }
        }
        return count
    }

    /// Whether a file of the site may name an image of a folder.
    func mayBeNamed(imageOf folder: String) -> Bool { named(imagesOf: [folder])?.isEmpty != true }

    /// The marked folders of images in the site, which no other site shares.
    private var ownFolders: [String] {
        SiteOrigins.folders(of: site).filter {
            ImageFolder.isMarked($0) && rest(of: $0, in: site.root) != nil
        }
    }

    /// The images of folders that any file of the site names, also where imgbake reads no references;
    /// nil if a file cannot be read.
    private func named(imagesOf folders: Set<String>) -> Set<ImageHash>? {
        var named = NamedImages(
            Set(folders.flatMap(namesInFolder).compactMap { imageHash(of: $0) }))
        for file in files where file.role != .link && !site.reading.isBaked(file.path) {
            do throws(FileError) {
                try named.search(file: site.path(file.path))
            } catch {
                return nil
            }
        }
        return named.found
    }

    /// The images of documents that are not part of this site but share its image folder.
    private func namedElsewhere(_ lists: [String: [OriginList.Line]]) -> Set<ImageHash> {
        let own = Set(files.map { site.path($0.path) })
        return lists.reduce(into: []) { hashes, list in
            for line in list.value {
                let path = line.path(in: list.key)
                guard !own.contains(path), FileStatus(path) != nil else { continue }
                hashes.formUnion(imageHashes(in: line.bytes))
            }
        }
    }
}
