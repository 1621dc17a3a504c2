/// The parts that are removed from an SVG, counted by their kind.
struct SVGRemovals {
    private enum Kind: String, CaseIterable {
        case script
        case event = "event attribute"
        case element = "embedded element"
        case drawing = "embedded SVG"
        case data = "embedded file"
        case reference = "external reference"
        case documentType = "document type"
    }

    private var counts: [Kind: Int] = [:]

    init(_ findings: [SVGFinding], hasDocumentType: Bool) {
        if hasDocumentType { counts[.documentType] = 1 }
        for finding in findings { counts[Self.kind(of: finding.what), default: 0] += 1 }
    }

    /// A list such as `2 scripts, 1 event attribute`; nil if nothing is removed.
    var text: String? {
        let parts = Kind.allCases.compactMap { kind in
            counts[kind].map { "\($0) \(kind.rawValue)\($0 == 1 ? "" : "s")" }
        }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    private static func kind(of what: String) -> Kind {
        let scripts = ["a <script>", "a <handler>", "a <listener>", "a script"]
        if scripts.contains(where: what.hasPrefix) { return .script }
        if what.hasPrefix("an event attribute") { return .event }
        if what.hasPrefix(EmbeddedSVG.phrase) { return .drawing }
        if what.hasPrefix("embedded data") { return .data }
        return what.hasPrefix("a <") || what.hasPrefix("HTML") ? .element : .reference
    }
}
