/// What a look-up has found for a target.
struct LookUpResult: Sendable {
    var match: StoredMatch?
    var failure: RememberedFailure?
    /// The generation of the key's lock before the look-up.
    var generation: UInt64?
}

/// An entry with its parsed fields, the path of its blob, and the decision on its use.
struct StoredMatch: Sendable {
    var entry: Entry
    var fields: HeaderFields
    /// The path of the blob.
    var path: String
    var verdict: UsePolicy.Verdict

    init(_ entry: Entry, at path: String, _ verdict: UsePolicy.Verdict) {
        self.entry = entry
        self.path = path
        self.verdict = verdict
        fields = entry.fields
    }

    /// The entry, if a server may confirm it: nil if its bytes must not be used whatever the server
    /// says.
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
