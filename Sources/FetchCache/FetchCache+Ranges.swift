internal import Crypto

/// Parts of what a URL gives, for those who ask for a range (RFC 9110, section 15.3.7, and RFC 9111,
/// section 3.4).
///
/// A part is an entry of its own, beside that of the whole. Parts that touch are joined if they have the
/// same strong validator, until they are the whole.
extension FetchCache {
    /// Gives a range: of the whole, if that is stored; of a part that has it; else from the server.
    func part(
        _ range: RangeRequest, of target: Target, progress: (@Sendable (FetchProgress) -> Void)?
    ) async throws -> Resource {
        var request = target.request
        request.headerFields.removeAll(named: "Range")
        let whole = try self.target(request)
        if try await stored(whole) != nil {
            let resource = try await answer(to: whole, progress: progress)
            guard resource.response.status == 200,
                let places = range.places(inWholeOf: resource.byteCount)
            else { return resource }
            return try await slice(
                resource, first: 0, places: places, total: resource.byteCount)
        }
        let stored = try await storedPart(of: target, holding: range)
        if let stored, isUsable(stored.entry, target) {
            return try await slice(stored, range)
        }
        if target.isOffline { return try answerOffline(to: target) }
        return try await join(target.flightKey, target, progress) { flight in
            let lock = try await self.locks.acquire(target.workKey)
            defer { withExtendedLifetime(lock) {} }
            return try await self.obtain(target, stored: stored, flight: flight)
        }
    }

    /// The part that is stored of a target, if it has a range.
    private func storedPart(
        of target: Target, holding range: RangeRequest
    ) async throws -> Stored? {
        guard let stored = try await storedPart(of: target),
            let part = ContentRange(stored.fields), let total = part.total,
            let places = range.places(inWholeOf: total),
            part.first <= places.lowerBound, places.upperBound - 1 <= part.last
        else { return nil }
        return stored
    }

    private func storedPart(of target: Target) async throws -> Stored? {
        guard try await index.hasParts(), !target.control.noStore else { return nil }
        let entries = try await index.entries(for: target.partKey)
        return entries.lazy.compactMap { entry in
            guard self.builder.matches(entry, target), let path = self.path(of: entry) else {
                return nil
            }
            return Stored(entry, at: path)
        }.first
    }

    /// The range of a part that holds it.
    func slice(
        _ stored: Stored, _ range: RangeRequest, origin: Resource.Origin = .disk
    ) async throws -> Resource {
        guard let part = ContentRange(stored.fields), let total = part.total,
            let places = range.places(inWholeOf: total)
        else { throw FetchError(.storage, stored.path, "holds no range") }
        let resource = stored.entry.resource(at: stored.path, origin: origin, now: now)
        return try await slice(resource, first: part.first, places: places, total: total)
    }

    /// Some of the bytes of a resource, whose first byte has the place `first` in the whole.
    private func slice(
        _ resource: Resource, first: Int, places: Range<Int>, total: Int
    ) async throws -> Resource {
        let blobs = self.blobs
        let offsets = (places.lowerBound - first)..<(places.upperBound - first)
        var slice = resource
        (slice.path, slice.digest) = try await BlockingPool.shared.run { () throws(FetchError) in
            let staged = try blobs.stage(
                offsets, of: resource.path, mediaType: resource.mediaType)
            return (try blobs.adopt(staged), staged.digest)
        }
        slice.byteCount = offsets.count
        slice.response.status = 206
        var fields = HeaderFields(text: slice.response.fieldText)
        fields.removeAll(named: "Content-Length")
        fields.removeAll(named: "Content-Range")
        fields.add([
            ("Content-Length", String(offsets.count)),
            ("Content-Range", "bytes \(places.lowerBound)-\(places.upperBound - 1)/\(total)"),
        ])
        slice.response.fieldText = fields.text
        return slice
    }

    /// Stores a part that was downloaded, joined with the one that is there.
    ///
    /// - Parameters:
    ///   - entry: Of the part, whose blob has its place already.
    ///   - path: Of that blob.
    ///   - target: What was asked for.
    /// - Throws: ``FetchError/Code/storage``.
    func keepPart(_ entry: Entry, at path: String, of target: Target) async throws {
        guard let range = ContentRange(entry.fields), let total = range.total,
            range.last - range.first + 1 == entry.byteCount
        else { return }
        var (entry, new) = (entry, PartFile(path: path, first: range.first, count: entry.byteCount))
        entry.key = target.partKey
        entry.isImage = false
        let old = try await storedPart(of: target)
        let staged: StagedBlob
        if let old, let file = Self.file(of: old, joining: entry, range) {
            let blobs = self.blobs
            let (first, second) = file.first <= new.first ? (file, new) : (new, file)
            staged = try await BlockingPool.shared.run { () throws(FetchError) in
                try blobs.join(first, second)
            }
            var fields = old.fields
            fields.update(from: entry.fields)
            entry.response.fieldText = fields.text
            new = PartFile(path: staged.path, first: first.first, count: staged.byteCount)
        } else {
            staged = try await copy(of: entry, at: path)
        }
        (entry.digest, entry.byteCount) = (staged.digest, staged.byteCount)
        let isWhole = new.first == 0 && new.count == total
        entry.setRange(isWhole ? nil : new.first..<(new.first + new.count), total: total)
        if isWhole {
            entry.key = target.key
            if let type = MediaTypeSniffer.type(ofFileAt: staged.path) {
                (entry.mediaType, entry.isImage) = (type, true)
            }
            try await index.removeEntries(for: [target.partKey], failureKey: nil)
        } else {
            try await index.noteParts()
        }
        _ = try await index.put(
            entry, placing: staged, in: blobs, failureKey: target.workKey)
    }

    /// The file of a stored part, if another one may be joined with it: they touch, and have the same
    /// strong validator.
    private static func file(
        of stored: Stored, joining entry: Entry, _ range: ContentRange
    ) -> PartFile? {
        guard let old = ContentRange(stored.fields), old.total == range.total,
            old.first <= range.last + 1, range.first <= old.last + 1,
            let validator = stored.entry.strongValidator, validator == entry.strongValidator
        else { return nil }
        return PartFile(
            path: stored.path, first: old.first, count: stored.entry.byteCount)
    }

    /// The stored part of a target as the beginning of a download of the whole, if it is one.
    func beginning(of target: Target) async throws -> PartialBody? {
        guard target.request.method == .get, target.range == nil,
            let stored = try await storedPart(of: target),
            let part = ContentRange(stored.fields), part.first == 0,
            let validator = stored.entry.strongValidator
        else { return nil }
        let type = MediaTypeSniffer.type(ofFileAt: stored.path)
        guard type != nil || target.request.acceptsAnyContent else { return nil }
        let (blobs, entry) = (self.blobs, stored.entry)
        return try await BlockingPool.shared.run { () throws(FetchError) in
            let copy = try blobs.stage(
                copyOf: stored.path, entry.digest, byteCount: entry.byteCount,
                mediaType: entry.mediaType)
            try FileSystem.makeWritable(copy.path)
            return PartialBody(
                path: copy.path, byteCount: copy.byteCount,
                hasher: try BlobStore.hash(fileAt: copy.path).hasher,
                mediaType: type ?? entry.mediaType, isImage: type != nil,
                source: .init(
                    url: entry.finalURL, validator: validator, totalBytes: part.total))
        }
    }

    /// A copy of an entry's blob among the temporary files.
    ///
    /// - Throws: ``FetchError/Code/storage``, also if its bytes are not those that its name says.
    func copy(of entry: Entry, at path: String) async throws(FetchError) -> StagedBlob {
        let blobs = self.blobs
        return try await BlockingPool.shared.run { () throws(FetchError) in
            try blobs.stage(
                copyOf: path, entry.digest, byteCount: entry.byteCount, mediaType: entry.mediaType)
        }
    }
}

/// A file that holds a part of a whole.
struct PartFile: Sendable {
    var path: String
    /// The place of its first byte in the whole.
    var first: Int
    var count: Int
}

extension Entry {
    /// By which two parts are known to belong to one whole.
    fileprivate var strongValidator: String? {
        Validators(fields).strong(responseTime: response.arrival)
    }

    /// Makes the fields those of a part, or of the whole.
    fileprivate mutating func setRange(_ places: Range<Int>?, total: Int) {
        var fields = fields
        fields.removeAll(named: "Content-Length")
        fields.removeAll(named: "Content-Range")
        fields.append(name: "Content-Length", value: String(places?.count ?? total))
        if let places {
            let value = "bytes \(places.lowerBound)-\(places.upperBound - 1)/\(total)"
            fields.append(name: "Content-Range", value: value)
        }
        response.status = places == nil ? 200 : 206
        response.fieldText = fields.text
    }
}
