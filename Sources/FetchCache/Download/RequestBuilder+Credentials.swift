internal import Files

/// Checks whether requests to hosts would use the same credentials as before.
///
/// Access to a resource depends on them.
extension RequestBuilder {
    /// The origins of some URLs, each with a hash of its configured credentials.
    func credentialRecord(of urls: Set<String>) -> String {
        let origins = Set(urls.compactMap { try? URLText.parts(of: $0) })
        return origins.map { "\($0.scheme)://\($0.authority)=\(credentialHash(for: $0))" }
            .sorted().joined(separator: " ")
    }

    /// Whether the credentials of all hosts in a record are unchanged.
    func isUnchanged(_ record: String) -> Bool {
        record.split(separator: " ").allSatisfy { item in
            guard let mark = item.lastIndex(of: "="),
                let origin = try? URLText.parts(of: String(item[..<mark]))
            else { return false }
            return credentialHash(for: origin) == item[item.index(after: mark)...]
        }
    }

    private func credentialHash(for origin: URLText.Parts) -> String {
        let options = hosts.options(for: origin)
        let credential =
            switch options.credential {
            case .basic(let user, let password): "basic \(user):\(password)"
            case .bearer(let token): "bearer \(token)"
            case nil: ""
            }
        let parts = [
            credential, options.clientCertificate?.file ?? "", options.headerFields.text,
            netrc?.text(for: origin.host) ?? "",
        ]
        return String(parts.joined(separator: "\n\n").sha256.prefix(16))
    }
}

/// The contents of a `.netrc` file per host.
///
/// libcurl reads the file itself. This type is used only to detect changes.
struct Netrc: Sendable, Hashable {
    private var entries: [String: String] = [:]
    /// The entries for all other hosts.
    private var others = ""

    /// Reads a file; nil if it cannot be read.
    init?(fileAt path: String) {
        guard let bytes = try? readFile(path, ofAnyKind: true).bytes else { return nil }
        self.init(String(decoding: bytes, as: UTF8.self))
    }

    init(_ text: String) {
        var host: String?
        var isOfOthers = false
        let lines = text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("#") }
        var words = lines.flatMap { $0.split(whereSeparator: \.isWhitespace) }[...]
        while let word = words.popFirst() {
            if word == "machine", let name = words.popFirst() {
                (host, isOfOthers) = (name.lowercased(), false)
            } else if word == "default" {
                (host, isOfOthers) = (nil, true)
            } else if isOfOthers {
                others += " \(word)"
            } else if let host {
                entries[host, default: ""] += " \(word)"
            }
        }
    }

    func text(for host: String) -> String { entries[host] ?? others }
}
