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
