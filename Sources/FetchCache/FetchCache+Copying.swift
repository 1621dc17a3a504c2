/// What ``FetchCache/merge(folder:)`` took over.
public struct MergeReport: Sendable, Hashable {
    /// Entries that were taken over.
    public var entryCount = 0
    /// Variants that were taken over.
    public var variantCount = 0
    /// Blobs that were copied.
    public var blobCount = 0
    /// The bytes of those blobs.
    public var byteCount = 0
    /// The digests of blobs that were left, with all that leads to them, because their bytes have
    /// another.
    public var damaged: [BlobDigest] = []
}

extension FetchCache {
    /// Writes a copy of the cache as it is now: a folder to take along, or to be one of
    /// ``FetchConfiguration/readOnlyCaches``.
    ///
    /// - Parameter folder: An absolute path where nothing is yet, or an empty folder.
    /// - Returns: What the copy holds. What is damaged is left out.
    /// - Throws: ``FetchError/Code/storage``; ``FetchError/Code/cancelled``. A copy that was not finished has no
    ///   index, and is none.
    public func export(to folder: String) async throws(FetchError) -> CacheSummary {
        let layout = CacheLayout(root: folder)
        try FileSystem.makeFolder(layout.root)
        guard FileSystem.names(in: layout.root).isEmpty else {
            throw FetchError(.storage, folder, "the folder is not empty")
        }
        try FileSystem.write(CacheLayout.tagText, toNew: layout.tag)
        try FileSystem.makeFolder(layout.blobs)
        try FileSystem.makeFolder(layout.temporary)
        let draft = IndexFile.first(in: layout.temporary).path
        try await index.copy(to: draft)
        let copy = try Index(in: layout.temporary)
        let summary: CacheSummary
        do throws(FetchError) {
            let (damaged, _, _) = try await copyBlobs(
                of: try await copy.blobUses(), from: blobs, to: BlobStore(layout: layout))
            try await copy.removeUses(of: damaged)
            summary = try await copy.summary(at: now)
            await copy.close()
        } catch {
            await copy.close()
            throw error
        }
        try FileSystem.rename(draft, to: IndexFile.first(in: layout.root).path)
        return summary
    }

    /// Takes over what another cache folder holds and this one does not, or has an older answer of.
    ///
    /// Every blob is hashed on the way: a folder that comes from elsewhere can bring no bytes under a
    /// name that is not theirs.
    ///
    /// - Parameter folder: The absolute path of a cache, which is only read.
    /// - Returns: What was taken over.
    /// - Throws: ``FetchError/Code/storage``; ``FetchError/Code/cancelled``, and then a part is there.
    public func merge(folder: String) async throws(FetchError) -> MergeReport {
        let source = try Fallback(root: folder, namespace: "")
        do throws(FetchError) {
            let report = try await merge(source)
            await source.index.close()
            return report
        } catch {
            await source.index.close()
            throw error
        }
    }

    private func merge(_ source: Fallback) async throws(FetchError) -> MergeReport {
        var report = MergeReport()
        let uses = try await source.index.blobUses()
        (report.damaged, report.blobCount, report.byteCount) = try await copyBlobs(
            of: uses, from: source.blobs, to: blobs)
        let left = Set(report.damaged)
        var last: Entry?
        while true {
            let page = try await source.index.entries(after: last, count: 500)
            for entry in page where !left.contains(entry.digest) {
                let own = try await index.entries(for: entry.key)
                    .first { $0.response.vary == entry.response.vary }
                let ownTime = own?.response.arrival
                guard ownTime.map({ entry.response.arrival > $0 }) ?? true,
                    try await index.put(entry, withBlobIn: blobs)
                else { continue }
                forget(entry.key)
                report.entryCount += 1
            }
            if page.isEmpty { break }
            last = page.last
        }
        report.variantCount = try await index.takeVariants(from: source.index, withBlobsIn: blobs)
        return report
    }

    /// Copies blobs that are not there yet.
    private func copyBlobs(
        of uses: [BlobUse], from source: BlobStore, to destination: BlobStore
    ) async throws(FetchError) -> (damaged: [BlobDigest], count: Int, byteCount: Int) {
        var damaged: [BlobDigest] = []
        var count = 0
        var total = 0
        for use in uses
        where destination.path(of: use.digest, byteCount: use.byteCount) == nil {
            try checkCancellation()
            let path = source.layout.blob(use.digest)
            do throws(FetchError) {
                _ = try await BlockingPool.shared.run { () throws(FetchError) in
                    try destination.copy(from: path, use.digest, byteCount: use.byteCount)
                }
                count += 1
                total += use.byteCount
            } catch {
                guard error.url == path else { throw error }
                damaged.append(use.digest)
            }
        }
        destination.temporary.release()
        return (damaged, count, total)
    }
}
