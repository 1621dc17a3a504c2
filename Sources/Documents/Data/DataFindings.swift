import DocumentSyntax

/// Finds the full URLs in a script or in a file of data.
func dataFindings(
    _ bytes: UnsafeBytes, _ syntax: DataReader.Syntax, _ options: ExtractionOptions
) -> Findings {
    let place: UnreadImage.Place = syntax == .script ? .script : .data
    var findings = Findings()
    if bytes.starts(with: packedStart) {
        findings.unread = urls(inData: Array(bytes)).images
        return findings
    }
    guard options.readsData else {
        findings.unread = UnreadImage.all(in: bytes, place)
        if place == .data { findings.unread.markTexts(in: bytes) }
        return findings
    }
    findings.unread = UnreadImage.candidates(in: bytes, place)
    let value = HTMLValue.data(DataReader(syntax, HTMLRules(options: options)))
    guard let slot = HTMLSlot(text: 0..<bytes.count, value, in: bytes, isEncoded: false) else {
        return findings
    }
    findings.outline.slots = [
        Outline.Slot(value: slot.value, pieces: slot.pieces.map(\.piece), content: value)
    ]
    findings.outline.addLengths(of: slot.pieces, slot: 0)
    findings.outline.parts = .texts([
        TextPart(range: 0..<bytes.count, place: .document, content: .value(value), firstSlot: 0)
    ])
    findings.located =
        LocatedPieces(slot.pieces, of: slot.value, slot: 0, control: nil).references
    findings.dropUnreadInData()
    return findings
}

extension Findings {
    /// Removes what is told of URLs that are references in data.
    mutating func dropUnreadInData() {
        if unread.isEmpty { return }
        let known = located.filter { $0.reference.kind == .data }.map(\.reference.range)
            .inOrder { $0.lowerBound < $1.lowerBound }
        if known.isEmpty { return }
        unread.removeAll { known.containSorted($0.offset) }
    }
}

extension HTMLRules {
    /// The kind of the text in a `<script>`.
    func content(ofScript script: some HTMLElementView) -> OpenElements.Content {
        if script.isJSONLD { return .jsonLD }
        if !options.readsData { return .script }
        if Self.isProgram(script) { return .program }
        let type = script.text(of: "type")?.lowercased().prefix { $0 != ";" } ?? ""
        return type.hasSuffix("/json") || type.hasSuffix("+json") ? .json : .script
    }
}

/// The full URLs in a text that scripts compare, look up or take apart.
///
/// They must stay wherever data names them: else a comparison has another result, and `new URL(…)`
/// throws an error.
package func examinedURLs(in text: [UInt8]) -> [String] {
    text.withUnsafeBufferPointer { text in
        let variables = Set(
            text.places(of: .openParenthesis).filter { text.word(before: $0) == "URL" }
                .compactMap { text[$0...].prefix(64).firstIndex(of: .closeParenthesis) }
                .map { text.word(before: $0) })
        return ImageURLs(in: text, takesAll: true)
            .filter { text.isExamined($0, variables) }.map { text.unescapedURL($0) }
    }
}
