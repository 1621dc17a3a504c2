internal import Files

/// The layout of a cache folder.
///
/// ```text
/// CACHEDIR.TAG        tells backup programs to skip the folder
/// index.sqlite        entries, variants and values; user_version is the version of the layout
/// index-2.sqlite      replaces a damaged index; the file with the highest number is the index
/// index.lock          locked while an index is created or replaced
/// blobs/ab/cdef…      the bytes, named by their SHA-256, read-only
/// locks               one byte is locked while a request is sent
/// cookies             the cookie jar, if cookies are kept
/// namespaces/NAME/…   a folder with the same layout
/// tmp/NAME.lock       locked by a running process
/// tmp/NAME/…          the temporary files of that process
/// *.aside             something else that had one of these names
/// ```
///
/// Only the owner has access.
///
/// The index of another version or program is set aside too. Nothing is deleted that may not be
/// ours.
struct CacheLayout: Sendable {
    /// The absolute path of the cache's folder, without a slash at the end.
    let root: String

    /// - Parameters:
    ///   - root: An absolute path.
    ///   - namespace: A valid namespace; empty for the folder itself.
    init(root: String, namespace: String = "") {
        let root = root.count > 1 && root.hasSuffix("/") ? String(root.dropLast()) : root
        self.root = namespace.isEmpty ? root : "\(root)/namespaces/\(namespace)"
    }

    /// Whether a namespace is valid, so that it can be used as a folder name.
    static func isName(_ namespace: String) -> Bool {
        let rest: Set<UInt8> = [UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ".")]
        return namespace.utf8.count <= 100 && !namespace.hasPrefix(".")
            && namespace.utf8.allSatisfy {
                rest.contains($0) || (0x30...0x39).contains($0) || (0x41...0x5A).contains($0)
                    || (0x61...0x7A).contains($0)
            }
    }

    /// Only the owner has access: URLs and bytes may be secret.
    static let folderMode: mode_t = 0o700
    static let fileMode: mode_t = 0o600
    static let blobMode: mode_t = 0o400

    var tag: String { "\(root)/CACHEDIR.TAG" }
    var blobs: String { "\(root)/blobs" }
    var temporary: String { "\(root)/tmp" }
    var locks: String { "\(root)/locks" }
    var indexLock: String { "\(root)/index.lock" }
    var cookies: String { "\(root)/cookies" }

    func blobFolder(_ digest: BlobDigest) -> String { "\(blobs)/\(digest.hex.prefix(2))" }

    func blob(_ digest: BlobDigest) -> String {
        "\(blobFolder(digest))/\(digest.hex.dropFirst(2))"
    }

    /// Makes the folders and the tag, unless they exist, and removes the access of other users.
    ///
    /// - Returns: The new paths of things that were in the way.
    @discardableResult
    func makeFolders() throws(FetchError) -> [String] {
        try FetchError.ofFiles {
            try Files.makeFolders(root, mode: Self.folderMode)
            let moved = try clearWays()
            makeRootPrivate()
            for folder in [blobs, temporary] { try makePrivateFolder(folder) }
            try writeNewFile(Self.tagText, to: tag, mode: Self.fileMode)
            return moved
        }
    }

    /// The content of CACHEDIR.TAG according to its specification.
    static let tagText = """
        Signature: 8a477f597d28d172789f06886806bc55
        # This file is a cache directory tag created by FetchCache.
        # For information about cache directory tags see https://bford.info/cachedir/

        """
}

/// The access of others to a cache, and things that have the names of its files.
extension CacheLayout {
    /// Removes the access of other users to the folder and to the files in it.
    ///
    /// Only the files are private if the folder has other things too: it may be a home folder.
    func makeRootPrivate() {
        guard let status = FileStatus(root, followingLinks: true), status.mode & 0o077 != 0
        else { return }
        let names = namesInFolder(root)
        for name in names where Self.isOwn(name) { makePrivate("\(root)/\(name)") }
        if names.allSatisfy(Self.isOwn) { makePrivate(resolvedPath(root) ?? root) }
    }

    /// Whether a name in the folder is one of the cache's.
    private static func isOwn(_ name: String) -> Bool {
        let names = ["CACHEDIR.TAG", "blobs", "locks", "cookies", "namespaces", "tmp"]
        return names.contains(name) || name.hasPrefix("index") || name.contains(".aside")
    }

    /// Sets aside what is not a file or a folder where one is needed.
    ///
    /// A link to a folder may stay: the user may keep the blobs elsewhere. A link to a file may
    /// not: the file it leads to would be changed.
    ///
    /// - Returns: The new paths.
    func clearWays() throws(FileError) -> [String] {
        var moved: [String] = []
        for path in [blobs, temporary]
        where FileStatus(path) != nil && !isFolder(path) {
            moved.append(try setAside(path))
        }
        for path in [locks, indexLock, cookies, tag] {
            guard let kind = FileStatus(path)?.kind, kind != .file else { continue }
            moved.append(try setAside(path))
        }
        return moved
    }

    /// Sets aside what is in the way of a blob.
    func clearWay(to blob: String) throws(FileError) {
        let folder = folderAndName(of: blob).folder
        if FileStatus(folder) != nil, !isFolder(folder) { try setAside(folder) }
        if FileStatus(blob)?.kind == .folder { try setAside(blob) }
    }
}
