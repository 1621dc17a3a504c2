/// The document type of an XML document, of which only entities with plain text are used.
///
/// Browsers load no external DTD, but other programs do, and entities hide their contents from a
/// reader.
package struct XMLDocumentType {
    /// A phrase for what it loads or declares, with its line; nil if that is nothing.
    package let objection: (what: String, line: Int)?
    let range: Range<Int>
    /// The texts of the entities by their names.
    private(set) var entities: [String: [UInt8]] = [:]

    /// Reads the document type at `start`, whose internal subset can contain tags and comments.
    init(_ bytes: [UInt8], at start: Int) throws(SVGError) {
        var position = start + 1
        var isInSubset = false
        while position < bytes.count, bytes[position] != UInt8(ascii: ">") || isInSubset {
            switch bytes[position] {
            case UInt8(ascii: "["): isInSubset = true
            case UInt8(ascii: "]"): isInSubset = false
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                position = Self.quoteEnd(bytes, at: position)
            case UInt8(ascii: "<") where isInSubset:
                let end = Self.declarationEnd(bytes, at: position)
                if let (name, text) = Self.entity(bytes[position..<end]) {
                    guard !text.contains(where: "<&%".utf8.contains),
                        text.firstPlace(of: "]]>") == nil
                    else {
                        throw SVGError(
                            .unsafe, "an entity that is not plain text",
                            line: bytes.line(of: position))
                    }
                    // The first declaration counts (XML 1.0, section 4.2).
                    if entities[name] == nil { entities[name] = text.withPlainLineEnds }
                }
                position = end - 1
            default: break
            }
            position += 1
        }
        guard position < bytes.count else {
            throw SVGError(
                .malformed, "a document type without an end", line: bytes.line(of: bytes.count))
        }
        range = start..<position + 1
        objection = Self.objection(to: bytes[range]).map { ($0.what, bytes.line(of: $0.place)) }
    }

    /// The place of the quote that ends the text which begins with one.
    private static func quoteEnd(_ bytes: [UInt8], at start: Int) -> Int {
        bytes[(start + 1)...].firstIndex(of: bytes[start]) ?? bytes.count
    }

    /// The end of a comment, a processing instruction or a declaration in the internal subset.
    private static func declarationEnd(_ bytes: [UInt8], at start: Int) -> Int {
        let rest = bytes[start...]
        for (mark, end) in [("<!--", "-->"), ("<?", "?>")] where rest.starts(with: mark.utf8) {
            return rest.dropFirst(mark.utf8.count).firstPlace(of: end).map { $0 + end.utf8.count }
                ?? bytes.count
        }
        var position = start
        while position < bytes.count, bytes[position] != UInt8(ascii: ">") {
            let isQuote = "\"'".utf8.contains(bytes[position])
            position = (isQuote ? quoteEnd(bytes, at: position) : position) + 1
        }
        return min(position + 1, bytes.count)
    }

    private static func objection(to text: ArraySlice<UInt8>) -> (what: String, place: Int)? {
        let declarations = [
            ("<!ENTITY", "an entity declaration"), ("<!ATTLIST", "an attribute declaration"),
            ("[", "a document type with declarations"),
        ]
        for (declaration, what) in declarations {
            if let place = text.firstPlace(of: declaration) { return (what, place) }
        }
        let words = String(decoding: text.dropFirst("<!DOCTYPE".utf8.count), as: UTF8.self)
            .split { $0.isWhitespace || $0 == ">" }
        guard words.count > 1 else { return nil }
        // The W3C's identifiers name DTDs that every program has; nothing is loaded for them.
        let isStandard =
            words[1] == "PUBLIC" && words.count > 3 && words[2].dropFirst() == "-//W3C//DTD"
            && words[3].hasPrefix("SVG")
        return isStandard ? nil : ("an external document type", text.startIndex)
    }

    /// The name and the text that a declaration gives to an entity; nil for any other declaration.
    private static func entity(
        _ declaration: ArraySlice<UInt8>
    ) -> (name: String, text: ArraySlice<UInt8>)? {
        guard declaration.starts(with: "<!ENTITY".utf8) else { return nil }
        let rest = declaration.dropFirst("<!ENTITY".utf8.count).drop(while: \.isXMLSpace)
        let name = rest.prefix { !$0.isXMLSpace }
        let content = rest[name.endIndex...].drop(while: \.isXMLSpace)
        guard let quote = content.first, "\"'".utf8.contains(quote) else { return nil }
        return (
            String(decoding: name, as: UTF8.self), content.dropFirst().prefix { $0 != quote }
        )
    }
}
