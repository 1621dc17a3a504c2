/// A parser of a strict subset of XML 1.0 with namespaces.
///
/// The subset is UTF-8 with tags and text only, with names in ASCII and with no entities but the five
/// of XML. All parsers read a document in it in the same way, that of HTML too: it ends comments,
/// CDATA sections and processing instructions elsewhere, so the subset has none of them.
struct StrictXML {
    enum Event {
        case start(SVGElement)
        case end
        /// Text after character references are decoded.
        case text([UInt8])
    }

    /// Why a document is not in the subset.
    struct SyntaxError: Error {
        let what: String
        let line: Int
    }

    private let bytes: [UInt8]
    private var position = 0
    private var lines = (counted: 0, line: 1)
    private var open: [(name: Range<Int>, declared: Int)] = []
    private var namespaces = NamespaceScopes()
    private var hasRoot = false
    /// Whether the last tag also ended its element.
    private var isAtEmptyElement = false
    private var attributeCount = 0

    /// - Throws: ``SyntaxError`` if the text or the XML declaration is not in the subset.
    init(_ document: [UInt8]) throws(SyntaxError) {
        bytes = document
        try checkText()
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        if startsWith("<?xml"), byte(at: position + 5)?.isXMLSpace == true {
            guard let end = XMLDeclaration(bytes, at: position)?.end(ifStatingUTF8: bytes) else {
                throw error("an XML declaration of another form")
            }
            position = end
        }
    }

    /// The line that was reached, from 1.
    var line: Int { 1 + bytes[..<min(position, bytes.count)].count { $0 == 0x0A } }

    /// The next event; nil at the end of the document.
    mutating func next() throws(SyntaxError) -> Event? {
        if isAtEmptyElement {
            isAtEmptyElement = false
            leave()
            return .end
        }
        if open.isEmpty {
            position = bytes[position...].firstIndex { !$0.isXMLSpace } ?? bytes.count
        }
        guard position < bytes.count else {
            guard hasRoot, open.isEmpty else { throw error("an element without an end") }
            return nil
        }
        guard bytes[position] == UInt8(ascii: "<") else { return try text() }
        switch byte(at: position + 1) {
        case UInt8(ascii: "!"):
            throw error(
                startsWith("<!DOCTYPE")
                    ? "a document type" : startsWith("<!--") ? "a comment" : "a declaration")
        case UInt8(ascii: "?"): throw error("a processing instruction")
        case UInt8(ascii: "/"): return try endTag()
        default: return try startTag()
        }
    }

    private func byte(at place: Int) -> UInt8? { place < bytes.count ? bytes[place] : nil }

    private func startsWith(_ text: String) -> Bool { bytes[position...].starts(with: text.utf8) }

    private func error(_ what: String) -> SyntaxError { SyntaxError(what: what, line: line) }
}

// MARK: - Text

extension StrictXML {
    /// Checks that the bytes are UTF-8 and the characters are those of XML.
    private func checkText() throws(SyntaxError) {
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw SyntaxError(what: "text that is not UTF-8", line: 1)
        }
        for (place, byte) in bytes.enumerated() where byte < 0x20 && !byte.isXMLSpace {
            throw SyntaxError(
                what: "a control character", line: 1 + bytes[..<place].count { $0 == 0x0A })
        }
        // U+FFFE and U+FFFF are EF BF BE and EF BF BF.
        for place in bytes.indices.dropLast(2) where bytes[place] == 0xEF {
            guard bytes[place + 1] != 0xBF || bytes[place + 2] < 0xBE else {
                throw SyntaxError(what: "a character that XML does not allow", line: 1)
            }
        }
    }

    private mutating func text() throws(SyntaxError) -> Event {
        let end = bytes[position...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
        let range = position..<end
        guard !open.isEmpty else { throw error("text outside of its root") }
        guard bytes[range].firstPlace(of: "]]>") == nil else { throw error("a stray ]]>") }
        let text = try decoded(range, isAttribute: false)
        position = end
        return .text(text)
    }

    /// The text in `range` after character references are decoded and line ends are normalised
    /// (XML 1.0, sections 2.11 and 3.3.3).
    private func decoded(_ range: Range<Int>, isAttribute: Bool) throws(SyntaxError) -> [UInt8] {
        let special = bytes[range].firstIndex { $0 == UInt8(ascii: "&") || $0 < 0x20 }
        guard let special else { return Array(bytes[range]) }
        var text = Array(bytes[range.lowerBound..<special])
        var place = special
        while place < range.upperBound {
            let byte = bytes[place]
            if byte == UInt8(ascii: "&") {
                let reference = bytes[place..<range.upperBound]
                guard let (characters, end) = CharacterReference.read(reference) else {
                    throw error("an entity")
                }
                text += characters
                place = end
                continue
            }
            place += 1
            if byte == 0x0D {
                if place < range.upperBound, bytes[place] == 0x0A { place += 1 }
                text.append(isAttribute ? 0x20 : 0x0A)
            } else {
                text.append(isAttribute && byte.isXMLSpace ? 0x20 : byte)
            }
        }
        return text
    }
}

// MARK: - Tags

extension StrictXML {
    private func endOfName(from start: Int) -> Int {
        bytes[start...].firstIndex { !$0.isNameByte && $0 != UInt8(ascii: ":") } ?? bytes.count
    }

    private mutating func skipSpace() {
        while byte(at: position)?.isXMLSpace == true { position += 1 }
    }

    private mutating func name() throws(SyntaxError) -> (text: String, range: Range<Int>) {
        let range = position..<endOfName(from: position)
        let text = String(decoding: bytes[range], as: UTF8.self)
        guard range.count <= SVGLimits.longestName, text.isPlainName else {
            throw error("an unclear name")
        }
        position = range.upperBound
        return (text, range)
    }

    private mutating func endTag() throws(SyntaxError) -> Event {
        position += 2
        let name = try name().range
        guard let last = open.last, bytes[last.name].elementsEqual(bytes[name]) else {
            throw error("an end tag without its element")
        }
        skipSpace()
        guard byte(at: position) == UInt8(ascii: ">") else { throw error("an unclear end tag") }
        position += 1
        leave()
        return .end
    }

    private mutating func leave() {
        guard let last = open.popLast() else { return }
        namespaces.leave(last.declared)
    }

    private mutating func startTag() throws(SyntaxError) -> Event {
        guard !open.isEmpty || !hasRoot else { throw error("a second root") }
        hasRoot = true
        let line = currentLine()
        position += 1
        let (name, range) = try name()
        let attributes = try attributes()
        if byte(at: position) == UInt8(ascii: "/") {
            isAtEmptyElement = true
            position += 1
        }
        guard byte(at: position) == UInt8(ascii: ">") else { throw error("an unclear tag") }
        position += 1
        guard let declared = namespaces.enter(attributes) else {
            throw error("an unclear namespace")
        }
        open.append((range, declared))
        return .start(
            SVGElement(
                name: name, namespace: namespaces.namespace(ofElement: name),
                attributes: try checked(attributes), line: line))
    }

    private mutating func attributes() throws(SyntaxError) -> [(name: String, value: [UInt8])] {
        var attributes: [(name: String, value: [UInt8])] = []
        while true {
            let start = position
            skipSpace()
            guard let first = byte(at: position), first != UInt8(ascii: ">"),
                first != UInt8(ascii: "/")
            else { return attributes }
            guard position > start else { throw error("attributes without space") }
            let name = try name().text
            skipSpace()
            guard byte(at: position) == UInt8(ascii: "=") else { throw error("an unclear tag") }
            position += 1
            skipSpace()
            guard let quote = byte(at: position), "\"'".utf8.contains(quote),
                let end = bytes[(position + 1)...].firstIndex(of: quote),
                !bytes[position..<end].contains(UInt8(ascii: "<"))
            else { throw error("an unclear attribute") }
            attributes.append((name, try decoded(position + 1..<end, isAttribute: true)))
            position = end + 1
            attributeCount += 1
            guard attributes.count <= SVGLimits.mostAttributes,
                attributeCount <= SVGLimits.mostAttributesInAll
            else { throw error("too many attributes") }
        }
    }

    /// The attributes with their namespaces; no two may have the same name.
    private func checked(
        _ attributes: [(name: String, value: [UInt8])]
    ) throws(SyntaxError) -> [SVGAttribute] {
        var names: Set<String> = []
        var expanded: Set<[UInt8]> = []
        return try attributes.map { (name, value) throws(SyntaxError) in
            let isNew =
                names.insert(name).inserted
                && namespaces.expanded(name).map { expanded.insert($0).inserted } != false
            guard isNew else { throw error("an attribute twice") }
            return SVGAttribute(
                name: name, namespace: namespaces.namespace(ofAttribute: name), value: value)
        }
    }

    private mutating func currentLine() -> Int {
        lines.line += bytes[lines.counted..<position].count { $0 == 0x0A }
        lines.counted = position
        return lines.line
    }
}

extension ArraySlice<UInt8> {
    /// The first offset of `text`, which must not be empty.
    func firstPlace(of text: String) -> Int? {
        guard let first = text.utf8.first else { return nil }
        var start = startIndex
        while let place = self[start...].firstIndex(of: first) {
            if self[place...].starts(with: text.utf8) { return place }
            start = place + 1
        }
        return nil
    }
}
