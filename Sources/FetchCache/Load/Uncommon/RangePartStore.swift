internal import Crypto
internal import Files
internal import SystemPackage

/// Stores parts of resources (RFC 9111, section 3.4), and cuts ranges from them.
///
/// The entry of a part is separate from that of the complete resource. Adjacent or overlapping parts
/// with the same strong validator are joined, finally to the complete resource.
struct RangePartStore: Sendable {
    let context: LoadContext

    /// The stored part of a target, if it contains the requested range.
    func match(
        _ target: LoadTarget, holding range: RangeRequest
    ) async throws -> StoredMatch? {
        guard let match = try await match(target),
            let part = ContentRange(match.fields), let total = part.total,
            let places = range.places(inWholeOf: total),
            part.first <= places.lowerBound, places.upperBound - 1 <= part.last
        else { return nil }
        return match
    }

    private func match(_ target: LoadTarget) async throws -> StoredMatch? {
        let index = context.levels.disk.index
        guard try await index.hasParts(), !target.control.noStore else { return nil }
        let entries = try await index.entries(for: target.partKey)
        for var entry in entries {
            guard context.finder.policy.builder.matches(entry, target),
                let path = context.levels.path(of: entry)
            else {
                continue
            }
            let verdict = context.finder.judge(&entry, at: path, for: target)
            if verdict.isUsable { return StoredMatch(entry, at: path, verdict) }
        }
        return nil
    }

    /// The requested range, cut from a stored part that contains it.
    func slice(
        _ match: StoredMatch, _ range: RangeRequest, origin: Resource.Origin = .disk
    ) async throws -> Resource {
        guard let part = ContentRange(match.fields) else {
            throw FetchError(.storage, match.path, "does not contain the range")
        }
        let resource = match.entry.resource(at: match.path, origin: origin, now: context.levels.now)
        return try await slice(resource, part, range)
    }

    /// The requested range, cut from a part that contains it.
    func slice(
        _ resource: Resource, _ part: ContentRange, _ range: RangeRequest
    ) async throws -> Resource {
        guard let total = part.total, let places = range.places(inWholeOf: total) else {
            throw FetchError(.storage, resource.path.string, "does not contain the range")
        }
        return try await slice(resource, first: part.first, places: places, total: total)
    }

    /// A range of a resource.
    ///
    /// Its first byte is at the offset `first` of the complete resource. If `isUnnamed` is true, its
    /// file has no name.
    func slice(
        _ resource: Resource, first: Int, places: Range<Int>, total: Int, isUnnamed: Bool = false
    ) async throws -> Resource {
        let blobs = context.levels.disk.blobs
        let offsets = (places.lowerBound - first)..<(places.upperBound - first)
        var slice = resource
        (slice.path, slice.digest, slice.held) = try await BlockingPool.shared.run {
            () throws(FetchError) in
            let staged = try blobs.stage(
                offsets, of: resource.path.string, resource.digest,
                mediaType: resource.mediaType, isNoStore: resource.isNoStore || isUnnamed)
            return (FilePath(try blobs.adopt(staged)), staged.digest, staged.held)
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

    /// Stores a downloaded part, joined with the stored one if possible.
    ///
    /// - Parameters:
    ///   - entry: The entry of the part. Its blob has been adopted already.
    ///   - path: The path of that blob.
    ///   - target: The requested target.
    /// - Throws: ``FetchError/Code/storage``.
    func keep(_ entry: Entry, at path: String, of target: LoadTarget) async throws {
        guard let range = ContentRange(entry.fields), let total = range.total,
            range.last - range.first + 1 == entry.byteCount
        else { return }
        var entry = entry
        var new = PartFile(
            path: path, digest: entry.digest, first: range.first, count: entry.byteCount)
        entry.key = target.partKey
        entry.isImage = false
        let old = try await match(target)
        let staged: StagedBlob
        if let old, let file = Self.file(of: old, joining: entry, range),
            let joined = try await joined(file, new)
        {
            let first = min(file.first, new.first)
            staged = joined
            var fields = old.fields
            fields.update(from: entry.fields)
            entry.response.fieldText = fields.text
            entry.addFacts(of: old.entry)
            new = PartFile(
                path: staged.path, digest: staged.digest, first: first, count: staged.byteCount)
        } else {
            staged = try await context.levels.copy(of: entry, at: path)
        }
        (entry.digest, entry.byteCount) = (staged.digest, staged.byteCount)
        let isWhole = new.first == 0 && new.count == total
        entry.setRange(isWhole ? nil : new.first..<(new.first + new.count), total: total)
        if isWhole {
            entry.key = target.key
            if let type = MediaTypeSniffer.type(ofFileAt: staged.path) {
                (entry.mediaType, entry.isImage) = (type, true)
            }
            try await context.levels.disk.index.removeEntries(
                for: [target.partKey])
        } else {
            try await context.levels.disk.index.noteParts()
        }
        _ = try await context.levels.disk.index.put(
            entry, placing: staged, in: context.levels.disk.blobs, requestKey: target.requestKey)
    }

    /// A stored part and a new one in one file; nil if the stored one is damaged.
    private func joined(_ old: PartFile, _ new: PartFile) async throws -> StagedBlob? {
        let blobs = context.levels.disk.blobs
        let (first, second) = old.first <= new.first ? (old, new) : (new, old)
        do throws(FetchError) {
            return try await BlockingPool.shared.run { () throws(FetchError) in
                try blobs.join(first, second)
            }
        } catch {
            if error.code == .damaged { return nil }
            throw error
        }
    }

    /// The file of a stored part that can be joined with another one: they are adjacent or overlap,
    /// and have the same strong validator.
    private static func file(
        of match: StoredMatch, joining entry: Entry, _ range: ContentRange
    ) -> PartFile? {
        guard let old = ContentRange(match.fields), old.total == range.total,
            old.first <= range.last + 1, range.first <= old.last + 1,
            let validator = match.entry.strongValidator, validator == entry.strongValidator
        else { return nil }
        return PartFile(
            path: match.path, digest: match.entry.digest, first: old.first,
            count: match.entry.byteCount)
    }

    /// The stored part of a target if it starts at the first byte, as the beginning of a complete
    /// download.
    func beginning(of target: LoadTarget) async throws -> PartialBody? {
        guard target.request.method == .get, target.range == nil,
            let match = try await match(target),
            let part = ContentRange(match.fields), part.first == 0,
            let validator = match.entry.strongValidator
        else { return nil }
        let type = MediaTypeSniffer.type(ofFileAt: match.path)
        guard type != nil || target.request.acceptsAnyContent else { return nil }
        let (blobs, entry) = (context.levels.disk.blobs, match.entry)
        return try await BlockingPool.shared.run { () throws(FetchError) in
            // If the part is damaged, all bytes are requested.
            let staged = try? blobs.stage(
                copyOf: match.path, entry.digest, byteCount: entry.byteCount,
                mediaType: entry.mediaType)
            guard let copy = staged else { return nil }
            let whole = try FetchError.ofFiles {
                try makeWritable(copy.path, mode: CacheLayout.fileMode)
                return try HashedPieces.all(copy.path)
            }
            return PartialBody(
                path: copy.path, byteCount: copy.byteCount,
                hasher: whole.hasher,
                mediaType: type ?? entry.mediaType, isImage: type != nil,
                source: .init(
                    url: entry.finalURL, validator: validator, totalBytes: part.total,
                    connection: entry.steps.last?.facts ?? ConnectionFacts()))
        }
    }
}

/// A file that contains a part of a resource.
struct PartFile: Sendable {
    var path: String
    var digest: BlobDigest
    /// The offset of its first byte in the complete resource.
    var first: Int
    var count: Int
}

extension Entry {
    /// The strong validator, which shows that two parts belong to the same resource.
    fileprivate var strongValidator: String? {
        Validators(fields).strong(responseTime: response.arrival)
    }

    /// Sets the fields to those of a part or of the complete resource.
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
