internal import Files
import Glibc
package import SystemPackage

/// More ways to load resources.
extension FetchManager {
    /// Starts a load, which continues until it ends or is cancelled, even if no caller waits for
    /// it.
    ///
    /// - Parameters:
    ///   - request: The resource to load.
    ///   - progress: As in ``load(_:progress:)``.
    /// - Returns: A handle to wait for the load or to cancel it.
    public func start(
        _ request: FetchRequest, progress: (@Sendable (FetchProgress) -> Void)? = nil
    ) -> FetchHandle {
        let round = loader.round
        let request = inTurn(request)
        return FetchHandle(
            task: Task {
                do throws(FetchError) {
                    return .success(try await load(request, progress: progress, since: round))
                } catch {
                    return .failure(error)
                }
            })
    }

    /// Returns the stored resource of a URL at once, fresh or stale, and then the server's
    /// response.
    ///
    /// The second resource is returned even if nothing has changed, unless `skipsEqual` is true. Its
    /// origin is then ``Resource/Origin-swift.enum/revalidated``; compare ``Resource/digest``. If no
    /// resource is stored, only one is returned.
    ///
    /// - Parameters:
    ///   - request: The resource to load; its mode is ignored.
    ///   - skipsEqual: Whether a second resource with the bytes of the first is left out.
    /// - Returns: One or two resources, or the error of the second.
    public func updates(
        for request: FetchRequest, skipsEqual: Bool = false
    ) -> ResourceUpdates {
        ResourceUpdates(cache: self, request: request, skipsEqual: skipsEqual, round: loader.round)
    }

    /// Returns the resources of those URLs that are stored and fresh, without any request.
    ///
    /// Intended for many URLs at once: one transaction for each folder looks all of
    /// them up.
    ///
    /// - Parameter urls: URLs as in a plain ``FetchRequest``.
    /// - Returns: The resources by their URLs as given. A URL is left out if it is invalid, not
    ///   stored or not fresh, or if the configuration does not allow to use what is stored.
    /// - Throws: ``FetchError/Code/storage``.
    public func resources(
        for urls: [String]
    ) async throws(FetchError) -> [String: Resource] {
        try await BlockingPool.shared.run { () throws(FetchError) in
            try self.loader.fresh(urls.compactMap { try? self.target(FetchRequest($0)) })
        }
    }
}

/// Reports of the caller about the bytes of a resource.
extension FetchManager {
    /// Records that the bytes of a resource can be used, for instance that an image was decoded.
    ///
    /// If other bytes replace them later, the response is kept until those are confirmed too; see
    /// ``reject(_:of:because:)``. The record is written to the folder later, together with others.
    ///
    /// - Parameters:
    ///   - digest: The digest of the resource.
    ///   - request: The request that returned it.
    /// - Throws: ``FetchError/Code/invalidURL``.
    public func confirm(
        _ digest: BlobDigest, of request: FetchRequest
    ) throws(FetchError) {
        levels.disk.index.touch(
            .confirmation(key: try target(request).key, digest: digest), at: levels.now)
    }

    /// Records that the bytes of a resource cannot be used, for instance that an image cannot be
    /// decoded, and returns to the response that they have replaced.
    ///
    /// It has an effect only with ``CachePolicy/OnGone-swift.enum/keep``, and only if an
    /// earlier response was confirmed with ``confirm(_:of:)`` or is in a read-only cache. The bytes
    /// are then remembered as a failure of the code ``FetchError/Code/rejected``.
    ///
    /// - Parameters:
    ///   - digest: The digest of the resource.
    ///   - request: The request that returned it.
    ///   - reason: The reason as one clause without a period.
    /// - Returns: The earlier resource; nil if none can be used, in which case nothing changes.
    /// - Throws: ``FetchError/Code/invalidURL``, ``FetchError/Code/storage``,
    ///   ``FetchError/Code/cancelled``.
    public func reject(
        _ digest: BlobDigest, of request: FetchRequest, because reason: String
    ) async throws(FetchError) -> Resource? {
        try await loader.reject(digest, of: try target(request), because: reason)
    }
}

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

extension FetchManager {
    /// Reads and hashes a blob, for instance before its file is linked to another name.
    ///
    /// A damaged blob is removed together with the entries and variants that refer to it. One of a
    /// folder that is only read stays there, and is not used any more by this cache.
    ///
    /// - Parameters:
    ///   - digest: The digest of the blob; see ``Resource/digest`` and ``StoredVariant/digest``.
    ///   - path: The path of its file.
    /// - Throws: ``FetchError/Code/damaged``; ``FetchError/Code/storage`` if the file cannot be
    ///   read.
    package func verify(_ digest: BlobDigest, at path: FilePath) async throws(FetchError) {
        let found = try await BlockingPool.shared.run { () throws(FetchError) in
            try FetchError.ofFiles { try BlobDigest.ofFile(path.string).digest }
        }
        guard found == digest else { throw await discard(digest, path.string) }
    }

    /// Copies a blob to a new file and hashes it at the same time.
    ///
    /// A damaged blob is treated as by ``verify(_:at:)``, and the new file is removed.
    ///
    /// - Parameters:
    ///   - digest: The digest of the blob; see ``Resource/digest`` and ``StoredVariant/digest``.
    ///   - path: The path of its file.
    ///   - target: The path of the new file, which must not exist yet.
    /// - Throws: ``FetchError/Code/damaged``; ``FetchError/Code/storage`` if it cannot be read or
    ///   written.
    package func copy(
        _ digest: BlobDigest, at path: FilePath, to target: FilePath
    ) async throws(FetchError) {
        let found = try await BlockingPool.shared.run { () throws(FetchError) in
            try BlobStore.copy(path.string, to: target.string)
        }
        if found == digest { return }
        removeFile(target.string)
        throw await discard(digest, path.string)
    }

    /// The folders of ``FetchConfiguration/Folder-swift.struct/readOnlyCaches`` in which damaged
    /// blobs were found.
    package var damagedCaches: [FilePath] { levels.damaged.folders.map { FilePath($0) } }

    /// Removes a damaged blob and everything that refers to it, or ensures that it is not used again.
    private func discard(_ digest: BlobDigest, _ path: String) async -> FetchError {
        // An entry that is removed is fetched again. One that could not be removed is detected
        // again.
        if let removed = try? await levels.disk.index.removeUses(of: [digest]) {
            announce(removed.keys)
        }
        let isOwn = path == levels.disk.layout.blob(digest)
        if isOwn { removeFile(path) } else { levels.noteDamaged(digest, at: path) }
        return FetchError(
            .damaged, path,
            "the bytes do not match the digest; the blob "
                + (isOwn ? "was removed" : "is not used any more"))
    }
}

/// The transfers of the cache's downloader.
extension FetchManager {
    /// A snapshot of the current transfers.
    public var activity: FetchActivity { downloader.activity }

    /// The maximum number of concurrent transfers; a change applies to transfers that start later.
    ///
    /// At least 1. The initial value is ``DownloaderConfiguration/Limits-swift.struct/transfers``.
    public var maximumTransfers: Int {
        get { downloader.maximumTransfers }
        set { downloader.maximumTransfers = newValue }
    }

    /// Whether new transfers are suspended.
    public var isSuspended: Bool { downloader.isSuspended }

    /// Suspends new transfers; running ones continue.
    public func suspend() { downloader.suspend() }

    /// Allows new transfers again.
    public func resume() { downloader.resume() }
}
