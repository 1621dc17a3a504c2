internal import Files

extension UsePolicy {
    /// Decides whether a stored response may be used for a target.
    ///
    /// ``FetchConfiguration/bodyCheck`` is applied to the first bytes of the blob, unless the check
    /// of the same name has accepted them before; its name is then recorded in the entry.
    ///
    /// - Parameters:
    ///   - entry: The stored response.
    ///   - path: The path of its blob.
    ///   - target: The requested target.
    /// - Returns: The decision.
    func verdict(on entry: inout Entry, at path: String, for target: LoadTarget) -> Verdict {
        let verdict = verdict(on: entry, for: target)
        guard case .usable = verdict, entry.isImage, !target.request.acceptsAnyContent,
            let check = builder.configuration.bodyCheck
        else { return verdict }
        let name = builder.configuration.bodyCheckName
        if name != nil, entry.bodyCheck == name { return verdict }
        if let reason = BodyCheck(verdict: check).refusal(ofFileAt: path) {
            let status = entry.response.status
            return .refused(FetchError(.refused, target.plainURL, reason, status: status))
        }
        if let name { entry.bodyCheck = name }
        return verdict
    }
}

/// A check of the first bytes of a body; see ``FetchConfiguration/bodyCheck``.
struct BodyCheck: Sendable {
    let verdict: @Sendable (_ beginning: [UInt8]) -> BodyVerdict

    /// The lengths at which a stored body is examined; the first is enough for most images.
    private static let lengths = [4_096, MediaTypeSniffer.longestPrefix]

    /// The reason why the check refuses the first bytes of a file; nil if it does not.
    ///
    /// A file that cannot be read is not refused: its reader reports it.
    func refusal(ofFileAt path: String) -> String? {
        for length in Self.lengths {
            guard let file = try? OpenFile(reading: path, ofAnyKind: true),
                let bytes = try? file.read(atMost: length)
            else { return nil }
            switch verdict(bytes) {
            case .accepted: return nil
            case .refused(let reason): return reason
            case .undecided: if bytes.count < length { return nil }
            }
        }
        return nil
    }
}
