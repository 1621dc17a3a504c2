internal import HTTPTypes

/// The header fields of a request or a response, in order; names are case-insensitive.
///
/// The public type is `HTTPFields`. This type is faster to read from the index and to compare.
struct HeaderFields: Sendable, Hashable {
    private struct Field: Sendable, Hashable {
        var name: String
        var value: String

        func isNamed(_ other: String) -> Bool {
            name.utf8.elementsEqual(other.utf8) {
                HeaderFields.lowered($0) == HeaderFields.lowered($1)
            }
        }
    }

    private var fields: [Field] = []

    /// Creates fields from names and values, none by default.
    init(_ fields: [(name: String, value: String)] = []) {
        self.fields = fields.map { Field(name: $0.name, value: $0.value) }
    }

    /// Parses the output of ``text``.
    init(text: String) {
        var text = text
        fields = text.withUTF8 { bytes in
            bytes.split(separator: 0x0A).compactMap { line in
                line.firstIndex(of: 0x3A).map { colon in
                    Field(
                        name: String(decoding: line[..<colon], as: UTF8.self),
                        value: String(decoding: line[(colon + 1)...].trimmed, as: UTF8.self))
                }
            }
        }
    }

    var isEmpty: Bool { fields.isEmpty }

    /// The fields, each as `Name: value`.
    var lines: [String] { fields.map { "\($0.name): \($0.value)" } }

    var pairs: [(name: String, value: String)] { fields.map { ($0.name, $0.value) } }

    /// The fields, one per line, as stored in the index.
    var text: String { lines.joined(separator: "\n") }

    /// Appends a field, even if one with this name exists.
    mutating func append(name: String, value: String) {
        fields.append(Field(name: name, value: value))
    }

    mutating func removeAll(named name: String) {
        fields.removeAll { $0.isNamed(name) }
    }

    mutating func add(_ pairs: [(name: String, value: String)]) {
        for pair in pairs { append(name: pair.name, value: pair.value) }
    }

    /// The values of all fields of a name.
    func values(for name: String) -> [String] {
        fields.compactMap { $0.isNamed(name) ? $0.value : nil }
    }

    /// The first value of a name; nil if there is none.
    subscript(name: String) -> String? {
        fields.first { $0.isNamed(name) }?.value
    }

    /// A copy in which fields are replaced by those of the same name in `others`; the other fields
    /// of `others` are appended.
    func replacing(with others: HeaderFields) -> HeaderFields {
        if others.isEmpty { return self }
        var result = self
        result.fields.removeAll { field in
            others.fields.contains { $0.isNamed(field.name) }
        }
        result.fields += others.fields
        return result
    }

    /// A copy with the fields of some names only.
    func only(_ names: Set<String>) -> HeaderFields {
        var result = self
        result.fields.removeAll { !names.contains($0.name.lowercased()) }
        return result
    }

    /// Fields that describe the stored body.
    ///
    /// Those of a 304 do not replace them.
    private static let ofBody: Set<String> = [
        "content-encoding", "content-length", "content-range", "content-type",
    ]

    /// Fields of one connection or of a proxy, which are not stored (RFC 9111, section 3.1).
    private static let ofConnection: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "te", "transfer-encoding", "upgrade",
        "proxy-authenticate", "proxy-authentication-info", "proxy-authorization", "proxy-status",
    ]

    /// Fields that identify a user to the server, or prove that the user has logged in.
    private static let ofUser: Set<String> = [
        "set-cookie", "set-cookie2", "authentication-info", "www-authenticate",
    ]

    /// The fields to store: those of ``lasting`` without secrets of the user.
    ///
    /// - Parameter keepsCookies: Whether the user has allowed to store cookies.
    /// - Returns: The remaining fields, in their order.
    func storable(keepsCookies: Bool) -> HeaderFields {
        keepsCookies ? lasting : lasting.without(Self.ofUser)
    }

    /// All fields except those of the connection and those that the field Connection names.
    var lasting: HeaderFields {
        let named = values(for: "Connection").flatMap(FieldList.members).map { $0.lowercased() }
        return without(Self.ofConnection.union(named))
    }

    private func without(_ names: Set<String>) -> HeaderFields {
        var result = self
        result.fields.removeAll { names.contains($0.name.lowercased()) }
        return result
    }

    /// A copy for another part of the body; nil stands for all of it.
    func ofPart(byteCount: Int, range: String?) -> HeaderFields {
        var result = without(["content-length", "content-range"])
        result.append(name: "Content-Length", value: String(byteCount))
        if let range { result.append(name: "Content-Range", value: "bytes " + range) }
        return result
    }

    /// Updates these fields with those of a 304, as RFC 9111, section 3.2, requires: each field
    /// replaces those of the same name, except for fields that describe the stored body.
    mutating func update(from newer: HeaderFields) {
        // These fields describe the response that they came with, and not this one.
        removeAll(named: "Age")
        removeAll(named: "Date")
        self = replacing(with: newer.lasting.without(Self.ofBody))
    }

    static func lowered(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
    }
}

extension HeaderFields {
    init(_ fields: HTTPFields) {
        self.init(fields.map { (name: $0.name.rawName, value: $0.value) })
    }
}

extension HTTPFields {
    /// Converts the fields, leaving out those whose name is not valid by RFC 9110, section 5.1.
    init(_ fields: HeaderFields) {
        self.init()
        for (name, value) in fields.pairs {
            if let name = HTTPField.Name(name) { append(HTTPField(name: name, value: value)) }
        }
    }
}

extension HeaderFields {
    /// The authentication schemes that a response asks for, if none of them is supported (RFC 9110,
    /// section 11.6.1).
    var unsupportedSchemes: String? {
        let members = values(for: "WWW-Authenticate").flatMap(FieldList.members)
        // A member that is a word, or begins with one and a space, begins a challenge.
        let schemes = members.compactMap { member -> Substring? in
            let word = member.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
            let isScheme = word.endIndex == member.endIndex || member[word.endIndex] == " "
            return isScheme && !word.isEmpty ? word : nil
        }
        let isSupported = schemes.contains { ["basic", "bearer"].contains($0.lowercased()) }
        return schemes.isEmpty || isSupported ? nil : schemes.joined(separator: " or ")
    }
}

/// Parses the values of list fields (RFC 9110, section 5.6.1).
enum FieldList {
    /// The members of a list without surrounding whitespace; commas in quotes are not separators.
    static func members(of value: String) -> [String] {
        var isQuoted = false
        let parts = value.utf8.split { byte in
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            return byte == UInt8(ascii: ",") && !isQuoted
        }
        return parts.map { String(Substring($0.trimmed)) }
    }

    /// The directives of a Cache-Control field, with names in lower case and arguments without
    /// quotes.
    static func directives(in value: String) -> [(name: String, argument: String?)] {
        members(of: value).map { member in
            let part = member.utf8
            let equals = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
            let name = String(Substring(part[..<equals].trimmed)).lowercased()
            guard equals < part.endIndex else { return (name, nil) }
            let argument = part[part.index(after: equals)...].trimmed
            return (name, String(Substring(argument)).filter { $0 != "\"" })
        }
    }

    /// Whether a text consists of digits only, however large its number is.
    static func isNumber(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (48...57).contains($0) }
    }

    /// The number in a text of digits only; nil if it is not one or too large.
    static func number(_ text: some StringProtocol) -> Int? { isNumber(text) ? Int(text) : nil }

    /// The number of seconds in an argument; 0 if it is invalid, which makes a response stale.
    static func seconds(_ argument: String?) -> Int64 {
        guard let argument, isNumber(argument) else { return 0 }
        return min(Int64(argument) ?? .max, Int64(Int32.max))
    }
}

extension BidirectionalCollection<UInt8> {
    /// A copy without blanks and tabs at both ends.
    var trimmed: SubSequence {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        var rest = drop(while: isBlank)
        while let last = rest.last, isBlank(last) { rest = rest.dropLast() }
        return rest
    }
}

extension String {
    /// A copy without blanks and tabs at both ends.
    var trimmed: String { String(Substring(utf8.trimmed)) }
}
