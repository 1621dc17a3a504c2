internal import Logging

extension FetchCache {
    /// How often the cache cleans itself, in milliseconds.
    private static let cleaningInterval: Int64 = 86_400_000
    /// Milliseconds for which a blob that nothing leads to is left: its entry may be about to be
    /// written.
    static let blobGrace: Int64 = 3_600_000

    /// Removes what is old and what is too much by ``FetchConfiguration/maximumAge`` and
    /// ``FetchConfiguration/maximumBytes``; see ``clean(maximumAge:maximumBytes:)``.
    ///
    /// - Returns: What went.
    /// - Throws: ``FetchError/Code/storage``; ``FetchError/Code/cancelled``, and then a part is cleaned.
    @discardableResult
    public func clean() async throws(FetchError) -> CleaningReport {
        try await clean(
            maximumAge: configuration.maximumAge, maximumBytes: configuration.maximumBytes)
    }

    /// Removes what is old and what is too much.
    ///
    /// First goes all that was last used longer ago than the age. If the rest has more bytes than the
    /// size, what was used least lately follows, until half of the size is left. Failures that hold no
    /// longer, cut downloads and blobs to which nothing leads go too. What other processes are using
    /// stays.
    ///
    /// - Parameters:
    ///   - maximumAge: Since the last use; nil for any age.
    ///   - maximumBytes: Of all blobs; nil for any number.
    /// - Returns: What went.
    /// - Throws: ``FetchError/Code/storage``; ``FetchError/Code/cancelled``, and then a part is cleaned.
    @discardableResult
    public func clean(
        maximumAge: Duration?, maximumBytes: Int?
    ) async throws(FetchError) -> CleaningReport {
        let start = now
        var report = CleaningReport()
        let cutoff =
            maximumAge.map { Timestamp(milliseconds: start.milliseconds - $0.milliseconds) }
            ?? .distantPast
        let unused = try await index.removeUnused(since: cutoff, at: start)
        report.removedEntryCount = unused.count
        announce(unused.keys)
        if let size = maximumBytes {
            let excess = Self.excess(try await index.blobUses(), over: size)
            let removed = try await index.removeUses(of: excess.map(\.digest))
            report.removedEntryCount += removed.count
            announce(removed.keys)
            // These may be as young as they like, and are not to wait for their grace.
            try await sweep(excess.map(\.digest), unlessUsedSince: .distantFuture, &report)
        }
        let grace = Timestamp(milliseconds: Timestamp.now.milliseconds - Self.blobGrace)
        try await sweep(await allBlobs(), unlessUsedSince: grace, &report)
        report.removedBytes +=
            downloader.partials?.removeAll(before: Timestamp.now.advanced(bySeconds: -86_400)) ?? 0
        try await index.setCleaningTime(start)
        await measure(&report)
        return report
    }

    /// Removes everything from the folder: entries, variants, values, failures, blobs, cookies.
    ///
    /// - Returns: What went, and what is left because it could not be removed.
    /// - Throws: ``FetchError/Code/storage``, ``FetchError/Code/cancelled``.
    @discardableResult
    public func clear() async throws(FetchError) -> CleaningReport {
        clearMemory()
        var report = CleaningReport()
        report.removedEntryCount = try await index.removeAll()
        report.removedBytes = downloader.partials?.removeAll(before: .distantFuture) ?? 0
        FileSystem.remove(blobs.layout.cookies)
        engine.forgetCookies()
        try await sweep(await allBlobs(), unlessUsedSince: .distantFuture, &report)
        await measure(&report)
        return report
    }

    private func allBlobs() async -> [BlobDigest] {
        let blobs = self.blobs
        return await BlockingPool.shared.run { blobs.all() }
    }

    /// Looks at what is left on disk: the index knows only what leads to blobs.
    private func measure(_ report: inout CleaningReport) async {
        let blobs = self.blobs
        (report.remainingBlobCount, report.remainingBytes) = await BlockingPool.shared.run {
            blobs.usage()
        }
    }

    /// Reads and hashes every blob, and throws out what is damaged, and what leads to blobs that are
    /// not there whole.
    ///
    /// - Returns: What was found.
    /// - Throws: ``FetchError/Code/storage``, ``FetchError/Code/cancelled``.
    public func verify() async throws(FetchError) -> VerificationReport {
        let blobs = self.blobs
        var report = VerificationReport()
        for digest in await allBlobs() {
            try checkCancellation()
            let verdict = await BlockingPool.shared.run { blobs.check(digest) }
            guard let verdict else { continue }
            report.checkedCount += 1
            report.checkedBytes += verdict.byteCount
            if !verdict.isWhole { report.damaged.append(digest) }
        }
        // First what leads to them: whoever dies between the two leaves no entry without its blob.
        let damaged = try await index.removeUses(of: report.damaged)
        for digest in report.damaged { FileSystem.remove(blobs.layout.blob(digest)) }
        var missing: [BlobDigest] = []
        for use in try await index.blobUses()
        where blobs.path(of: use.digest, byteCount: use.byteCount) == nil {
            missing.append(use.digest)
        }
        let removed = try await index.removeUses(of: missing)
        clearMemory()
        report.missing = damaged.keys + removed.keys
        return report
    }

    /// Cleans a little later, if that was not done within a day.
    func cleanInBackground() {
        background.run { [self] in
            guard let last = try? await index.cleaningTime(), !Task.isCancelled else { return }
            if now.milliseconds - last.milliseconds < Self.cleaningInterval { return }
            // A cache that was just made has nothing to clean, and is not asked again for a day.
            if last == .distantPast, let summary = try? await summary(), summary.entryCount == 0 {
                try? await index.setCleaningTime(now)
                return
            }
            do {
                try await clean()
            } catch {
                configuration.logger.debug("the cache was not cleaned: \(error)")
            }
        }
    }

    /// Cleans at the end, if there is more than there may be.
    func cleanIfTooLarge() async {
        guard let limit = configuration.maximumBytes, engine.activity.receivedBytes > 0,
            let summary = try? await summary(), summary.byteCount > limit
        else { return }
        do {
            try await clean()
        } catch {
            configuration.logger.debug("the cache was not cleaned: \(error)")
        }
    }

    /// The first of the blobs, which are in the order of their last use, that have to go.
    static func excess(_ uses: [BlobUse], over size: Int) -> [BlobUse] {
        var total = uses.reduce(0) { $0 + $1.byteCount }
        if total <= size { return [] }
        var excess: [BlobUse] = []
        for use in uses where total > size / 2 {
            excess.append(use)
            total -= use.byteCount
        }
        return excess
    }

    func announce(_ keys: [String]) {
        for key in keys {
            forget(key)
            hub.emit(key, .evicted)
        }
    }

    /// Removes those of some blobs to which nothing leads, in small transactions.
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
}
