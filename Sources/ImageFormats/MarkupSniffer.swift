/// Finds the first element of a possible XML or HTML document.
///
/// It skips everything that may come before it: a byte order mark, whitespace, the XML declaration
/// and other processing instructions, comments, and a document type with its internal subset.
struct MarkupSniffer {
    enum Root: Hashable {
        /// In lower case and without its prefix; `html` for any beginning that only HTML has.
        case element(String)
        case none
        /// The bytes end before the first element.
        case undecided
    }

    private let bytes: [UInt8]
    private var position = 0

    static func root(of bytes: [UInt8]) -> Root {
        var sniffer = MarkupSniffer(bytes: UTF16Text.utf8(bytes) ?? bytes)
        return sniffer.root()
    }

    private mutating func root() -> Root {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        while true {
            while position < bytes.count, Self.isBlank(bytes[position]) { position += 1 }
            guard position < bytes.count else { return .undecided }
            guard bytes[position] == UInt8(ascii: "<") else { return .none }
            if position + 1 == bytes.count { return .undecided }
            switch bytes[position + 1] {
            case UInt8(ascii: "?"):
                guard skip(past: "?>") else { return .undecided }
            case UInt8(ascii: "!"):
                if let root = declaration() { return root }
            default: return element()
            }
        }
    }

    /// Skips a comment or a document type; returns a result if that ends the search.
    private mutating func declaration() -> Root? {
        let rest = bytes[position...].prefix(15)
        if rest.starts(with: "<!--".utf8) { return skip(past: "-->") ? nil : .undecided }
        if rest.count < 15 { return .undecided }
        let text = String(decoding: rest, as: UTF8.self).lowercased()
        if text.hasPrefix("<!doctype html") { return .element("html") }
        guard text.hasPrefix("<!doctype") else { return Root.none }
        return skipDocumentType() ? nil : .undecided
    }

    private func element() -> Root {
        let rest = bytes[(position + 1)...]
        let name = rest.prefix { !Self.isBlank($0) && !">/".utf8.contains($0) }
        let limit = 64
        guard name.count < limit else { return .none }
        guard name.endIndex < bytes.endIndex else { return .undecided }
        let text = String(decoding: name, as: UTF8.self).lowercased()
        guard text.first?.isLetter == true else { return .none }
        let local = text.split(separator: ":").last.map(String.init) ?? text
        return .element(Self.namesOfHTML.contains(local) ? "html" : local)
    }

    /// Also skips the internal subset in square brackets, which contains `>` characters.
    private mutating func skipDocumentType() -> Bool {
        var depth = 0
        var quote: UInt8?
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if let open = quote {
                if byte == open { quote = nil }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
            case UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ">") where depth <= 0: return true
            default: break
            }
        }
        return false
    }

    private mutating func skip(past text: String) -> Bool {
        let end = Array(text.utf8)
        while position + end.count <= bytes.count {
            if bytes[position..<(position + end.count)].elementsEqual(end) {
                position += end.count
                return true
            }
            position += 1
        }
        return false
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        [0x20, 0x09, 0x0A, 0x0C, 0x0D].contains(byte)
    }

    /// The first tags by which the standard recognises HTML.
    private static let namesOfHTML: Set = [
        "html", "head", "script", "iframe", "h1", "div", "font", "table", "a", "style", "title",
        "b", "body", "br", "p",
    ]
}

/// Text in UTF-16 that begins with a byte order mark.
package enum UTF16Text {
    /// The text in UTF-8, without the mark; nil for text without one.
    ///
    /// An odd last byte is left out.
    package static func utf8(_ bytes: some RandomAccessCollection<UInt8>) -> [UInt8]? {
        let isBigEndian = bytes.starts(with: [0xFE, 0xFF])
        guard isBigEndian || bytes.starts(with: [0xFF, 0xFE]) else { return nil }
        let text = Array(bytes.dropFirst(2))
        let units = stride(from: 0, to: text.count - 1, by: 2).map { place in
            let (first, second) = (UInt16(text[place]), UInt16(text[place + 1]))
            return isBigEndian ? first << 8 | second : second << 8 | first
        }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }
}
