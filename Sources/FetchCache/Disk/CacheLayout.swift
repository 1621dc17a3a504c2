/// Where things are in a cache folder.
///
/// ```text
/// CACHEDIR.TAG        so that backups skip the folder
/// index.sqlite        entries, variants and values; its user_version is the layout's version
/// blobs/ab/cdef…      the bytes, named by their SHA-256, read-only
/// tmp/NAME.lock       held by a living process
/// tmp/key-….lock      held while a key is downloaded
/// tmp/NAME/…          what that process is writing
/// ```
struct CacheLayout: Sendable {
    /// The absolute path of the cache's folder, without a slash at the end.
    let root: String

    init(root: String) {
        self.root = root.count > 1 && root.hasSuffix("/") ? String(root.dropLast()) : root
    }

    var tag: String { "\(root)/CACHEDIR.TAG" }
    var index: String { "\(root)/index.sqlite" }
    var blobs: String { "\(root)/blobs" }
    var temporary: String { "\(root)/tmp" }

    func blobFolder(_ digest: BlobDigest) -> String { "\(blobs)/\(digest.hex.prefix(2))" }

    func blob(_ digest: BlobDigest) -> String {
        let hex = digest.hex
        return "\(blobs)/\(hex.prefix(2))/\(hex.dropFirst(2))"
    }

    /// What CACHEDIR.TAG holds, by its specification.
    static let tagText = """
        Signature: 8a477f597d28d172789f06886806bc55
        # This file is a cache directory tag created by FetchCache.
        # For information about cache directory tags see https://bford.info/cachedir/

        """
}
