/// Finds stored responses in the levels, and judges whether they may be used.
struct ResponseFinder: Sendable {
    private let levels: Levels
    let policy: UsePolicy
    private let rules: LoadRules

    init(_ levels: Levels, policy: UsePolicy, rules: LoadRules) {
        self.levels = levels
        self.policy = policy
        self.rules = rules
    }

    /// The resource of a target whose entry is in memory and can be used without a request.
    func inMemory(_ target: LoadTarget) async -> Resource? {
        guard var entry = levels.memory.entry(for: target.key) else { return nil }
        guard let path = levels.path(of: entry) else {
            levels.memory.forget(target.key)
            return nil
        }
        let (accepted, now) = (entry.bodyCheck, levels.now)
        guard !rules.isGone(entry, target), rules.isFreshEnough(entry, for: target, at: now),
            await suits(entry, target), judge(&entry, at: path, for: target).isUsable
        else { return nil }
        // A closure of the caller may have taken long.
        if policy.builder.isWaiting {
            guard levels.memory.entry(for: target.key)?.digest == entry.digest,
                levels.path(of: entry) != nil
            else { return nil }
        }
        if entry.bodyCheck != accepted { levels.memory.remember(entry, unlessNewer: true) }
        // A caller that wants the file on disk must not get one that the next request may remove.
        if case .memory = entry.location, target.request.storage != .memory { return nil }
        if Touch.isDue(entry.lastUse, at: now) { levels.use(entry, at: path) }
        return entry.resource(at: path, origin: .memory, now: now)
    }

    /// The stored response and the remembered failure of a target.
    func lookUp(_ target: LoadTarget) async throws(FetchError) -> LookUpResult {
        let (entries, failure) = try await record(of: target)
        return LookUpResult(match: await match(target, own: entries), failure: failure)
    }

    /// What the cache's own folder has by now, and else what was found before.
    ///
    /// Another process may have stored something since the look-up.
    func lookUpAgain(
        _ target: LoadTarget, after earlier: LookUpResult
    ) async throws(FetchError) -> LookUpResult {
        let (entries, failure) = try await record(of: target)
        return LookUpResult(
            match: await first(of: entries, for: target) ?? earlier.match, failure: failure)
    }

    private func record(
        of target: LoadTarget
    ) async throws(FetchError) -> (entries: [Entry], failure: RememberedFailure?) {
        let record = try await levels.disk.index.record(
            for: target.key, requestKey: target.requestKey, at: levels.now)
        let failure = record.failure.flatMap {
            rules.isCurrent($0, target.request, policy.builder) ? $0.failure : nil
        }
        return (own(record.entries, target), failure)
    }

    /// The entries of the cache's own folder, after one that is only in memory, where the response to
    /// the target is stored.
    private func own(_ entries: [Entry], _ target: LoadTarget) -> [Entry] {
        guard target.request.storage == .memory, let entry = levels.memory.entry(for: target.key),
            case .memory = entry.location
        else { return entries }
        return [entry] + entries
    }

    /// The stored response of a target, from the cache's own folder or from a level below it.
    func match(_ target: LoadTarget) async throws(FetchError) -> StoredMatch? {
        await match(target, own: try await levels.disk.index.entries(for: target.key))
    }

    private func match(_ target: LoadTarget, own: [Entry]) async -> StoredMatch? {
        if let match = await first(of: own, for: target) { return match }
        return isReplaceable(own) ? await lowerMatch(target) : nil
    }

    /// Whether a level below may answer instead of the entries of the cache's own folder, which is
    /// newer: only if no entry has its blob.
    private func isReplaceable(_ own: [Entry]) -> Bool {
        !own.contains { levels.path(of: $0) != nil }
    }

    /// The stored response of a target in the levels below the cache's own folder.
    private func lowerMatch(
        _ target: LoadTarget, except digest: BlobDigest? = nil
    ) async -> StoredMatch? {
        for level in levels.lower {
            if !level.abilities.contains(.thisMachine) { target.request.turn?.end() }
            let isWanted = { (entry: Entry) async in
                if entry.digest == digest { return false }
                return await suits(entry, target)
            }
            if target.request.acceptsAbsentBody, !level.abilities.contains(.thisMachine) {
                let found = await levels.entryElsewhere(for: target.key, in: level, where: isWanted)
                guard var entry = found else { continue }
                let verdict = judge(&entry, at: "", for: target)
                return StoredMatch(entry: entry, path: "", verdict: verdict)
            }
            let found = await levels.entry(
                for: target.key, requestKey: target.requestKey, in: level, where: isWanted)
            guard var entry = found?.entry, let path = found?.path else { continue }
            let verdict = judge(&entry, at: path, for: target)
            return StoredMatch(entry: entry, path: path, verdict: verdict)
        }
        return nil
    }

    /// The first of some entries that matches a target and has its blob.
    func first(of entries: [Entry], for target: LoadTarget) async -> StoredMatch? {
        for var entry in entries {
            guard let path = levels.path(of: entry), await suits(entry, target) else { continue }
            let verdict = judge(&entry, at: path, for: target)
            return StoredMatch(entry: entry, path: path, verdict: verdict)
        }
        return nil
    }

    /// The fresh responses of plain URLs, found without a request.
    func fresh(_ targets: [LoadTarget]) async throws(FetchError) -> [String: Resource] {
        var wanted = targets
        var resources: [String: Resource] = [:]
        func take(_ found: [[Entry]]) async {
            var missing: [LoadTarget] = []
            for (target, found) in zip(wanted, found) {
                let entries = own(found, target)
                guard let match = await first(of: entries, for: target) else {
                    if isReplaceable(entries) { missing.append(target) }
                    continue
                }
                guard rules.isFreshEnough(match.entry, for: target, at: levels.now),
                    match.verdict.isUsable
                else { continue }
                resources[target.request.url] = use(match)
            }
            wanted = missing
        }
        await take(try await levels.disk.index.entries(for: wanted.map(\.key)))
        for level in levels.readOnly where !wanted.isEmpty {
            await take((try? await level.entries(for: wanted.map(\.key))) ?? [])
        }
        return resources
    }

    /// Whether a response to a target is stored, in memory or on disk.
    func contains(_ target: LoadTarget) async throws(FetchError) -> Bool {
        if let entry = levels.memory.entry(for: target.key), levels.path(of: entry) != nil,
            await suits(entry, target)
        {
            return true
        }
        return try await match(target) != nil
    }

    /// The response that the present one of a target has replaced, or the one of a read-only cache.
    func previous(
        of target: LoadTarget, except digest: BlobDigest? = nil
    ) async throws(FetchError) -> StoredMatch? {
        let key = LoadTarget.previousKey(of: target.key)
        let own = try await levels.disk.index.entries(for: key)
        let others = own.filter { $0.digest != digest }
        if let match = await first(of: others, for: target) { return match }
        return await lowerMatch(target, except: digest)
    }

    /// The resource of a stored response that is used without a request; records the use.
    func use(
        _ match: StoredMatch, as origin: Resource.Origin = .disk, warning: String? = nil
    ) -> Resource {
        levels.use(match.entry, at: match.path)
        return match.entry.resource(
            at: match.path, origin: origin, now: levels.now, warning: warning)
    }

    /// Whether an entry is a response to a target's request, fresh or stale.
    func suits(_ entry: Entry, _ target: LoadTarget) async -> Bool {
        // A response without a success status may have any content.
        let mayBeAnything =
            target.request.acceptsAnyContent || target.request.method == .head
            || !(200...299).contains(entry.response.status)
        guard entry.isImage || mayBeAnything else { return false }
        return await policy.builder.matches(entry, target)
    }

    /// Decides whether a stored response may be used for a target, and records a check that it has
    /// passed; see ``UsePolicy``.
    ///
    /// Every use of a stored response is judged here: from memory, from disk, from a read-only
    /// cache, stale, after a 304, and as a part.
    func judge(_ entry: inout Entry, at path: String, for target: LoadTarget) -> UsePolicy.Verdict {
        // The first bytes of a blob on another machine are checked where they arrive.
        if entry.location == .elsewhere { return policy.verdict(on: entry, for: target) }
        let accepted = entry.bodyCheck
        let verdict = policy.verdict(on: &entry, at: path, for: target)
        if let name = entry.bodyCheck, name != accepted, entry.location == nil {
            levels.disk.index.touch(
                .check(key: entry.key, digest: entry.digest, name: name), at: levels.now)
        }
        return verdict
    }
}

/// Failures, which are stored like responses.
extension ResponseFinder {
    /// Remembers a failure, so that later requests need not be sent, if the rules allow it.
    func remember(_ error: FetchError, of target: LoadTarget) async {
        guard let lifetime = rules.lifetime(of: error, for: target) else { return }
        let now = levels.now
        let until = now.advanced(bySeconds: lifetime.milliseconds / 1000)
        // An error of recording must not hide the original failure.
        try? await levels.disk.index.put(
            error, for: target.requestKey, credentials: policy.builder.credentialHash,
            bodyCheck: rules.bodyCheck(of: error, target), at: now, until: until)
    }
}

/// What a look-up has found for a target.
struct LookUpResult: Sendable {
    var match: StoredMatch?
    var failure: RememberedFailure?
}

/// An entry with the path of its blob, and the decision on its use.
struct StoredMatch: Sendable {
    var entry: Entry
    /// The path of the blob.
    var path: String
    var verdict: UsePolicy.Verdict

    var fields: HeaderFields { entry.fields }

    /// The entry, if a server may confirm it: nil if the connection that its bytes came from would
    /// not be made now.
    ///
    /// A refused one is included: a 304 says that the bytes are still those that are refused.
    var confirmable: StoredMatch? {
        if case .mustAsk = verdict { nil } else { self }
    }

    /// Whether the stale entry may be used if the server cannot be asked.
    ///
    /// `stale-if-error` limits the time (RFC 5861, section 4).
    func mayBeUsedOnError(at now: Timestamp) -> Bool {
        let control = CacheControl(fields)
        if control.forbidsStale || Freshness.variesOnEverything(fields) { return false }
        guard let span = control.staleIfError else { return true }
        return now < entry.response.expiry.advanced(bySeconds: span)
    }
}
