internal import Files
public import HTTPTypes
public import SystemPackage

extension FetchManager {
    /// Whether a response is stored for a request, on disk or in memory, fresh or stale.
    ///
    /// It counts even if the configuration does not allow to use it, for instance because of its
    /// length or its host.
    ///
    /// - Throws: ``FetchError``.
    public func contains(_ request: FetchRequest) async throws(FetchError) -> Bool {
        try await loader.contains(try target(request), onDisk: false)
    }

    /// The path of the blob that is stored under a key of ``entries``.
    ///
    /// If there are several responses, the latest is used.
    ///
    /// - Returns: nil if nothing is stored under the key, or its blob is missing or incomplete.
    /// - Throws: ``FetchError/Code/storage``.
    public func path(forKey key: String) async throws(FetchError) -> FilePath? {
        try await levels.disk.index.entries(for: key).lazy.compactMap { self.levels.path(of: $0) }
            .first
            .map { FilePath($0) }
    }

    /// Whether a response is stored on disk for a request, in the cache's own folder or in a
    /// read-only one, fresh or stale.
    ///
    /// - Throws: ``FetchError``.
    public func containsOnDisk(_ request: FetchRequest) async throws(FetchError) -> Bool {
        try await loader.contains(try target(request), onDisk: true)
    }

    /// Stores bytes as if they had just been downloaded from the URL of a request.
    ///
    /// - Parameters:
    ///   - bytes: An image, unless the request accepts any content.
    ///   - request: Its URL and everything else that determines its key;
    ///     ``FetchRequest/memoryOnly`` applies.
    ///   - headers: The response fields, which determine the freshness. By default there are none:
    ///     the next load sends a request, unless a time to live is set. With `no-store`, nothing is
    ///     stored, and only the returned resource has the bytes.
    /// - Returns: The resource.
    /// - Throws: ``FetchError``: ``FetchError/Code/notAnImage``, ``FetchError/Code/empty``,
    ///   ``FetchError/Code/tooLarge``, ``FetchError/Code/storage``.
    @discardableResult
    public func store(
        _ bytes: [UInt8], for request: FetchRequest, headers: HTTPFields = HTTPFields()
    ) async throws(FetchError) -> Resource {
        let target = try target(request)
        try checkOpen(target.plainURL)
        let headers = HeaderFields(headers)
        let (type, isImage) = try type(of: bytes, for: target, headers)
        let (blobs, now) = (levels.disk.blobs, levels.now)
        let isNoStore = CacheControl(headers).noStore || target.control.noStore
        let files = levels.files(for: target)
        let staged = try await BlockingPool.shared.run { () throws(FetchError) in
            try blobs.stage(bytes, mediaType: type, isNoStore: isNoStore, in: files)
        }
        let head = ResponseHead(status: 200, fields: headers)
        let freshness = Freshness(head, requestTime: now, responseTime: now)
        var entry = Entry(
            key: target.key, url: target.plainURL, finalURL: target.plainURL,
            digest: staged.digest, byteCount: staged.byteCount, mediaType: type,
            isImage: isImage,
            response: StoredResponse(
                version: "HTTP/1.1", status: 200,
                fieldText: headers.storable(keepsCookies: configuration.downloader.keepsCookies)
                    .text,
                arrival: now, expiry: freshness.freshUntil,
                backgroundLimit: freshness.revalidateUntil,
                initialAge: Freshness.initialAge(headers, requestTime: now, responseTime: now)),
            lastUse: now, route: .direct)
        if isNoStore {
            return entry.resource(at: staged.path, origin: .disk, now: now, held: staged.held)
        }
        if request.memoryOnly { entry.location = .memory(path: staged.path) }
        let path = try await levels.put(
            entry, placing: staged, requestKey: target.requestKey)
        return entry.resource(at: path, origin: .disk, now: now)
    }

    /// Removes the stored responses and the remembered failure of a request, from memory and from
    /// disk.
    ///
    /// The blob is removed too, unless something else refers to it.
    ///
    /// - Returns: Whether anything was stored.
    /// - Throws: ``FetchError``.
    @discardableResult
    public func remove(_ request: FetchRequest) async throws(FetchError) -> Bool {
        let target = try target(request)
        return try await levels.erase(target.allKeys, requestKey: target.requestKey)
    }

    /// Removes everything stored under a key that ``entries`` has returned.
    ///
    /// - Parameter key: A key that does not exist is not an error.
    /// - Returns: Whether anything was stored.
    /// - Throws: ``FetchError/Code/storage``.
    @discardableResult
    public func remove(key: String) async throws(FetchError) -> Bool {
        try await levels.erase([key], requestKey: key)
    }

    /// Returns the resource of a URL if it is in memory and can be used without a request.
    ///
    /// Nothing is read from disk except the size of the file, so the call does not wait.
    ///
    /// - Parameter request: As in ``load(_:progress:)``; a transform is ignored.
    /// - Returns: The resource; nil if it is not in memory, or not fresh, or not allowed.
    /// - Throws: ``FetchError/Code/invalidURL``.
    public func resourceInMemory(_ request: FetchRequest) throws(FetchError) -> Resource? {
        loader.inMemory(try target(request))
    }

    /// Removes all entries from memory; contents on disk are kept.
    ///
    /// Resources of requests with ``FetchRequest/memoryOnly`` are lost.
    public func clearMemory() { levels.memory.removeAll() }

    /// Removes a request from memory; contents on disk are kept.
    ///
    /// - Throws: ``FetchError/Code/invalidURL``.
    public func removeFromMemory(_ request: FetchRequest) throws(FetchError) {
        levels.memory.forget(try target(request).key)
    }

    /// All entries of the folder, in key order.
    ///
    /// ```
    /// for try await entry in cache.entries { print(entry.url, entry.byteCount) }
    /// ```
    public var entries: CacheEntries { CacheEntries(index: levels.disk.index) }

    /// The URLs that are remembered as failed, in key order.
    ///
    /// - Throws: ``FetchError/Code/storage``.
    public func failures() async throws(FetchError) -> [RememberedFailure] {
        try await levels.disk.index.failures(at: levels.now)
    }

    /// A summary of the folder's contents from its index.
    ///
    /// No file is read to compute it.
    ///
    /// - Throws: ``FetchError/Code/storage``.
    public func summary() async throws(FetchError) -> CacheSummary {
        try await levels.disk.index.summary(at: levels.now)
    }

    private func type(
        of bytes: [UInt8], for target: LoadTarget, _ headers: HeaderFields
    ) throws(FetchError) -> (MediaType, isImage: Bool) {
        if bytes.count > configuration.downloader.limits.bodyBytes {
            throw FetchError(
                .tooLarge, target.plainURL,
                "it has \(bytes.count.asBytes), more than the limit of \(configuration.downloader.limits.bodyBytes.asBytes)"
            )
        }
        let isAny = target.request.acceptsAnyContent
        if bytes.isEmpty, !isAny { throw FetchError(.empty, target.plainURL, "there are no bytes") }
        switch MediaTypeSniffer.verdict(on: bytes, isWhole: true) {
        case .image(let type): return (type, true)
        case .other(let what) where !isAny:
            throw FetchError(.notAnImage, target.plainURL, "the bytes are \(what)")
        default:
            let type = headers["Content-Type"] ?? "application/octet-stream"
            return (MediaType(rawValue: type), false)
        }
    }
}

extension CacheEntry {
    init(_ entry: Entry) {
        self.init(
            key: entry.key, url: entry.url, digest: entry.digest, byteCount: entry.byteCount,
            mediaType: entry.mediaType, response: entry.response,
            lastUse: entry.lastUse.date)
    }
}

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
