/// Reads XML 1.0 with namespaces, one event after the other.
///
/// The time is linear in the number of bytes. It loads nothing.
package struct XMLReader {
    package enum Form {
        /// Any well-formed document; comments are left out, and entities with plain text are replaced.
        case wellFormed
        /// UTF-8 with tags and text only, with names in ASCII and with no entities but the five of
        /// XML.
        ///
        /// All parsers read a document in this form in the same way, that of HTML too: it ends
        /// comments, CDATA sections and processing instructions elsewhere, so there are none.
        case strict
    }

    package enum Event {
        case start(XMLElement)
        case end
        /// Text after references are replaced; adjacent text can come in several events.
        case text([UInt8])
        case instruction(name: String, line: Int)
    }

    private let form: Form
    private let bytes: [UInt8]
    private var position = 0
    private var lines = (counted: 0, line: 1)
    private var open: [(name: Range<Int>, declared: Int)] = []
    private var namespaces = NamespaceScopes()
    private var hasRoot = false
    /// Whether the last tag also ended its element.
    private var isAtEmptyElement = false
    private var attributeCount = 0
    private var entityCount = 0
    /// The document type, if it was reached.
    package private(set) var documentType: XMLDocumentType?

    /// - Throws: ``SVGError`` if the text or the XML declaration is not in the form.
    package init(_ document: [UInt8], _ form: Form) throws(SVGError) {
        bytes = document
        self.form = form
        try checkText()
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        if startsWith("<?xml"), byte(at: position + 5)?.isXMLSpace == true {
            guard let declaration = XMLDeclaration(bytes, at: position),
                form == .wellFormed || declaration.isPlain
            else { throw error("an XML declaration of another form") }
            position = declaration.range.upperBound
        }
    }

    /// The line that was reached, from 1.
    package var line: Int { bytes.line(of: min(position, bytes.count)) }

    /// The next event; nil at the end of the document.
    package mutating func next() throws(SVGError) -> Event? {
        if isAtEmptyElement {
            isAtEmptyElement = false
            leave()
            return .end
        }
        while true {
            if open.isEmpty { skipSpace() }
            guard position < bytes.count else {
                guard hasRoot, open.isEmpty else { throw error("an element without an end") }
                return nil
            }
            guard bytes[position] == UInt8(ascii: "<") else { return try text() }
            switch byte(at: position + 1) {
            case UInt8(ascii: "!"): if let event = try declaration() { return event }
            case UInt8(ascii: "?"): return try instruction()
            case UInt8(ascii: "/"): return try endTag()
            default: return try startTag()
            }
        }
    }

    private func byte(at place: Int) -> UInt8? { place < bytes.count ? bytes[place] : nil }

    private func startsWith(_ text: String) -> Bool { bytes[position...].starts(with: text.utf8) }

    private mutating func skipSpace() {
        while byte(at: position)?.isXMLSpace == true { position += 1 }
    }

    private func error(_ what: String, _ kind: SVGError.Kind = .malformed) -> SVGError {
        SVGError(kind, what, line: line)
    }
}

// MARK: - Declarations and instructions

extension XMLReader {
    /// Reads a comment, a CDATA section or the document type; only the second is an event.
    private mutating func declaration() throws(SVGError) -> Event? {
        if startsWith("<!--") {
            guard form == .wellFormed, let end = bytes[(position + 4)...].firstPlace(of: "--"),
                byte(at: end + 2) == UInt8(ascii: ">")
            else { throw error("a comment") }
            position = end + 3
            return nil
        }
        if startsWith("<![CDATA[") {
            let start = position + 9
            guard form == .wellFormed, !open.isEmpty,
                let end = bytes[start...].firstPlace(of: "]]>")
            else { throw error("a CDATA section") }
            position = end + 3
            return .text(bytes[start..<end].withPlainLineEnds)
        }
        guard startsWith("<!DOCTYPE") else { throw error("a declaration") }
        guard form == .wellFormed, documentType == nil, !hasRoot else {
            throw error("a document type")
        }
        let type = try XMLDocumentType(bytes, at: position)
        position = type.range.upperBound
        documentType = type
        return nil
    }

    private mutating func instruction() throws(SVGError) -> Event {
        guard form == .wellFormed else { throw error("a processing instruction") }
        let line = currentLine()
        position += 2
        let name = try name().text
        guard name.lowercased() != "xml",
            byte(at: position)?.isXMLSpace == true || startsWith("?>"),
            let end = bytes[position...].firstPlace(of: "?>")
        else { throw error("a processing instruction of another form") }
        position = end + 2
        return .instruction(name: name, line: line)
    }
}

// MARK: - Text

extension XMLReader {
    /// Checks that the bytes are UTF-8 and the characters are those of XML.
    private func checkText() throws(SVGError) {
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw SVGError(.malformed, "text that is not UTF-8", line: 1)
        }
        for (place, byte) in bytes.enumerated() where byte < 0x20 && !byte.isXMLSpace {
            throw SVGError(.malformed, "a control character", line: bytes.line(of: place))
        }
        // U+FFFE and U+FFFF are EF BF BE and EF BF BF.
        for place in bytes.indices.dropLast(2) where bytes[place] == 0xEF {
            guard bytes[place + 1] != 0xBF || bytes[place + 2] < 0xBE else {
                throw SVGError(
                    .malformed, "a character that XML does not allow", line: bytes.line(of: place))
            }
        }
    }

    private mutating func text() throws(SVGError) -> Event {
        let end = bytes[position...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
        let range = position..<end
        guard !open.isEmpty else { throw error("text outside of its root") }
        guard bytes[range].firstPlace(of: "]]>") == nil else { throw error("a stray ]]>") }
        let text = try decoded(range, isAttribute: false)
        position = end
        return .text(text)
    }

    /// The text in `range` after references are replaced and line ends are normalised (XML 1.0,
    /// sections 2.11 and 3.3.3).
    private mutating func decoded(_ range: Range<Int>, isAttribute: Bool) throws(SVGError)
        -> [UInt8]
    {
        let special = bytes[range].firstIndex { $0 == UInt8(ascii: "&") || $0 < 0x20 }
        guard let special else { return Array(bytes[range]) }
        var text = Array(bytes[range.lowerBound..<special])
        var place = special
        while place < range.upperBound {
            let byte = bytes[place]
            if byte == UInt8(ascii: "&") {
                let reference = bytes[place..<range.upperBound]
                if let (characters, end) = CharacterReference.read(reference) {
                    text += characters
                    place = end
                } else {
                    let (characters, end) = try entity(reference)
                    text += isAttribute ? characters.map { $0.isXMLSpace ? 0x20 : $0 } : characters
                    place = end
                }
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

    /// The text of the reference at the beginning of `bytes` to an entity of the document type, and
    /// its end.
    private mutating func entity(
        _ reference: ArraySlice<UInt8>
    ) throws(SVGError) -> (text: [UInt8], end: Int) {
        let name = reference.dropFirst().prefix(SVGLimits.longestName)
            .prefix { $0 != UInt8(ascii: ";") }
        guard name.endIndex < reference.endIndex, reference[name.endIndex] == UInt8(ascii: ";"),
            let text = documentType?.entities[String(decoding: name, as: UTF8.self)]
        else { throw error("an entity") }
        entityCount += text.count
        guard bytes.count + entityCount <= SVGLimits.longest else {
            throw error("entities with more than \(SVGLimits.longest >> 20) MiB", .unsafe)
        }
        return (text, name.endIndex + 1)
    }
}

// MARK: - Tags

extension XMLReader {
    private func endOfName(from start: Int) -> Int {
        bytes[start...].firstIndex { byte in
            !byte.isNameByte && byte != UInt8(ascii: ":") && (byte < 0x80 || form == .strict)
        } ?? bytes.count
    }

    private mutating func name() throws(SVGError) -> (text: String, range: Range<Int>) {
        let range = position..<endOfName(from: position)
        let text = String(decoding: bytes[range], as: UTF8.self)
        guard range.count <= SVGLimits.longestName else { throw error("a long name", .unsafe) }
        guard form == .strict ? text.isPlainName : text.isXMLName else {
            throw error("an unclear name")
        }
        position = range.upperBound
        return (text, range)
    }

    private mutating func endTag() throws(SVGError) -> Event {
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

    private mutating func startTag() throws(SVGError) -> Event {
        guard !open.isEmpty || !hasRoot else { throw error("a second root") }
        hasRoot = true
        let line = currentLine()
        position += 1
        let (name, range) = try name()
        var attributes = try attributes()
        if byte(at: position) == UInt8(ascii: "/") {
            isAtEmptyElement = true
            position += 1
        }
        guard byte(at: position) == UInt8(ascii: ">") else { throw error("an unclear tag") }
        position += 1
        let count = attributes.count
        guard let declared = namespaces.enter(&attributes),
            form == .wellFormed || attributes.count == count
        else { throw error("an unclear namespace") }
        open.append((range, declared))
        return .start(
            XMLElement(
                name: name, namespace: namespaces.namespace(ofElement: name),
                attributes: try checked(attributes), isEmpty: isAtEmptyElement, line: line))
    }

    private mutating func attributes() throws(SVGError) -> [(name: String, value: [UInt8])] {
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
            else { throw error("too many attributes", .unsafe) }
        }
    }

    /// The attributes with their namespaces; no two may have the same name.
    private func checked(
        _ attributes: [(name: String, value: [UInt8])]
    ) throws(SVGError) -> [XMLAttribute] {
        var names: Set<String> = []
        var expanded: Set<[UInt8]> = []
        return try attributes.map { (name, value) throws(SVGError) in
            let isNew =
                names.insert(name).inserted
                && namespaces.expanded(name).map { expanded.insert($0).inserted } != false
            guard isNew else { throw error("an attribute twice") }
            return XMLAttribute(
                name: name, namespace: namespaces.namespace(ofAttribute: name), value: value)
        }
    }

    private mutating func currentLine() -> Int {
        lines.line += bytes[lines.counted..<position].count { $0 == 0x0A }
        lines.counted = position
        return lines.line
    }
}
