package import FetchCache
import Files
import Locks

/// Look-ups, and downloads of blobs.
extension RemoteLevel {
    package func responses(for key: String) async throws(FetchError) -> [LevelResponse] {
        if key.contains(" ") { return [] }
        return await response(for: key).value.map { [$0] } ?? []
    }

    /// The answer of the store to a request for an object.
    enum Answer<Value: Sendable>: Sendable {
        case found(Value)
        case absent
        /// The store cannot be used, or the object cannot be read.
        case failed

        /// Nil if it was not found.
        var value: Value? {
            if case .found(let value) = self { value } else { nil }
        }

        func map<Other: Sendable>(_ change: (Value) -> Other) -> Answer<Other> {
            switch self {
            case .found(let value): .found(change(value))
            case .absent: .absent
            case .failed: .failed
            }
        }
    }

    /// The response that the store has for a key.
    func response(for key: String) async -> Answer<LevelResponse> {
        await record(RemoteName.entry(key)) { bytes in
            let entry: RemoteEntry? = RemoteName.record(bytes)
            return entry?.response(to: key)
        }
    }

    package func variant(
        of source: BlobDigest, recipe: String, encoder: String
    ) async throws(FetchError) -> LevelVariant? {
        await storedVariant(of: source, recipe: recipe, encoder: encoder).value
    }

    /// The variant as ``variant(of:recipe:encoder:)`` gives it, or why there is none.
    func storedVariant(
        of source: BlobDigest, recipe: String, encoder: String
    ) async -> Answer<LevelVariant> {
        await record(RemoteName.variant(of: source, recipe: recipe, encoder: encoder)) { bytes in
            let variant: RemoteVariant? = RemoteName.record(bytes)
            return variant?.variant(of: source, recipe: recipe, encoder: encoder)
        }
    }

    package func blob(
        _ digest: BlobDigest, byteCount: Int, draft: FilePath
    ) async throws(FetchError) -> FilePath? {
        let name = RemoteName.blob(digest)
        let answer = await get(name) { [downloader] request throws(FetchError) in
            try await downloader.download(request, to: draft)
        }
        guard let loaded = answer.value else {
            blobs.forget(digest)
            return nil
        }
        guard loaded.digest == digest, loaded.byteCount == byteCount else {
            removeFile(draft.string)
            if loaded.digest != digest {
                blobs.forget(digest)
                noteDamaged(name, "has other bytes than its name says")
            } else {
                fail(FetchError(.badResponse, url + name, "its length is not that of its record"))
            }
            return nil
        }
        blobs.keep(true, for: digest)
        return draft
    }

    /// An entry or a variant; a damaged one that will be replaced counts as absent.
    ///
    /// - Parameters:
    ///   - name: The name of the object.
    ///   - read: Reads its bytes; nil if they are not what they should be.
    /// - Returns: What the store has.
    private func record<Value: Sendable>(
        _ name: String, _ read: ([UInt8]) -> Value?
    ) async -> Answer<Value> {
        let answer = await get(name) {
            [downloader] request async throws(FetchError) -> [UInt8] in
            do throws(FetchError) {
                return try await downloader.bytes(of: request, limit: RemoteName.longestRecord)
            } catch {
                // No record is as long.
                if error.code == .tooLarge { return [] }
                throw error
            }
        }
        switch answer {
        case .absent: return .absent
        case .failed: return .failed
        case .found(let bytes):
            if let value = read(bytes) { return .found(value) }
            return noteDamaged(name, "cannot be read") ? .absent : .failed
        }
    }

    /// Requests an object.
    private func get<Value: Sendable>(
        _ name: String,
        _ receive: @Sendable (FetchRequest) async throws(FetchError) -> Value
    ) async -> Answer<Value> {
        guard isUsable else { return .failed }
        do throws(FetchError) {
            let value = try await receive(signed(request(name)))
            state.withLock { $0.hasAnswered = true }
            return .found(value)
        } catch {
            if [404, 410].contains(error.status) {
                state.withLock { $0.hasAnswered = true }
                return .absent
            }
            if error.code == .empty {
                state.withLock { $0.hasAnswered = true }
                return noteDamaged(name, "is empty") ? .absent : .failed
            }
            // S3 says so of a missing object to those who may not list the bucket.
            if signer != nil, error.status == 403, error.serviceCode == "AccessDenied" {
                refuse()
                return .absent
            }
            fail(error)
            return .failed
        }
    }
}

/// Failures of a store, and the decision to give it up.
extension RemoteLevel {
    /// The number of failed transfers after which the store is not asked any more.
    private static let mostFailures = 3
    /// The number of refusals, without any other answer, after which the store is not asked any
    /// more.
    private static let mostRefusals = 16

    var isUsable: Bool { state.withLock { $0.failures < Self.mostFailures } }

    /// Tells the first failure, and gives the store up after several that count.
    ///
    /// Requests that wait for their turn or for an answer end at that moment.
    func fail(_ error: FetchError, counts: Bool = true) {
        if error.code == .cancelled, error.url != url { return }
        let (isFirst, isGivenUp) = state.withLock { state -> (Bool, Bool) in
            let wasUsable = state.failures < Self.mostFailures
            if counts { state.failures += 1 }
            // A store that has never answered would take the same time again.
            if counts, error.code == .timedOut, !state.hasAnswered {
                state.failures = max(state.failures, Self.mostFailures)
            }
            defer { state.hasWarned = true }
            return (!state.hasWarned, wasUsable && state.failures >= Self.mostFailures)
        }
        if isFirst { warn(error) }
        // A request may have been allowed a moment ago, and not be under way yet.
        if isGivenUp { downloader.refuseAll() }
    }

    /// Counts a refusal.
    ///
    /// Who may not list a bucket is not told that an object does not exist: S3 refuses to say it.
    func refuse() {
        let isRefused = state.withLock { state in
            state.refusals += 1
            if state.hasAnswered || state.refusals < Self.mostRefusals { return false }
            state.failures = max(state.failures, Self.mostFailures - 1)
            return true
        }
        if isRefused { fail(Self.refusal(url)) }
    }

    static func refusal(_ url: String) -> FetchError {
        FetchError(
            .status, url,
            "HTTP 403 (AccessDenied) for all objects; allow s3:GetObject, and s3:ListBucket so that "
                + "an object that does not exist can be told from one that is refused",
            status: 403)
    }

    /// Notes that an object has wrong bytes.
    ///
    /// The right ones replace it. A run that only reads can mend nothing, so there it is a failure; a
    /// store that mends must not be given up before it is mended.
    ///
    /// - Returns: Whether they will.
    @discardableResult
    func noteDamaged(_ name: String, _ reason: String) -> Bool {
        fail(
            FetchError(
                .badResponse, url + name, "\(name) \(reason)", subcode: .damagedObject),
            counts: mode == .read)
        return mode != .read
    }
}
