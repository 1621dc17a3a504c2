package import SystemPackage

extension FetchManager {
    /// The file of a blob on this machine, whichever URL it came from; nil if there is none.
    ///
    /// Its bytes are not hashed; see ``verify(_:at:)``.
    ///
    /// - Parameters:
    ///   - digest: The SHA-256 of the blob.
    ///   - byteCount: Its length in bytes.
    ///   - url: The URL to name if it is larger than the limit.
    /// - Returns: The path of the file.
    /// - Throws: ``FetchError/Code/tooLarge``.
    package func blob(
        _ digest: BlobDigest, byteCount: Int, for url: String
    ) throws(FetchError) -> FilePath? {
        guard byteCount <= configuration.downloader.limits.bodyBytes else {
            throw FetchError(
                .tooLarge, url,
                "it has \(byteCount.asBytes), more than the limit of "
                    + configuration.downloader.limits.bodyBytes.asBytes)
        }
        if let path = levels.disk.blobs.path(of: digest, byteCount: byteCount) {
            return FilePath(path)
        }
        for level in levels.readOnly where !levels.damaged.contains(digest) {
            if let path = level.blobs.path(of: digest, byteCount: byteCount) {
                return FilePath(path)
            }
        }
        return nil
    }
}
