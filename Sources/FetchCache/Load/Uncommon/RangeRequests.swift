/// Range requests, which load a part of a resource (RFC 9110, section 15.3.7).
struct RangeRequests: Sendable {
    let loader: Loader
    let context: LoadContext
    let parts: RangePartStore

    /// Returns a range of the complete stored resource or of a stored part, or else sends a
    /// request.
    func answer(
        to target: LoadTarget, _ range: RangeRequest, _ progress: Loader.Progress?
    ) async throws -> Resource {
        var request = target.request
        request.headerFields.removeAll(named: "Range")
        let whole = try LoadTarget(request, keyFilter: context.configuration.policy.keyFilter)
        let complete = try await context.finder.match(whole)
        var part: StoredMatch?
        do {
            if complete?.verdict.isUsable == true {
                let resource = try await loader.answer(to: whole, progress)
                guard resource.response.status == 200,
                    let places = range.places(inWholeOf: resource.byteCount)
                else { return resource }
                return try await parts.slice(
                    resource, first: 0, places: places, total: resource.byteCount,
                    isUnnamed: target.request.memoryOnly)
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
        return try await loader.sendWithoutLookUp(target, match: part, progress)
    }
}
