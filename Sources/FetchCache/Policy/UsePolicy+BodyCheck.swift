internal import Files

extension UsePolicy {
    /// Decides whether a stored response may be used for a target.
    ///
    /// The ``BodyCheck`` of the request is applied to the first bytes of the blob, unless the check
    /// of the same identity has accepted them before; its identity is then recorded in the entry.
    ///
    /// - Parameters:
    ///   - entry: The stored response.
    ///   - path: The path of its blob.
    ///   - target: The requested target.
    /// - Returns: The decision.
    func verdict(on entry: inout Entry, at path: String, for target: LoadTarget) -> Verdict {
        let verdict = verdict(on: entry, for: target)
        guard case .usable = verdict, entry.isImage, !target.request.acceptsAnyContent,
            let check = builder.configuration.bodyCheck(of: target.request)
        else { return verdict }
        if check.identity != nil, entry.bodyCheck == check.identity { return verdict }
        let status = entry.response.status
        let beginning = BodyCheck.Beginning(
            url: entry.url, finalURL: entry.finalURL, status: status, fields: entry.fields)
        if let reason = check.refusal(of: beginning, inFileAt: path) {
            return .refused(FetchError(.refused, target.plainURL, reason, status: status))
        }
        if let identity = check.identity { entry.bodyCheck = identity }
        return verdict
    }
}

extension DownloaderConfiguration {
    /// The check of a request: its own, or else that of the configuration.
    func bodyCheck(of request: FetchRequest) -> BodyCheck? { request.bodyCheck ?? bodyCheck }
}

extension BodyCheck {
    /// The lengths at which a stored body is examined; the first is enough for most images.
    private static let lengths = [4_096, MediaTypeSniffer.longestPrefix]

    /// The reason why the check refuses a stored body; nil if it does not.
    ///
    /// A file that cannot be read is not refused: its reader reports it.
    ///
    /// - Parameters:
    ///   - beginning: The response; its bytes are read from the file.
    ///   - path: The path of the file.
    /// - Returns: The reason.
    func refusal(of beginning: Beginning, inFileAt path: String) -> String? {
        var beginning = beginning
        beginning.length = FileStatus(path)?.byteCount
        for length in Self.lengths {
            guard let file = try? OpenFile(reading: path, ofAnyKind: true),
                let bytes = try? file.read(atMost: length)
            else { return nil }
            beginning.bytes = bytes
            switch verdict(beginning) {
            case .accepted: return nil
            case .refused(let reason): return reason
            case .undecided: if bytes.count < length { return nil }
            }
        }
        return nil
    }
}
