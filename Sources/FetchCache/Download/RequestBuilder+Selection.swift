internal import SystemPackage

/// Distinguishes the responses of one key: by the fields that their Vary names (RFC 9111, section
/// 4.1), and by the user of the request (section 3.5).
extension RequestBuilder {
    /// The properties that a later request must share with this one to get the same response.
    ///
    /// The text is a hash of the fields that Vary names: `?` if the value of one of them is not
    /// known, and empty if there are none. A hash of the credentials follows, unless the response
    /// is for all users.
    ///
    /// - Parameters:
    ///   - fields: The fields of the response.
    ///   - control: The directives of the response.
    ///   - request: The request that led to the response, after all redirects.
    ///   - target: The requested target.
    /// - Returns: The text that is stored in addition to the key.
    func selector(
        _ fields: HeaderFields, _ control: CacheControl, to request: TransportRequest,
        of target: LoadTarget
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

    /// Whether a stored response matches this target's request.
    func matches(_ entry: Entry, _ target: LoadTarget) -> Bool {
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

    private func mayHaveCredentials(_ target: LoadTarget) -> Bool {
        mayHaveCredentials || !target.request.headerFields.isEmpty || target.url.utf8.contains(0x40)
    }

    private func variedNames(_ fields: HeaderFields) -> [String] {
        Set(fields.values(for: "Vary").flatMap(FieldList.members).map { $0.lowercased() }).sorted()
    }

    private func varyHash(_ names: [String], of request: TransportRequest) -> String {
        if names.isEmpty { return "" }
        // The values of fields that libcurl adds itself are not known. Such a response is
        // revalidated each time.
        let isUnknown =
            names.contains("cookie") && configuration.keepsCookies
            || names.contains("authorization") && configuration.netrcFile != nil
        if isUnknown { return "?" }
        let lines = names.map { name in
            if name == "authorization" { return "\(name):\(credentials(of: request) ?? "")" }
            // Whitespace around commas, the number of lines and the case of a language are not
            // significant (RFC 5646, section 2.1.1).
            let members = request.headerFields.values(for: name).flatMap(FieldList.members)
            let value = members.joined(separator: ",")
            return "\(name):\(name == "accept-language" ? value.lowercased() : value)"
        }
        return String(lines.joined(separator: "\n").sha256.prefix(32))
    }

    /// A hash of the credentials that are sent for a target, at its own URL and at the targets of
    /// redirects; nil if there are none.
    private func credentialHash(of request: TransportRequest, _ target: LoadTarget) -> String? {
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
        case nil: return URLText.user(of: request.url) ?? configuration.netrcFile?.string
        }
    }
}
