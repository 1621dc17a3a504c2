import Documents
import Files

/// Removes the images that bakes have made and that nothing names any more.
struct ImageRemoval {
    private let site: Site
    private let files: [SiteFile]
    private let origins: SiteOrigins

    /// The size of the largest file that is searched for names of images, in bytes.
    private static let largestFile = 4 * largestDocument

    /// - Parameters:
    ///   - site: The site.
    ///   - files: All its files.
    ///   - origins: The lists of its image folders.
    init(_ site: Site, _ files: [SiteFile], _ origins: SiteOrigins) {
        self.site = site
        self.files = files
        self.origins = origins
    }

    /// Removes the images; those that are in no list stay.
    ///
    /// - Returns: The number of removed files.
    /// - Throws: ``FileError`` if a list cannot be read.
    func run() throws(FileError) -> Int {
        let lists = try origins.lists()
        let used = namedInFiles.union(namedElsewhere(lists))
        var count = 0
        for folder in lists.keys {
            let listed = try OriginList(folder: folder).images()
            for name in namesInFolder(folder) {
                guard let hash = imageHash(of: name), listed.contains(hash), !used.contains(hash)
                else { continue }
                if removeFile(folder + "/" + name) { count += 1 }
            }
        }
        return count
    }

    /// The images that any file of the site names, also where imgbake reads no references.
    private var namedInFiles: Set<ImageHash> {
        files.reduce(into: []) { hashes, file in
            guard file.role != .link, !site.reading.isBaked(file.path),
                let bytes = try? readFile(site.path(file.path), limit: Self.largestFile).bytes
            else { return }
            hashes.formUnion(imageHashes(in: bytes))
        }
    }

    /// The images of documents that are not part of this site but share its image folder.
    private func namedElsewhere(_ lists: [String: [OriginList.Line]]) -> Set<ImageHash> {
        let own = Set(files.map { site.path($0.path) })
        return lists.reduce(into: []) { hashes, list in
            for line in list.value {
                let path = origins.path(of: line, in: list.key)
                guard !own.contains(path), FileStatus(path) != nil else { continue }
                hashes.formUnion(imageHashes(in: line.bytes))
            }
        }
    }
}
