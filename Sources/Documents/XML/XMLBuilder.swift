/// Collects the findings of an XML document in document order.
struct XMLBuilder {
    private(set) var findings = Findings()
    private let bytes: UnsafeBytes
    private var hasher = OutlineHasher()
    /// The end of the part that is already hashed or in a slot.
    private var hashed = 0
    private var lines: LineCounter
    /// Whether the outline gets blocks, and not parts.
    let hashesText: Bool
    private var texts: [TextPart] = []

    init(_ bytes: UnsafeBytes, hashesText: Bool) {
        self.bytes = bytes
        self.hashesText = hashesText
        lines = LineCounter(bytes)
    }

    consuming func finish(base: (href: String, offset: Int)?) -> Findings {
        if hashesText {
            hasher.combine(bytes[hashed...])
            findings.outline.blocks += hasher.finish()
        } else {
            findings.outline.parts = .texts(texts)
        }
        findings.baseHref = base?.href
        findings.baseOffset = base?.offset
        return findings
    }

    /// Hashes the bytes before `range`, which is part of a slot.
    private mutating func skip(_ range: Range<Int>) {
        guard range.lowerBound >= hashed else { return }
        if hashesText { hasher.combine(bytes[hashed..<range.lowerBound]) }
        hashed = range.upperBound
    }

    /// Adds a text with slots that is verified alone, if it is written in one place.
    private mutating func addPart(
        _ sources: [XMLText.Source], isAttribute: Bool, _ html: [HTMLPart]?
    ) {
        guard let source = sources.first, sources.count == 1,
            source.range.lowerBound >= texts.last?.range.upperBound ?? 0
        else { return }
        texts.append(
            TextPart(
                range: source.range,
                place: isAttribute ? .xmlAttribute : source.isEscaped ? .xmlText : .cdata,
                html: html, firstSlot: findings.outline.slots.count))
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
    /// - Returns: The located pieces. Their references must be added to ``findings`` by
    ///   ``add(_:)``.
    mutating func locate(
        _ text: XMLText, _ pieces: [HTMLPiece], in value: HTMLValue? = nil, isAttribute: Bool,
        control: Int?
    ) -> LocatedPieces? {
        guard !pieces.isEmpty else { return nil }
        let slot = findings.outline.slots.count
        let isOff = control.map { findings.controls[$0].control.isOff } == true
        var pieces = pieces
        for (number, piece) in pieces.enumerated() {
            guard !text.hasUnknownEntity, piece.isUTF8,
                let place = text.place(of: piece.piece.range)
            else {
                if !isOff, piece.claim == nil { refuse(text, piece) }
                continue
            }
            skip(place.range)
            hasher.beginBlock(line: lines.line(at: hashed))
            pieces[number].place = isOff ? nil : place.range
            pieces[number].slotLayers = value?.slotLayers(of: piece.notation) ?? 0
            if !isAttribute, place.isEscaped { pieces[number].notation.layers.append(.text) }
            // The text between two candidates is hashed, so it must not change.
            pieces[number].isRemovable = false
        }
        // Whether an element names an image depends on its claims.
        if value == nil, pieces[0].claim == nil, !text.hasUnknownEntity {
            addPart(text.sources, isAttribute: isAttribute, nil)
        }
        findings.outline.slots.append(
            Outline.Slot(
                value: text.decoded, pieces: pieces.map(\.piece), line: lines.line(at: hashed)))
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
                offset: text.place(of: piece.piece.range.lowerBound),
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
        // The hash contains no mark of the attribute, because the attribute may be removed.
        skip(range)
        findings.controls[control].ranges?.append(range)
        findings.controls[control].slots.append(findings.outline.slots.count)
        findings.outline.slots.append(
            Outline.Slot(
                value: bytes.copy(attribute.value), pieces: [], line: lines.line(at: hashed)))
    }

    /// Adds the findings of a text that contains HTML.
    ///
    /// - Parameters:
    ///   - part: The findings, with offsets in the decoded text.
    ///   - text: The text.
    ///   - sources: The ranges of the text in the document.
    mutating func embed(
        _ part: consuming Findings, in text: XMLText, writtenAt sources: [XMLText.Source]
    ) {
        if sources.count > 1 { Self.refuseSplit(&part, in: text) }
        // A text that is refused as a whole has no outline.
        if !part.outline.blocks.isEmpty {
            for source in sources { skip(source.range) }
        }
        let line = lines.line(at: hashed)
        for index in part.outline.slots.indices { part.outline.slots[index].line = line }
        for index in part.outline.blocks.indices { part.outline.blocks[index].line = line }
        if case .html(let parts)? = part.outline.parts {
            addPart(sources, isAttribute: false, parts)
        }
        let first = findings.located.count
        findings.embed(part) { range in
            if let place = text.place(of: range) { return place.range }
            let offset = text.place(of: range.lowerBound)
            return offset..<offset
        }
        for index in part.located.indices {
            findings.located[first + index].reference.form = .absolute
            findings.located[first + index].reference.role = .enclosure
            if text.place(of: part.located[index].reference.range)?.isEscaped == true {
                findings.located[first + index].editPoint.notation.layers.append(.text)
            }
        }
    }
    /// Refuses what is split across several parts of the source.
    private static func refuseSplit(_ part: inout Findings, in text: XMLText) {
        func isSplit(_ range: Range<Int>) -> Bool { text.place(of: range) == nil }
        part.problems += part.located.filter { isSplit($0.reference.range) }.map {
            DocumentProblem(
                offset: $0.reference.range.lowerBound, url: $0.reference.url,
                reason: .placeUncertain)
        }
        part.located.removeAll { isSplit($0.reference.range) }
        for index in part.located.indices { part.located[index].removeClaims(where: isSplit) }
        for index in part.controls.indices
        where part.controls[index].ranges?.contains(where: isSplit) == true {
            part.controls[index].ranges = nil
        }
    }
}
