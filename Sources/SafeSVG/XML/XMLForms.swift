/// The XML declaration at the beginning of a document (XML 1.0, section 2.8).
package struct XMLDeclaration {
    /// The place of the whole declaration.
    package let range: Range<Int>
    package let version: String
    /// The name of the encoding, if it states one.
    package let encoding: String?

    /// Reads the declaration at `start`; nil if there is none of this form.
    package init?(_ bytes: [UInt8], at start: Int) {
        let limit = bytes[start...].prefix(Self.longest)
        guard limit.starts(with: "<?xml".utf8), let end = limit.firstPlace(of: "?>") else {
            return nil
        }
        var rest = bytes[(start + 5)..<end]
        var values: [(name: String, value: String)] = []
        while let item = Self.item(&rest) { values.append(item) }
        guard rest.allSatisfy(\.isXMLSpace), values.first?.name == "version" else { return nil }
        let names = values.map(\.name)
        guard Self.forms.contains(names) else { return nil }
        range = start..<end + 2
        version = values[0].value
        encoding = values.first { $0.name == "encoding" }?.value
    }

    /// Whether it states XML 1.0 and no encoding but UTF-8.
    var isPlain: Bool { version == "1.0" && encoding.map { $0.localName == "utf-8" } != false }

    private static let longest = 1000
    private static let forms = [
        ["version"], ["version", "encoding"], ["version", "standalone"],
        ["version", "encoding", "standalone"],
    ]

    private static func item(_ rest: inout ArraySlice<UInt8>) -> (name: String, value: String)? {
        var text = rest.drop { $0.isXMLSpace }
        guard text.startIndex > rest.startIndex else { return nil }
        let name = text.prefix { $0.isASCIILetter }
        text = text[name.endIndex...].drop { $0.isXMLSpace }
        guard text.popFirst() == UInt8(ascii: "=") else { return nil }
        text = text.drop { $0.isXMLSpace }
        guard let quote = text.popFirst(), "\"'".utf8.contains(quote),
            let end = text.firstIndex(of: quote), text[..<end].allSatisfy(\.isNameByte)
        else { return nil }
        rest = text[(end + 1)...]
        return (
            String(decoding: name, as: UTF8.self), String(decoding: text[..<end], as: UTF8.self)
        )
    }
}

/// The five entities of XML, and references by the number of a character.
enum CharacterReference {
    private static let entities: [(name: String, character: UInt8)] = [
        ("amp", UInt8(ascii: "&")), ("lt", UInt8(ascii: "<")), ("gt", UInt8(ascii: ">")),
        ("quot", UInt8(ascii: "\"")), ("apos", UInt8(ascii: "'")),
    ]

    /// The text of the reference at the beginning of `bytes`, and its end; nil for any other.
    static func read(_ bytes: ArraySlice<UInt8>) -> (text: [UInt8], end: Int)? {
        let name = bytes.dropFirst().prefix(10).prefix { $0 != UInt8(ascii: ";") }
        guard name.endIndex < bytes.endIndex, bytes[name.endIndex] == UInt8(ascii: ";") else {
            return nil
        }
        let end = name.endIndex + 1
        if name.first == UInt8(ascii: "#") {
            return character(name.dropFirst()).map { ($0, end) }
        }
        let entity = entities.first { $0.name.utf8.elementsEqual(name) }
        return entity.map { ([$0.character], end) }
    }

    private static func character(_ number: ArraySlice<UInt8>) -> [UInt8]? {
        let isHexadecimal = number.first == UInt8(ascii: "x")
        let digits = isHexadecimal ? number.dropFirst() : number
        guard !digits.isEmpty,
            digits.allSatisfy({
                $0.isASCIIDigit || isHexadecimal && (0x61...0x66).contains($0 | 0x20)
            }),
            let value = UInt32(
                String(decoding: digits, as: UTF8.self), radix: isHexadecimal ? 16 : 10),
            let scalar = Unicode.Scalar(value), isAllowed(value)
        else { return nil }
        return Array(String(Character(scalar)).utf8)
    }

    /// Whether XML allows the character (XML 1.0, section 2.2).
    private static func isAllowed(_ value: UInt32) -> Bool {
        value >= 0x20 ? value & ~1 != 0xFFFE : [0x09, 0x0A, 0x0D].contains(value)
    }
}

/// The namespaces that are declared for the open elements.
struct NamespaceScopes {
    private var addresses: [String: [[UInt8]]] = [:]
    private var order: [String] = []

    /// Adds the declarations of an element, and returns their number; nil if one is too long.
    ///
    /// Declarations that are not allowed (Namespaces in XML 1.0, section 3) are removed from
    /// `attributes`, because parsers skip them.
    mutating func enter(_ attributes: inout [(name: String, value: [UInt8])]) -> Int? {
        var count = 0
        var isShort = true
        attributes.removeAll { name, value in
            guard let prefix = Self.declaredPrefix(name) else { return false }
            let namespace = XMLNamespace(value)
            guard prefix != "xmlns", namespace != .declaration,
                (prefix == "xml") == (namespace == .xml), prefix.isEmpty || !value.isEmpty
            else { return true }
            isShort = isShort && value.count <= SVGLimits.longestName
            addresses[prefix, default: []].append(value)
            order.append(prefix)
            count += 1
            return false
        }
        return isShort ? count : nil
    }

    /// Removes the last `count` declarations.
    mutating func leave(_ count: Int) {
        for _ in 0..<count {
            guard let prefix = order.popLast() else { return }
            addresses[prefix]?.removeLast()
        }
    }

    func namespace(ofElement name: String) -> XMLNamespace {
        namespace(of: Self.prefix(of: name))
    }

    func namespace(ofAttribute name: String) -> XMLNamespace {
        if Self.declaredPrefix(name) != nil { return .declaration }
        let prefix = Self.prefix(of: name)
        return prefix.isEmpty ? .none : namespace(of: prefix)
    }

    /// The name of an attribute with its namespace in place of its prefix; nil for one without a
    /// prefix.
    func expanded(_ name: String) -> [UInt8]? {
        let prefix = Self.prefix(of: name)
        guard !prefix.isEmpty, let address = addresses[prefix]?.last else { return nil }
        return address + [0] + Array(name.utf8.dropFirst(prefix.utf8.count + 1))
    }

    private func namespace(of prefix: String) -> XMLNamespace {
        if prefix == "xml" { return .xml }
        if let address = addresses[prefix]?.last { return XMLNamespace(address) }
        return prefix.isEmpty ? .none : .unbound
    }

    private static func prefix(of name: String) -> String {
        let prefix = name.utf8.firstIndex(of: UInt8(ascii: ":")).map { name[..<$0] }
        return String(prefix ?? "")
    }

    /// The prefix that an attribute declares; empty for `xmlns`, nil for another attribute.
    private static func declaredPrefix(_ name: String) -> String? {
        if name == "xmlns" { return "" }
        return name.hasPrefix("xmlns:") ? String(name.dropFirst("xmlns:".count)) : nil
    }
}
