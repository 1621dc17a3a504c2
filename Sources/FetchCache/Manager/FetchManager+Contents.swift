package import Files
public import HTTPTypes
public import SystemPackage

extension FetchManager {
    /// Whether a response is stored for a request, on disk or in memory, fresh or stale.
    ///
    /// It counts even if the configuration does not allow to use it, for instance because of its
    /// length or its host.
    ///
    /// - Throws: ``FetchError``.
    public func contains(_ request: some FetchRequestConvertible) async throws(FetchError) -> Bool {
        try await loader.finder.contains(try target(request))
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
    public func containsOnDisk(_ request: some FetchRequestConvertible) async throws(FetchError)
        -> Bool
    {
        try await loader.finder.match(try target(request)) != nil
    }

    /// Stores bytes as if they had just been downloaded from the URL of a request.
    ///
    /// - Parameters:
    ///   - bytes: An image, unless the request accepts any content.
    ///   - request: Its URL and everything else that determines its key;
    ///     ``FetchRequest/storage-swift.property`` applies.
    ///   - headers: The response fields, which determine the freshness. By default there are none:
    ///     the next load sends a request, unless a time to live is set. With `no-store`, nothing is
    ///     stored, and only the returned resource has the bytes.
    /// - Returns: The resource.
    /// - Throws: ``FetchError``: ``FetchError/Code/notAnImage``, ``FetchError/Code/empty``,
    ///   ``FetchError/Code/tooLarge``, ``FetchError/Code/storage``.
    @discardableResult
    public func store(
        _ bytes: [UInt8], for request: some FetchRequestConvertible,
        headers: HTTPFields = HTTPFields()
    ) async throws(FetchError) -> Resource {
        let target = try target(request)
        try checkOpen(target.plainURL)
        let headers = HeaderFields(headers)
        let control = CacheControl(headers)
        let (type, isImage) = try type(of: bytes, for: target, headers)
        let builder = downloader.builder
        let sent = try await builder.request(for: target.url, target.origin, of: target)
        let (blobs, now) = (levels.disk.blobs, levels.now)
        let isNoStore = control.noStore || target.control.noStore
        let staged = try await BlockingPool.shared.run { () throws(FetchError) in
            try blobs.stage(bytes, mediaType: type, isNoStore: isNoStore)
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
                vary: builder.selector(headers, control, to: sent, after: sent),
                initialAge: Freshness.initialAge(headers, requestTime: now, responseTime: now)),
            lastUse: now, route: .direct)
        if isNoStore {
            return entry.resource(at: staged.path, origin: .disk, now: now, held: staged.held)
        }
        if target.request.storage == .memory { entry.location = .memory(path: staged.path) }
        let path = try await levels.put(entry, placing: staged, for: target)
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
    public func remove(_ request: some FetchRequestConvertible) async throws(FetchError) -> Bool {
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
    /// Nothing is read from disk except the size of the file.
    ///
    /// - Parameter request: As in ``load(_:progress:)``; a transform is ignored.
    /// - Returns: The resource; nil if it is not in memory, or not fresh, or not allowed.
    /// - Throws: ``FetchError/Code/invalidURL``.
    public func resourceInMemory(
        _ request: some FetchRequestConvertible
    ) async throws(FetchError) -> Resource? {
        await loader.inMemory(try target(request))
    }

    /// Removes all entries from memory; contents on disk are kept.
    ///
    /// Resources of requests with ``FetchRequest/Storage-swift.enum/memory`` are lost.
    public func clearMemory() { levels.memory.removeAll() }

    /// Removes a request from memory; contents on disk are kept.
    ///
    /// - Throws: ``FetchError/Code/invalidURL``.
    public func removeFromMemory(_ request: some FetchRequestConvertible) throws(FetchError) {
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
        let blobs = BlobStore(layout: layout)
        let report = try await copyBlobs(
            of: try await copy.blobUses(), from: levels.disk.blobs, to: blobs)
        blobs.temporary.release()
        try await copy.removeUses(of: report.damaged)
        let summary = try await copy.summary(at: levels.now)
        await copy.close()
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
        var report = try await copyBlobs(
            of: try await source.index.blobUses(), from: source.blobs, to: levels.disk.blobs)
        let left = Set(report.damaged)
        var page = try await source.index.entries(after: nil, count: 500)
        while !page.isEmpty {
            for entry in page where !left.contains(entry.digest) {
                guard try await levels.disk.index.put(entry, withBlobIn: levels.disk.blobs)
                else { continue }
                levels.memory.forget(entry.key)
                report.entryCount += 1
            }
            page = try await source.index.entries(after: page.last, count: 500)
        }
        report.variantCount = try await levels.disk.index.takeVariants(
            from: source.index, withBlobsIn: levels.disk.blobs)
        await source.close()
        return report
    }

    /// Copies the blobs that the destination lacks, or has only damaged, and reports them.
    private func copyBlobs(
        of uses: [BlobUse], from source: BlobStore, to destination: BlobStore
    ) async throws(FetchError) -> MergeReport {
        var report = MergeReport()
        for use in uses {
            try levels.disk.checkCancellation()
            let path = source.layout.blob(use.digest)
            do throws(FetchError) {
                let isCopied = try await BlockingPool.shared.run { () throws(FetchError) in
                    if destination.check(use.digest)?.isWhole == true { return false }
                    _ = try destination.copy(from: path, use.digest, byteCount: use.byteCount)
                    return true
                }
                guard isCopied else { continue }
                report.blobCount += 1
                report.byteCount += use.byteCount
            } catch {
                guard error.url == path else { throw error }
                report.damaged.append(use.digest)
            }
        }
        return report
    }
}

extension FetchManager {
    /// Returns small values that the caller has stored, by their keys.
    ///
    /// - Parameters:
    ///   - keys: The keys, which are all looked up in one transaction.
    ///   - namespace: Separates the keys of one purpose from those of another.
    /// - Returns: The values; a key without a value is left out.
    /// - Throws: ``FetchError/Code/storage``.
    package func values(
        for keys: [String], in namespace: String
    ) async throws(FetchError) -> [String: [UInt8]] {
        let found = try await levels.disk.index.values(for: keys, in: namespace)
        for (key, value) in found where Touch.isDue(value.lastUse, at: levels.now) {
            useValue(for: key, in: namespace)
        }
        var values = found.mapValues(\.bytes)
        for level in levels.readOnly where values.count < keys.count {
            let missing = keys.filter { values[$0] == nil }
            let more = try? await level.index.values(for: missing, in: namespace)
            values.merge((more ?? [:]).mapValues(\.bytes)) { own, _ in own }
        }
        return values
    }

    /// Returns one value that the caller has stored; nil if there is none.
    package func value(
        for key: String, in namespace: String
    ) async throws(FetchError) -> [UInt8]? {
        try await values(for: [key], in: namespace)[key]
    }

    /// Records the use of a value, without a look-up.
    package func useValue(for key: String, in namespace: String) {
        levels.disk.index.touch(.value(namespace: namespace, key: key), at: levels.now)
    }

    /// Stores small values in one transaction, replacing the previous values of their keys.
    ///
    /// - Parameters:
    ///   - values: The values by their keys, each of a few kilobytes at most.
    ///   - namespace: Separates the keys of one purpose from those of another.
    /// - Throws: ``FetchError/Code/storage``, in which case none of the values is stored.
    package func setValues(
        _ values: [String: [UInt8]], in namespace: String
    ) async throws(FetchError) {
        if values.isEmpty { return }
        try await levels.disk.index.put(values, in: namespace, at: levels.now)
    }

    /// Removes small values in one transaction.
    ///
    /// - Parameters:
    ///   - keys: The keys; one without a value is not an error.
    ///   - namespace: The namespace of the keys.
    /// - Throws: ``FetchError/Code/storage``.
    package func removeValues(for keys: [String], in namespace: String) async throws(FetchError) {
        if keys.isEmpty { return }
        try await levels.disk.index.removeValues(for: keys, in: namespace)
    }
}

extension FetchManager {
    /// Finds a variant: a blob that was made from a source with a recipe.
    ///
    /// - Parameters:
    ///   - source: The blob that the variant was made from.
    ///   - recipe: Everything that determines the variant except its source and the encoder.
    ///   - encoder: The name and version of the software that makes variants.
    /// - Returns: The variant; nil if there is none, or if its blob is missing or has the wrong
    ///   size.
    /// - Throws: ``FetchError/Code/storage``.
    package func variant(
        of source: BlobDigest, recipe: String, encoder: String
    ) async throws(FetchError) -> StoredVariant? {
        try await levels.variant(of: source, recipe: recipe, encoder: encoder)
    }

    /// The text that is stored with a variant in a level of another machine; nil if there is none.
    ///
    /// The bytes of the variant stay where they are.
    package func variantMetadata(
        of source: BlobDigest, recipe: String, encoder: String
    ) async -> String? {
        for level in levels.lower where !level.abilities.contains(.thisMachine) {
            let found = try? await level.variant(of: source, recipe: recipe, encoder: encoder)
            if let found { return found.metadata }
        }
        return nil
    }

    /// Whether what is stored is also written to a level of another machine.
    package var isShared: Bool { levels.lower.contains { $0.abilities.contains(.write) } }

    /// Whether a store of other machines also gets what this machine had already.
    package var isFilling: Bool { levels.isFilling }

    /// Gives a variant to levels of other machines.
    ///
    /// - Parameters:
    ///   - variant: The variant.
    ///   - path: The path of its file.
    ///   - sharing: Which levels get it.
    package func share(_ variant: LevelVariant, at path: FilePath, _ sharing: Sharing) async {
        await levels.share(variant, at: path.string, sharing)
    }

    /// Records the use of a variant, without a look-up.
    ///
    /// - Parameters:
    ///   - source: The blob that the variant was made from.
    ///   - prefix: The first hexadecimal digits of the variant's digest.
    package func useVariant(of source: BlobDigest, named prefix: String) {
        levels.disk.index.touch(.variantNamed(source: source, prefix: prefix), at: levels.now)
    }

    /// Stores a variant and moves its file into the cache.
    ///
    /// - Parameters:
    ///   - path: A file at a path that ``temporaryFile()`` has returned.
    ///   - source: The blob that the variant was made from.
    ///   - recipe: Everything that determines the variant except its source and the encoder.
    ///   - encoder: The name and version of the software that makes variants.
    ///   - metadata: A text that is returned with the variant.
    ///   - sharing: Which levels of other machines get it too; none by default.
    /// - Returns: The variant, as ``variant(of:recipe:encoder:)`` returns it from now on.
    /// - Throws: ``FetchError/Code/storage`` if the file does not exist or cannot be moved.
    @discardableResult
    package func storeVariant(
        fileAt path: FilePath, of source: BlobDigest, recipe: String, encoder: String,
        metadata: String = "", sharing: Sharing = .none
    ) async throws(FetchError) -> StoredVariant {
        try await levels.storeVariant(
            fileAt: path.string, of: source, recipe: recipe, encoder: encoder, metadata: metadata,
            sharing)
    }

    /// Records that a variant is identical to its source.
    ///
    /// - Parameters:
    ///   - source: The blob, which must be in the cache.
    ///   - recipe: Everything that determines the variant except its source and the encoder.
    ///   - encoder: The name and version of the software that makes variants.
    ///   - metadata: A text that is returned with the variant.
    ///   - sharing: Which levels of other machines get it too; none by default.
    /// - Returns: The variant, as ``variant(of:recipe:encoder:)`` returns it from now on.
    /// - Throws: ``FetchError/Code/storage`` if the blob does not exist.
    @discardableResult
    package func storeVariant(
        sameAs source: BlobDigest, recipe: String, encoder: String, metadata: String = "",
        sharing: Sharing = .none
    ) async throws(FetchError) -> StoredVariant {
        try await levels.storeVariant(
            sameAs: source, recipe: recipe, encoder: encoder, metadata: metadata, sharing)
    }

    /// Returns an unused file path in the file system of the cache.
    ///
    /// Its folder belongs to this cache object. ``close()`` removes it, or, if the process dies,
    /// the next cache that is opened there.
    package func temporaryFile() throws(FetchError) -> FilePath {
        FilePath(try levels.disk.blobs.temporary.newPath())
    }

    /// A new file without a name in the file system of the cache.
    package func heldFile() throws(FetchError) -> HeldFile {
        try levels.disk.blobs.temporary.newHeldFile()
    }
}
