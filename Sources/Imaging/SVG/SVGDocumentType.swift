import Recipes
import SafeSVG

/// The document type of an SVG: external DTDs, entities and default attributes.
///
/// Browsers load no external DTD, but other programs do, and entities hide their contents from a
/// reader. So the document type is removed, and entities with plain text are expanded.
struct SVGDocumentType {
    /// The objection and its line; nil if there is none, or a harmless one.
    private(set) var objection: (what: String, line: Int)?
    /// The document without the document type and with its entities expanded.
    private(set) var bytes: [UInt8]

    /// - Parameters:
    ///   - document: The bytes of the SVG.
    ///   - limit: The maximum number of bytes with its entities expanded.
    /// - Throws: ``JobResult/JobError`` if an entity is not plain text.
    init(of document: [UInt8], limit: Int) throws(JobResult.JobError) {
        bytes = document
        guard let tokens = XMLTokens.all(in: document) else {
            let line = document.line(of: document.count)
            throw JobResult.JobError(.corrupt, "the SVG is not well-formed XML (line \(line))")
        }
        guard XMLTokens.areBounded(tokens, in: document) else {
            throw JobResult.JobError(.unsafe, "the SVG has too many attributes or namespaces")
        }
        guard let type = tokens.first(where: { $0.kind == .documentType }) else { return }
        let text = Array(document[type.range])
        let what = Self.objection(to: text)
        let line = document.line(of: type.range.lowerBound + (what?.offset ?? 0))
        objection = what.map { ($0.name, line) }
        let entities = try Self.entities(in: text, line: line)
        // The lines keep their numbers.
        let lines = [UInt8](repeating: 0x0A, count: text.count { $0 == 0x0A })
        var parts: [(range: Range<Int>, bytes: [UInt8])] = [(type.range, lines)]
        var count = document.count
        for token in tokens where [.text, .startTag, .emptyTag].contains(token.kind) {
            for part in Self.references(in: document, token.range, to: entities) {
                parts.append(part)
                count += part.bytes.count
                guard count <= limit else {
                    throw JobResult.JobError(
                        .unsafe, "the SVG's expanded entities exceed the limit")
                }
            }
        }
        bytes = document.replacing(parts)
    }

    private static func objection(to text: [UInt8]) -> (name: String, offset: Int)? {
        let declarations = [
            ("<!ENTITY", "an entity declaration"), ("<!ATTLIST", "an attribute declaration"),
            ("[", "a document type with declarations"),
        ]
        for (declaration, name) in declarations {
            if let place = text[...].firstPlace(of: Array(declaration.utf8)) {
                return (name, place)
            }
        }
        let words = String(decoding: text.dropFirst("<!DOCTYPE".count), as: UTF8.self)
            .split { $0.isWhitespace || $0 == ">" }
        guard words.count > 1 else { return nil }
        // The W3C's identifiers name DTDs that every program has; nothing is loaded for them.
        let isStandard =
            words[1] == "PUBLIC" && words.count > 3 && words[2].dropFirst() == "-//W3C//DTD"
            && words[3].hasPrefix("SVG")
        return isStandard ? nil : ("an external document type", 0)
    }

    private static func entities(
        in text: [UInt8], line: Int
    ) throws(JobResult.JobError) -> [String: [UInt8]] {
        var entities: [String: [UInt8]] = [:]
        var rest = text[...]
        while let start = rest.firstPlace(of: Array("<!ENTITY".utf8)) {
            rest = rest[(start + "<!ENTITY".utf8.count)...].drop { $0.isXMLSpace }
            let name = rest.prefix { !$0.isXMLSpace }
            rest = rest.dropFirst(name.count).drop { $0.isXMLSpace }
            guard let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
            else { continue }
            let value = rest.dropFirst().prefix { $0 != quote }
            rest = rest[value.endIndex...]
            guard !value.contains(where: { "<&%".utf8.contains($0) }) else {
                throw JobResult.JobError(
                    .unsafe, "the SVG has an entity that is not plain text (line \(line))")
            }
            let plain = String(decoding: value, as: UTF8.self)
                .replacing("\"", with: "&quot;").replacing("'", with: "&#39;")
            // The first declaration counts (XML 1.0, section 4.2).
            let key = String(decoding: name, as: UTF8.self)
            if entities[key] == nil { entities[key] = Array(plain.utf8) }
        }
        return entities
    }

    private static func references(
        in bytes: [UInt8], _ range: Range<Int>, to entities: [String: [UInt8]]
    ) -> [(range: Range<Int>, bytes: [UInt8])] {
        var found: [(range: Range<Int>, bytes: [UInt8])] = []
        var rest = bytes[range]
        while let start = rest.firstIndex(of: UInt8(ascii: "&")) {
            rest = rest[(start + 1)...]
            guard let end = rest.prefix(SVGLimits.longestName).firstIndex(of: UInt8(ascii: ";"))
            else { continue }
            let name = String(decoding: rest[..<end], as: UTF8.self)
            if let value = entities[name] { found.append((start..<end + 1, value)) }
        }
        return found
    }
}
