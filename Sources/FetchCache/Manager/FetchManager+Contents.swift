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
