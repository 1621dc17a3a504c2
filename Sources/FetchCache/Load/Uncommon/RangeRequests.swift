internal import Files
internal import Hashing
internal import SystemPackage

/// Range requests, which load a part of a resource (RFC 9110, section 15.3.7).
struct RangeRequests: Sendable {
    let loader: Loader
    let context: LoadContext
    let parts: RangePartStore

    /// Returns a range of the complete stored resource or of a stored part, or else sends a
    /// request.
    func answer(
        to target: LoadTarget, _ range: RangeRequest, _ listener: Loader.Listener?
    ) async throws -> Resource {
        var request = target.request
        request.headerFields.removeAll(named: "Range")
        let whole = try LoadTarget(request, keyFilter: context.configuration.policy.keyFilter)
        let complete = try await context.finder.match(whole)
        var part: StoredMatch?
        do {
            if complete?.verdict.isUsable == true {
                let resource = try await loader.lookUpOrRequest(whole, listener)
                guard resource.response.status == 200,
                    let places = range.places(inWholeOf: resource.byteCount)
                else { return resource }
                return try await parts.slice(
                    resource, first: 0, places: places, total: resource.byteCount,
                    isUnnamed: target.request.storage == .memory)
            }
            part = try await parts.match(target, holding: range)
            if let part,
                context.rules.isFreshEnough(part.entry, for: target, at: context.levels.now)
            {
                return try await parts.slice(part, range)
            }
        } catch let error as FetchError where error.code == .damaged && !target.isOffline {
            part = nil
        }
        if target.isOffline {
            switch complete?.verdict {
            case .refused(let error), .mustAsk(let error): throw error
            case .usable, nil: return try loader.answerOffline(to: target)
            }
        }
        return try await loader.requestWithoutLookUp(target, match: part, listener)
    }
}

/// Finds stored parts of resources (RFC 9111, section 3.4), and cuts ranges from them.
///
/// The entry of a part is separate from that of the complete resource; the last part of a resource
/// replaces those before. One from the first byte on begins a complete download.
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
        if target.control.noStore { return nil }
        for var entry in try await context.levels.disk.index.entries(for: target.partKey) {
            guard await context.finder.policy.builder.matches(entry, target),
                let path = context.levels.path(of: entry), let part = ContentRange(entry.fields),
                part.last - part.first + 1 == entry.byteCount
            else { continue }
            let verdict = context.finder.judge(&entry, at: path, for: target)
            if verdict.isUsable { return StoredMatch(entry: entry, path: path, verdict: verdict) }
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
        slice.response.fieldText =
            HeaderFields(text: slice.response.fieldText).ofPart(
                byteCount: offsets.count,
                range: "\(places.lowerBound)-\(places.upperBound - 1)/\(total)"
            ).text
        return slice
    }

    /// The stored part of a target if it starts at the first byte, as the beginning of a complete
    /// download.
    func beginning(of target: LoadTarget) async throws -> PartialBody? {
        guard target.request.method == .get, target.range == nil,
            let match = try await match(target),
            let part = ContentRange(match.fields), part.first == 0, part.last + 1 != part.total,
            let validator = Validators(match.fields).strong(
                responseTime: match.entry.response.arrival)
        else { return nil }
        let type = MediaTypeSniffer.type(ofFileAt: match.path)
        guard type != nil || target.request.acceptsAnyContent else { return nil }
        let (blobs, entry) = (context.levels.disk.blobs, match.entry)
        return await BlockingPool.shared.run { () -> PartialBody? in
            // If the part is damaged, all bytes are requested.
            guard
                let copy = try? blobs.writer(
                    copying: match.path, entry.digest, byteCount: entry.byteCount)
            else { return nil }
            let (body, hasher) = copy.suspend(type ?? entry.mediaType, isImage: type != nil)
            var response = TransferResponse(
                head: ResponseHead(
                    version: entry.response.version, status: 206, fields: match.fields),
                requestTime: entry.response.arrival, responseTime: entry.response.arrival)
            response.connection = entry.steps.last?.facts ?? ConnectionFacts()
            return PartialBody(
                url: entry.finalURL, validator: validator, response: response, body: body,
                hasher: hasher)
        }
    }
}

/// The single byte range of a request (RFC 9110, section 14.2).
struct RangeRequest: Sendable, Hashable {
    private enum Form: Hashable {
        case from(Int, through: Int?)
        case last(Int)
    }

    private let form: Form

    /// Parses the field Range.
    ///
    /// The result is nil if there is no such field, if it has several ranges or another unit, or if
    /// it is conditional (`If-Range`). In these cases the server interprets it.
    init?(_ fields: HeaderFields) {
        let values = fields.values(for: "Range")
        guard values.count == 1, let value = values.first, fields["If-Range"] == nil,
            value.lowercased().hasPrefix("bytes=")
        else { return nil }
        let ends = value.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, ends.allSatisfy({ $0.isEmpty || FieldList.isNumber($0) }) else {
            return nil
        }
        switch (Int(ends[0]), Int(ends[1])) {
        case (nil, let count?) where count > 0: form = .last(count)
        case (let first?, nil) where ends[1].isEmpty: form = .from(first, through: nil)
        case (let first?, let last?) where first <= last: form = .from(first, through: last)
        default: return nil
        }
    }

    /// The offsets of the range in a resource of a given length; nil if the range is not
    /// satisfiable.
    func places(inWholeOf total: Int) -> Range<Int>? {
        switch form {
        case .from(let first, let last):
            guard first < total else { return nil }
            return first..<(min(last ?? .max, total - 1) + 1)
        case .last(let count): return total == 0 ? nil : max(0, total - count)..<total
        }
    }
}
