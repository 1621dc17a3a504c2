import DocumentSyntax

/// Collects the findings of an XML document in document order.
struct XMLBuilder {
    private(set) var findings = Findings()
    private let bytes: UnsafeBytes
    private var texts: [TextPart] = []

    init(_ bytes: UnsafeBytes) { self.bytes = bytes }

    consuming func finish(base: (href: String, offset: Int)?) -> Findings {
        findings.outline.parts = .texts(texts)
        findings.page.base = base
        return findings
    }

    /// Adds a part before its slots.
    private mutating func addPart(
        _ source: XMLText.Source, isAttribute: Bool = false, _ content: TextPart.Content
    ) {
        texts.append(
            TextPart(
                range: source.range,
                place: isAttribute ? .xmlAttribute : source.isEscaped ? .xmlText : .cdata,
                content: content, firstSlot: findings.outline.slots.count))
    }

    /// Adds a slot for a value that contains URLs, or claims about an image of another value.
    ///
    /// - Parameters:
    ///   - text: The value.
    ///   - pieces: The URLs and claims, with ranges in the decoded value.
    ///   - value: The kind of the value.
    ///   - isAttribute: Whether the value is an attribute, whose notation already includes the XML
    ///     escaping.
    ///   - control: The index of the control that applies to the pieces.
    ///   - needsExtension: Whether only the extension tells that the value is the URL of an image.
    /// - Returns: The located pieces. Their references must be added to ``findings`` by
    ///   ``add(_:)``.
    mutating func locate(
        _ text: XMLText, _ pieces: [HTMLPiece], in value: HTMLValue? = nil, isAttribute: Bool,
        control: Int?, needsExtension: Bool = false
    ) -> LocatedPieces? {
        guard !pieces.isEmpty else { return nil }
        let slot = findings.outline.slots.count
        let isOff = control.map { findings.controls[$0].control.isOff } == true
        let isUncertain = text.hasUnknownEntity || text.isDivided
        var pieces = pieces
        for (number, piece) in pieces.enumerated() {
            guard !isUncertain, piece.isUTF8 else {
                if !isOff, piece.claim == nil { refuse(text, piece) }
                continue
            }
            pieces[number].place = isOff ? nil : text.place(of: piece.piece.range)
            pieces[number].slotLayers = value?.slotLayers(of: piece.notation) ?? 0
            if !isAttribute, text.source.isEscaped { pieces[number].notation.layers.append(.text) }
            pieces[number].isRemovable = false
        }
        if !isUncertain {
            let single: TextPart.Content =
                pieces[0].claim.map { .claim($0) } ?? .url(needsExtension: needsExtension)
            addPart(text.source, isAttribute: isAttribute, value.map { .value($0) } ?? single)
        }
        findings.outline.slots.append(
            Outline.Slot(value: text.decoded, pieces: pieces.map(\.piece)))
        return LocatedPieces(pieces, of: text.decoded, slot: slot, control: control)
    }

    /// Adds the references of one element, each with the element's claims about it.
    mutating func add(_ values: [LocatedPieces]) {
        for reference in values.lazy.flatMap(\.references) {
            var reference = reference
            for value in values { reference.add(claimsOf: value) }
            findings.located.append(reference)
        }
    }

    private mutating func refuse(_ text: XMLText, _ piece: HTMLPiece) {
        findings.problems.append(
            DocumentProblem(
                offset: text.place(of: piece.piece.range).lowerBound,
                url: piece.piece.url(in: text.decoded),
                reason: piece.isUTF8 ? .placeUncertain : .urlNotUTF8))
    }

    /// Adds the control of an element.
    ///
    /// - Returns: The index of the control.
    mutating func addControl(_ control: ImageControl) -> Int {
        findings.controls.append(LocatedControl(control: control, ranges: [], slots: []))
        return findings.controls.count - 1
    }

    /// Adds an attribute to a control.
    mutating func addControl(_ attribute: HTMLAttribute, to control: Int) {
        let range = bytes.includingWhitespaceBefore(
            attribute.name.lowerBound..<attribute.value.upperBound + 1)
        addPart(XMLText.Source(range: range, isEscaped: true), .control)
        findings.controls[control].ranges?.append(range)
        findings.controls[control].slots.append(findings.outline.slots.count)
        findings.outline.slots.append(
            Outline.Slot(value: bytes.copy(attribute.value), pieces: []))
    }

    /// Adds the findings of a text that contains HTML; in a divided one, no image can be replaced.
    ///
    /// - Parameters:
    ///   - part: The findings, with offsets in the decoded text.
    ///   - text: The text.
    mutating func embed(_ part: consuming Findings, in text: XMLText) {
        if text.isDivided { part.refuseAll() }
        if case .html(let parts, _, _)? = part.outline.parts { addPart(text.source, .html(parts)) }
        let first = findings.located.count
        findings.embed(part, escapedBy: text.source.isEscaped ? .text : nil) { text.place(of: $0) }
        for index in findings.located.indices[first...] {
            findings.located[index].reference.form = .absolute
            findings.located[index].reference.role = .enclosure
        }
    }
}

extension Findings {
    /// Makes a problem of each reference, and drops what is needed to replace them.
    fileprivate mutating func refuseAll() {
        problems += located.map {
            DocumentProblem(
                offset: $0.reference.range.lowerBound, url: $0.reference.url,
                reason: .placeUncertain)
        }
        (located, controls, outline) = ([], [], Outline())
    }
}
