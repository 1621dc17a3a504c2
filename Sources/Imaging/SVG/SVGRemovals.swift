/// The parts that are removed from an SVG, counted by their kind.
struct SVGRemovals {
    private enum Kind: String, CaseIterable {
        case script
        case event = "event attribute"
        case element = "embedded element"
        case unknown = "unknown element"
        case attribute = "unknown attribute"
        case drawing = "embedded SVG"
        case data = "embedded file"
        case reference = "external reference"
        case documentType = "document type"
    }

    private var counts: [Kind: Int] = [:]

    /// - Parameters:
    ///   - parts: A phrase for each part, as the rules name it.
    ///   - hasDocumentType: Whether the document type is removed too.
    init(_ parts: [String], hasDocumentType: Bool) {
        if hasDocumentType { counts[.documentType] = 1 }
        for what in parts { counts[Self.kind(of: what), default: 0] += 1 }
    }

    /// A list such as `2 scripts, 1 event attribute`; nil if nothing is removed.
    var text: String? {
        let parts = Kind.allCases.compactMap { kind in
            counts[kind].map { "\($0) \(kind.rawValue)\($0 == 1 ? "" : "s")" }
        }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    private static let beginnings: [(text: String, kind: Kind)] = [
        ("a <script>", .script), ("a <handler>", .script), ("a <listener>", .script),
        ("a script", .script), ("an event attribute", .event), ("an embedded SVG", .drawing),
        ("embedded data", .data), ("an unknown attribute", .attribute),
        ("an unclear attribute", .attribute), ("an unknown element", .unknown),
        ("an element", .unknown), ("a <", .element), ("HTML", .element), ("MathML", .element),
    ]

    private static func kind(of what: String) -> Kind {
        beginnings.first { what.hasPrefix($0.text) }?.kind ?? .reference
    }
}
