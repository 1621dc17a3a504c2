/// Tells the answers of one key apart: by the fields that their Vary names (RFC 9111, section 4.1), and
/// by who asked (section 3.5).
extension RequestBuilder {
    /// What a later request must have in common with this one for the answer to be one to it too.
    ///
    /// A hash of the fields that Vary names, `?` if one of them is not known here, empty if there is
    /// none. Behind it a hash of the credentials that were sent, unless the answer is for everyone.
    ///
    /// - Parameters:
    ///   - fields: Of the answer.
    ///   - control: Of the answer.
    ///   - request: The last of the redirects' requests, which was answered.
    ///   - target: What was asked for.
    /// - Returns: The text that is stored beside the key.
    func selector(
        _ fields: HeaderFields, _ control: CacheControl, to request: TransportRequest,
        of target: Target
    ) -> String {
        let credentials = Self.isForAll(control) ? nil : credentialHash(of: request, target)
        let names = variedNames(fields)
        if names.isEmpty, credentials == nil { return "" }
        return varyHash(names, of: request) + (credentials.map { Self.mark + $0 } ?? "")
    }

    private static let mark = " auth:"

    private static func isForAll(_ control: CacheControl) -> Bool {
        control.isPublic || control.mustRevalidate || control.hasSharedMaxAge
    }

    /// Whether a stored answer is one to this target's request.
    func matches(_ entry: Entry, _ target: Target) -> Bool {
        let selector = entry.response.vary
        if selector.isEmpty, !mayHaveCredentials(target) { return true }
        guard let parts = try? URLText.parts(of: entry.finalURL) else { return false }
        let url = entry.finalURL == target.plainURL ? target.url : entry.finalURL
        let request = request(for: url, parts, of: target)
        let mark = selector.firstRange(of: Self.mark)
        let credentials = mark.map { String(selector[$0.upperBound...]) }
        guard
            credentials == credentialHash(of: request, target)
                || credentials == nil && Self.isForAll(CacheControl(entry.fields))
        else { return false }
        let hash = selector[..<(mark?.lowerBound ?? selector.endIndex)]
        if hash.isEmpty { return true }
        if hash == "?" { return false }
        return varyHash(variedNames(entry.fields), of: request) == hash
    }

    private func mayHaveCredentials(_ target: Target) -> Bool {
        mayHaveCredentials || !target.request.headerFields.isEmpty || target.url.utf8.contains(0x40)
    }

    private func variedNames(_ fields: HeaderFields) -> [String] {
        Set(fields.values(for: "Vary").flatMap(FieldList.members).map { $0.lowercased() }).sorted()
    }

    private func varyHash(_ names: [String], of request: TransportRequest) -> String {
        if names.isEmpty { return "" }
        // What libcurl sends of its own accord is not known here: such an answer is asked for each time.
        let isUnknown =
            names.contains("cookie") && configuration.keepsCookies
            || names.contains("authorization") && configuration.netrcFile != nil
        if isUnknown { return "?" }
        let lines = names.map { name in
            if name == "authorization" { return "\(name):\(credentials(of: request) ?? "")" }
            // Blanks around commas and the number of lines mean nothing, nor does the case of a
            // language (RFC 5646, section 2.1.1).
            let members = request.headerFields.values(for: name).flatMap(FieldList.members)
            let value = members.joined(separator: ",")
            return "\(name):\(name == "accept-language" ? value.lowercased() : value)"
        }
        return String(lines.joined(separator: "\n").sha256.prefix(32))
    }

    /// A hash of the credentials that a target is asked for with, at its own URL and where redirects
    /// led to; nil if there are none.
    private func credentialHash(of request: TransportRequest, _ target: Target) -> String? {
        var all = Set([credentials(of: request)])
        if request.url != target.url {
            all.insert(credentials(of: self.request(for: target.url, target.origin, of: target)))
        }
        let some = all.compactMap(\.self).sorted()
        return some.isEmpty ? nil : String(some.joined(separator: "\n").sha256.prefix(32))
    }

    private func credentials(of request: TransportRequest) -> String? {
        if let value = request.headerFields["Authorization"] { return value }
        switch request.credential {
        case .basic(let user, let password): return "\(user):\(password)"
        case .bearer(let token): return token
        case nil: return URLText.user(of: request.url) ?? configuration.netrcFile
        }
    }
}
