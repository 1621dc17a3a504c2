internal import Files
public import FoundationEssentials
import Locks
internal import Logging
package import SystemPackage

extension FetchManager {
    /// The interval between automatic cleanings, in milliseconds.
    private static let cleaningInterval: Int64 = 86_400_000
    /// Removes old and excess contents by ``CachePolicy/maximumAge`` and
    /// ``CachePolicy/maximumBytes``; see ``clean(maximumAge:maximumBytes:)``.
    ///
    /// - Returns: A report of the removed contents.
    /// - Throws: ``FetchError/Code/storage``; ``FetchError/Code/cancelled``, which leaves the cache
    ///   partly cleaned.
    @discardableResult
    public func clean() async throws(FetchError) -> CleaningReport {
        try await clean(
            maximumAge: configuration.policy.maximumAge,
            maximumBytes: configuration.policy.maximumBytes)
    }

    /// Removes contents that exceed a maximum age or a maximum size.
    ///
    /// Everything whose last use is older than the maximum age is removed first. If the remaining
    /// blobs exceed the maximum size, the least recently used ones are removed until half of that
    /// size is left, or only those that ``protect(usesSince:by:)`` keeps. Expired failures and
    /// unreferenced blobs are removed too. Contents that other processes are using are kept.
    ///
    /// - Parameters:
    ///   - maximumAge: The maximum time since the last use; nil for no limit.
    ///   - maximumBytes: The maximum total size of all blobs; nil for no limit.
    /// - Returns: A report of the removed contents.
    /// - Throws: ``FetchError/Code/storage``; ``FetchError/Code/cancelled``, which leaves the cache
    ///   partly cleaned.
    @discardableResult
    public func clean(
        maximumAge: Duration?, maximumBytes: Int?
    ) async throws(FetchError) -> CleaningReport {
        try await levels.disk.clean(
            maximumAge: maximumAge, maximumBytes: maximumBytes, at: levels.now, announce)
    }

    /// Keeps what was used since a time from being removed because the cache is too large.
    ///
    /// It counts until the same name is given a later time, or for ``CachePolicy/maximumAge``. With
    /// several names, the earliest time decides. A program that loads the same resources again and
    /// again calls this at the end of each run: what a run has used is then still there in the next
    /// one, even if the size limit is too low for it.
    ///
    /// - Parameters:
    ///   - time: The start of the run, by the clock of the cache.
    ///   - name: The name of the program's task.
    /// - Throws: ``FetchError/Code/storage``.
    public func protect(usesSince time: Date, by name: String) async throws(FetchError) {
        try await levels.disk.index.protect(
            usesSince: Timestamp(time), by: name, at: levels.now)
    }

    /// The size that the cache needs for what ``protect(usesSince:by:)`` keeps, according to the last
    /// cleaning; nil if it is within ``CachePolicy/maximumBytes``, or before ``close()``.
    public var neededBytes: Int? { needed.withLock(\.self) }

    /// Removes all contents of the folder: entries, variants, values, failures, blobs and cookies.
    ///
    /// - Returns: A report of the removed contents, and of those that could not be removed.
    /// - Throws: ``FetchError/Code/storage``, ``FetchError/Code/cancelled``.
    @discardableResult
    public func clear() async throws(FetchError) -> CleaningReport {
        clearMemory()
        downloader.forgetCookies()
        return try await levels.disk.clear()
    }

    /// Reads and hashes every blob.
    ///
    /// Removes damaged blobs, and the entries and variants whose blobs are missing or incomplete.
    /// Memory is emptied.
    ///
    /// - Returns: A report of the problems found.
    /// - Throws: ``FetchError/Code/storage``, ``FetchError/Code/cancelled``.
    public func verify() async throws(FetchError) -> VerificationReport {
        let report = try await levels.disk.verify()
        clearMemory()
        return report
    }

    /// Starts a cleaning after a short delay, unless the cache was cleaned within the last day.
    func cleanInBackground() {
        background.run { [self] in
            guard let last = try? await levels.disk.index.cleaningTime(), !Task.isCancelled else {
                return
            }
            if levels.now.milliseconds - last.milliseconds < Self.cleaningInterval { return }
            // A new cache has nothing to clean. Record the time, so that the next check is a day
            // later.
            if last == .distantPast, let summary = try? await summary(), summary.entryCount == 0 {
                try? await levels.disk.index.setCleaning(levels.now, protectedBytes: 0)
                return
            }
            do {
                try await clean()
            } catch {
                configuration.logger.debug("the cache was not cleaned: \(error)")
            }
        }
    }

    /// Cleans on closing if the cache exceeds its size limit.
    func cleanIfTooLarge() async {
        guard let limit = configuration.policy.maximumBytes else { return }
        do {
            if downloader.activity.receivedBytes > 0, try await summary().byteCount > limit {
                try await clean()
            }
            let bytes = try await levels.disk.index.protectedBytes()
            if bytes > limit { needed.withLock { $0 = bytes } }
        } catch {
            configuration.logger.debug("the cache was not cleaned: \(error)")
        }
    }

    func announce(_ keys: [String]) {
        for key in keys {
            levels.memory.forget(key)
            hub.emit(FetchEvent(key: key, kind: .evicted))
        }
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
