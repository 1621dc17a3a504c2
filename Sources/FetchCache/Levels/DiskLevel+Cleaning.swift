internal import Files

/// Removes what is old, too much or damaged, with or without a ``FetchManager``.
extension DiskLevel {
    /// A summary of the folder's contents from its index.
    ///
    /// No file is read to compute it.
    ///
    /// - Throws: ``FetchError/Code/storage``.
    public func summary() async throws(FetchError) -> CacheSummary {
        try await index.summary(at: .now)
    }

    /// The minimum age in milliseconds at which an unreferenced blob is removed.
    ///
    /// The entry of a younger blob may be about to be written.
    static let blobGrace: Int64 = 3_600_000

    /// Removes contents that exceed a maximum age or a maximum size.
    ///
    /// Everything whose last use is older than the maximum age is removed first. If the remaining
    /// blobs exceed the maximum size, the least recently used ones are removed until half of that
    /// size is left, or only those that ``FetchManager/protect(usesSince:by:)`` keeps. Expired
    /// failures and unreferenced blobs are removed too. Contents that other processes are using are
    /// kept.
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
        try await clean(maximumAge: maximumAge, maximumBytes: maximumBytes, at: .now) { _ in }
    }

    /// Does the same at a time of the cache's clock, and tells the keys that are removed.
    func clean(
        maximumAge: Duration?, maximumBytes: Int?, at start: Timestamp,
        _ announce: ([String]) -> Void
    ) async throws(FetchError) -> CleaningReport {
        let afterStart = Timestamp(milliseconds: Timestamp.now.milliseconds + 1)
        var report = CleaningReport()
        let cutoff =
            maximumAge.map { Timestamp(milliseconds: start.milliseconds - $0.milliseconds) }
            ?? .distantPast
        let unused = try await index.removeUnused(since: cutoff, at: start)
        report.removedEntryCount = unused.count
        announce(unused.keys)
        if let size = maximumBytes {
            let uses = try await blobUses(over: size)
            let kept = try await index.protection(since: cutoff, at: start)
            report.protectedBytes =
                uses.reduce(0) { $0 + ($1.lastUse < kept ? 0 : $1.byteCount) }
            let excess = Self.excess(uses, over: size, keeping: kept)
            let removed = try await index.removeUses(of: excess.map(\.digest))
            report.removedEntryCount += removed.count
            announce(removed.keys)
            // These blobs have no grace period, but those stay that another process has written, or
            // marked as used, since the start.
            try await sweep(excess.map(\.digest), unlessUsedSince: afterStart, &report)
        }
        let grace = Timestamp(milliseconds: Timestamp.now.milliseconds - Self.blobGrace)
        try await sweep(await allBlobs(), unlessUsedSince: grace, &report)
        try await index.setCleaning(start, protectedBytes: report.protectedBytes)
        await measure(&report)
        return report
    }

    /// Removes all contents of the folder: entries, variants, values, failures, blobs and cookies.
    ///
    /// - Returns: A report of the removed contents, and of those that could not be removed.
    /// - Throws: ``FetchError/Code/storage``, ``FetchError/Code/cancelled``.
    @discardableResult
    public func clear() async throws(FetchError) -> CleaningReport {
        var report = CleaningReport()
        report.removedEntryCount = try await index.removeAll()
        removeFile(layout.cookies)
        try await sweep(await allBlobs(), unlessUsedSince: .distantFuture, &report)
        await measure(&report)
        return report
    }

    /// Reads and hashes every blob.
    ///
    /// Removes damaged blobs, and the entries and variants whose blobs are missing or incomplete.
    ///
    /// - Returns: A report of the problems found.
    /// - Throws: ``FetchError/Code/storage``, ``FetchError/Code/cancelled``.
    public func verify() async throws(FetchError) -> VerificationReport {
        var report = VerificationReport()
        for digest in await allBlobs() {
            try checkCancellation()
            let verdict = await BlockingPool.shared.run { self.blobs.check(digest) }
            guard let verdict else { continue }
            report.checkedCount += 1
            report.checkedBytes += verdict.byteCount
            if !verdict.isWhole { report.damaged.append(digest) }
        }
        // Remove the references first: if the process dies in between, no entry is without its
        // blob.
        let damaged = try await index.removeUses(of: report.damaged)
        for digest in report.damaged { removeFile(blobs.layout.blob(digest)) }
        var missing: [BlobDigest] = []
        for use in try await index.blobUses()
        where blobs.path(of: use.digest, byteCount: use.byteCount) == nil {
            missing.append(use.digest)
        }
        let removed = try await index.removeUses(of: missing)
        report.missing = damaged.keys + removed.keys
        return report
    }

    private func allBlobs() async -> [BlobDigest] {
        await BlockingPool.shared.run { self.blobs.all() }
    }

    /// Measures the files on disk: the index knows only the blobs that are referenced.
    private func measure(_ report: inout CleaningReport) async {
        (report.remainingBlobCount, report.remainingBytes) = await BlockingPool.shared.run {
            self.blobs.usage()
        }
    }

    /// All blobs in the order of last use; in any order if they do not exceed a size.
    ///
    /// The index learns of a use by a load some time later, and the time of the file at once. Older
    /// times of files may be those of copies.
    private func blobUses(over size: Int) async throws(FetchError) -> [BlobUse] {
        let uses = try await index.blobUses()
        guard uses.reduce(0, { $0 + $1.byteCount }) > size else { return uses }
        let recent = Timestamp(milliseconds: Timestamp.now.milliseconds - Self.blobGrace)
        return await BlockingPool.shared.run { [blobs] in
            uses.map { use in
                guard let time = blobs.lastUse(of: use.digest), time > recent else { return use }
                var use = use
                use.lastUse = max(use.lastUse, time)
                return use
            }.sorted { ($0.lastUse, $0.digest.hex) < ($1.lastUse, $1.digest.hex) }
        }
    }

    /// The blobs to remove, from a list in the order of last use.
    ///
    /// Those that were used at the time `kept` or later stay.
    static func excess(_ uses: [BlobUse], over size: Int, keeping kept: Timestamp) -> [BlobUse] {
        var total = uses.reduce(0) { $0 + $1.byteCount }
        if total <= size { return [] }
        var excess: [BlobUse] = []
        for use in uses where total > size / 2 && use.lastUse < kept {
            excess.append(use)
            total -= use.byteCount
        }
        return excess
    }

    /// Removes the unreferenced blobs of a list, in small transactions.
    private func sweep(
        _ digests: [BlobDigest], unlessUsedSince cutoff: Timestamp, _ report: inout CleaningReport
    ) async throws(FetchError) {
        var rest = digests[...]
        while !rest.isEmpty {
            try checkCancellation()
            let removed = try await index.sweep(
                Array(rest.prefix(500)), in: blobs, unlessUsedSince: cutoff)
            report.removedBlobCount += removed.count
            report.removedBytes += removed.byteCount
            rest = rest.dropFirst(500)
        }
    }

    /// Checks for cancellation during long operations on the folder.
    func checkCancellation() throws(FetchError) {
        if Task.isCancelled {
            throw FetchError(.cancelled, layout.root, "it was cancelled")
        }
    }
}
