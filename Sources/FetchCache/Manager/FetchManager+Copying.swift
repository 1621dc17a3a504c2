internal import Files
public import SystemPackage

extension FetchManager {
    /// Writes a copy of the cache in its present state to another folder.
    ///
    /// The copy can be moved to another machine, or listed in
    /// ``FetchConfiguration/Folder-swift.struct/readOnlyCaches``.
    ///
    /// - Parameter folder: The absolute path of an empty folder, or one that does not exist yet.
    /// - Returns: A summary of the copy. Damaged contents are left out.
    /// - Throws: ``FetchError/Code/storage``; ``FetchError/Code/cancelled``. An incomplete copy has
    ///   no index and is not a cache.
    public func export(to folder: FilePath) async throws(FetchError) -> CacheSummary {
        let layout = CacheLayout(root: folder.string)
        guard namesInFolder(layout.root).isEmpty else {
            throw FetchError(.storage, folder.string, "the folder is not empty")
        }
        try layout.makeFolders()
        let draft = IndexFile.first(in: layout.temporary)
        try await levels.disk.index.copy(to: draft.path)
        let copy = try Index(copy: draft)
        let summary: CacheSummary
        do throws(FetchError) {
            let blobs = BlobStore(layout: layout)
            let (damaged, _, _) = try await copyBlobs(
                of: try await copy.blobUses(), from: levels.disk.blobs, to: blobs)
            blobs.temporary.release()
            try await copy.removeUses(of: damaged)
            summary = try await copy.summary(at: levels.now)
            await copy.close()
        } catch {
            await copy.close()
            throw error
        }
        try FetchError.ofFiles {
            try moveFile(draft.path, to: IndexFile.first(in: layout.root).path)
        }
        return summary
    }

    /// Copies contents of another cache folder that this cache lacks, or has only in an older
    /// version.
    ///
    /// Every blob is hashed while it is copied, so an untrusted folder cannot add bytes under a
    /// wrong digest.
    ///
    /// - Parameter folder: The absolute path of the other cache, which is not changed.
    /// - Returns: A report of the copied contents.
    /// - Throws: ``FetchError/Code/storage``; ``FetchError/Code/cancelled``, which leaves a part
    ///   copied.
    public func merge(folder: FilePath) async throws(FetchError) -> MergeReport {
        let source = try ReadOnlyLevel(at: folder)
        do throws(FetchError) {
            let report = try await merge(source)
            await source.close()
            return report
        } catch {
            await source.close()
            throw error
        }
    }

    private func merge(_ source: ReadOnlyLevel) async throws(FetchError) -> MergeReport {
        var report = MergeReport()
        let uses = try await source.index.blobUses()
        (report.damaged, report.blobCount, report.byteCount) = try await copyBlobs(
            of: uses, from: source.blobs, to: levels.disk.blobs)
        let left = Set(report.damaged)
        var last: Entry?
        while true {
            let page = try await source.index.entries(after: last, count: 500)
            for entry in page where !left.contains(entry.digest) {
                guard try await levels.disk.index.put(entry, withBlobIn: levels.disk.blobs)
                else { continue }
                levels.memory.forget(entry.key)
                report.entryCount += 1
            }
            if page.isEmpty { break }
            last = page.last
        }
        report.variantCount = try await levels.disk.index.takeVariants(
            from: source.index, withBlobsIn: levels.disk.blobs)
        return report
    }

    /// Copies the blobs that the destination lacks, or has only damaged.
    private func copyBlobs(
        of uses: [BlobUse], from source: BlobStore, to destination: BlobStore
    ) async throws(FetchError) -> (damaged: [BlobDigest], count: Int, byteCount: Int) {
        var damaged: [BlobDigest] = []
        var count = 0
        var total = 0
        for use in uses {
            try checkCancellation()
            let path = source.layout.blob(use.digest)
            do throws(FetchError) {
                let isCopied = try await BlockingPool.shared.run { () throws(FetchError) in
                    if destination.check(use.digest)?.isWhole == true { return false }
                    _ = try destination.copy(from: path, use.digest, byteCount: use.byteCount)
                    return true
                }
                count += isCopied ? 1 : 0
                total += isCopied ? use.byteCount : 0
            } catch {
                guard error.url == path else { throw error }
                damaged.append(use.digest)
            }
        }
        return (damaged, count, total)
    }
}
