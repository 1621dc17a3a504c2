internal import Files
import Glibc
import Locks
internal import SystemPackage

/// Applies transforms to resources, each once for all callers.
struct TransformedResources: Sendable {
    /// The encoder name under which the results of transforms are stored as variants.
    private static let encoder = "transform"

    private let levels: Levels
    private let limit = ConcurrencyLimit<String>(max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    private let work = SharedWork<String, StoredVariant>()
    private let workInMemory = SharedWork<String, Entry>()

    init(_ levels: Levels) { self.levels = levels }

    func cancelAll() {
        work.cancelAll()
        workInMemory.cancelAll()
    }

    func close() async {
        await work.close()
        await workInMemory.close()
    }

    /// The result of the transform of a request; the resource itself if it has none.
    func apply(_ request: FetchRequest, to resource: Resource) async throws -> Resource {
        guard let transform = request.transform else { return resource }
        if resource.isNoStore {
            let folder = request.memoryOnly ? levels.memory.folder : nil
            return try await unstored(resource, by: transform, in: folder)
        }
        return request.memoryOnly
            ? try await inMemory(resource, by: transform)
            : try await stored(resource, by: transform)
    }

    /// The result as a variant of the source.
    private func stored(_ source: Resource, by transform: Transform) async throws -> Resource {
        let (digest, identity) = (source.digest, transform.identity)
        let known: @Sendable () async throws -> StoredVariant? = { [levels] in
            try await levels.variant(of: digest, recipe: identity, encoder: Self.encoder)
        }
        let made: StoredVariant
        if let stored = try await known() {
            made = stored
        } else {
            made = try await work.value(for: "\(digest) \(identity)") { [self, levels] _ in
                // Another caller may have finished the same work since the look-up.
                if let stored = try await known() { return stored }
                let output = try await output(
                    of: transform, source, in: levels.disk.blobs.temporary)
                let type = MediaTypeSniffer.type(ofFileAt: output) ?? source.mediaType
                return try await levels.storeVariant(
                    fileAt: output, of: digest, recipe: identity, encoder: Self.encoder,
                    metadata: type.rawValue, source.isForOthers ? .all : .none)
            }
        }
        var resource = source
        resource.digest = made.digest
        resource.path = made.path
        resource.byteCount = made.byteCount
        resource.mediaType = MediaType(rawValue: made.metadata)
        return resource
    }

    /// The result for a source that must not be stored; it exists as long as the resource.
    private func unstored(
        _ source: Resource, by transform: Transform, in folder: TemporaryFolder?
    ) async throws -> Resource {
        let output = try await output(
            of: transform, source, in: folder ?? levels.disk.blobs.temporary)
        defer { removeFile(output) }
        return try await BlockingPool.shared.run { () throws(FetchError) in
            try FetchError.ofFiles {
                var resource = source
                let held = try HeldFile(keeping: output)
                (resource.digest, resource.byteCount) = try BlobDigest.ofFile(held.path)
                resource.mediaType = MediaTypeSniffer.type(ofFileAt: output) ?? source.mediaType
                (resource.path, resource.held) = (FilePath(held.path), held)
                return resource
            }
        }
    }

    /// The result for a source that is only in memory: nothing is written to the folder's index or
    /// blobs.
    private func inMemory(_ source: Resource, by transform: Transform) async throws -> Resource {
        let key = "\(source.digest) \(transform.identity) memory"
        if let entry = entryInMemory(key) { return source.replaced(by: entry) }
        let entry = try await workInMemory.value(for: key) { [self] _ in
            if let entry = entryInMemory(key) { return entry }
            let staged = try await stagedOutput(of: transform, source)
            let entry = Entry(
                key: key, url: source.url, finalURL: source.finalURL, digest: staged.digest,
                byteCount: staged.byteCount, mediaType: staged.mediaType,
                response: source.response, lastUse: levels.now,
                location: .memory(path: staged.path))
            levels.memory.remember(entry)
            return entry
        }
        return source.replaced(by: entry)
    }

    private func entryInMemory(_ key: String) -> Entry? {
        levels.memory.entry(for: key).flatMap { levels.path(of: $0) == nil ? nil : $0 }
    }

    private func stagedOutput(
        of transform: Transform, _ source: Resource
    ) async throws -> StagedBlob {
        let folder = levels.memory.folder ?? levels.disk.blobs.temporary
        let output = try await output(of: transform, source, in: folder)
        let blobs = levels.disk.blobs
        return try await BlockingPool.shared.run { () throws(FetchError) in
            let type = MediaTypeSniffer.type(ofFileAt: output) ?? source.mediaType
            do throws(FetchError) {
                return try blobs.stage(fileAt: output, mediaType: type)
            } catch {
                removeFile(output)
                throw error
            }
        }
    }

    /// Runs a transform, which writes to a temporary file.
    ///
    /// As many run at the same time as the machine has processors.
    private func output(
        of transform: Transform, _ source: Resource, in folder: TemporaryFolder
    ) async throws -> String {
        let output = try folder.newPath()
        do {
            let result = await limit.run(output) { () async -> Result<Void, any Error> in
                do {
                    return .success(try await transform.apply(source, FilePath(output)))
                } catch {
                    return .failure(error)
                }
            }
            guard let result else { throw CancellationError() }
            try result.get()
        } catch {
            removeFile(output)
            throw error
        }
        return output
    }
}

extension Resource {
    /// A copy of this resource with the bytes of the transformed entry.
    fileprivate func replaced(by entry: Entry) -> Resource {
        var resource = self
        (resource.digest, resource.path) = (entry.digest, FilePath(entry.location?.path ?? ""))
        (resource.byteCount, resource.mediaType) = (entry.byteCount, entry.mediaType)
        return resource
    }
}
