/// Puts together what a Markdown tree holds and where that is written.
struct MarkdownFindings {
    private let bytes: Bytes
    private let slots: [MarkdownSlot]
    private let outline: Outline
    private let places: MarkdownLocator.Places?
    /// The slots that take their URL from each definition, by candidate.
    private var slotsOfDefinition: [Int: [Int]] = [:]
    /// For each slot, where its image uses a definition that a link uses too.
    var uses: [Int: Range<Int>] = [:]

    private var found: [Located] = []
    /// The slots that stay, with the reason.
    private var refused: [(slot: Int, reason: Refusal.Reason)] = []

    init(
        bytes: Bytes, slots: [MarkdownSlot], outline: Outline, places: MarkdownLocator.Places?
    ) {
        self.bytes = bytes
        self.slots = slots
        self.outline = outline
        self.places = places
        guard let places else { return }
        for (slot, candidate) in places.candidateOfSlot.enumerated() {
            guard let candidate, case .definition = places.candidates[candidate].kind else {
                continue
            }
            slotsOfDefinition[candidate, default: []].append(slot)
        }
    }

    private var sharedDefinitions: [Int] {
        guard let linked = places?.linked else { return [] }
        return slotsOfDefinition.keys.filter(linked.contains)
    }

    var hasSharedDefinitions: Bool { !sharedDefinitions.isEmpty }

    /// The labels of the definitions that an image and a link use.
    var sharedLabels: [Range<Int>] {
        sharedDefinitions.compactMap { index in
            guard case .definition(let label)? = places?.candidates[index].kind else { return nil }
            return label
        }
    }

    consuming func extraction() -> Extraction {
        for slot in slots.indices where !slots[slot].value.isEmpty { add(slot) }
        for candidate in slotsOfDefinition.keys { addDefinition(candidate) }
        return Extraction(
            kind: .markdown, byteCount: bytes.count, found: found, refusals: refusals(),
            outline: outline)
    }

    private mutating func add(_ slot: Int) {
        guard let places, let index = places.candidateOfSlot[slot] else {
            return refuse(slot, .placeUncertain)
        }
        let candidate = places.candidates[index]
        switch (candidate.kind, slots[slot].content) {
        case (.definition, _): return
        case (.attribute, .attribute(let element, let attribute, let quote)):
            addAttribute(slot, candidate, element, attribute, quote)
        default:
            let notation = Notation.destination(angled: candidate.isAngled)
            add([slot], candidate.range, .markdownImage, notation)
        }
    }

    private mutating func addDefinition(_ index: Int) {
        guard let places, let slotsOfOne = slotsOfDefinition[index] else { return }
        let candidate = places.candidates[index]
        let notation = Notation.destination(angled: candidate.isAngled)
        guard places.linked.contains(index) else {
            return add(slotsOfOne, candidate.range, .markdownDefinition, notation)
        }
        let known = slotsOfOne.filter { uses[$0] != nil }
        for slot in slotsOfOne where uses[slot] == nil { refuse(slot, .placeUncertain) }
        guard !known.isEmpty else { return }
        add(
            known, candidate.range, .markdownDefinition, notation,
            uses: known.compactMap { slot in
                uses[slot].map { Site.Use(range: $0, title: slots[slot].title) }
            })
    }

    private mutating func add(
        _ slotsOfOne: [Int], _ range: Range<Int>, _ kind: Reference.Kind, _ notation: Notation,
        uses: [Site.Use] = []
    ) {
        guard let first = slotsOfOne.first else { return }
        guard let url = String(validating: slots[first].value, as: UTF8.self) else {
            return refuse(first, .urlNotUTF8)
        }
        let pieces = slotsOfOne.map { Outline.PieceIndex(slot: $0, piece: 0) }
        found.append(
            Located(
                reference: Reference(range: range, kind: kind, url: url),
                site: Site(notation: notation, slotText: .url, pieces: pieces, uses: uses)))
    }

    private mutating func addAttribute(
        _ slot: Int, _ candidate: MarkdownCandidate, _ element: String, _ attribute: String,
        _ quote: Notation.Quote
    ) {
        let isSrcset = attribute == "srcset"
        guard let alignment = SourceAlignment(bytes, candidate.range, value: slots[slot].value)
        else {
            return refuse(slot, .placeUncertain)
        }
        guard String(validating: slots[slot].value, as: UTF8.self) != nil else {
            return refuse(slot, .urlNotUTF8)
        }
        for (index, piece) in outline.slots[slot].pieces.enumerated() {
            found.append(
                Located(
                    reference: Reference(
                        range: alignment.sourceRange(piece.range),
                        kind: isSrcset
                            ? .srcset(element: element)
                            : .htmlAttribute(element: element, attribute: attribute),
                        url: piece.url),
                    site: Site(
                        notation: isSrcset ? .srcset(quote) : .attribute(quote),
                        slotText: .source,
                        pieces: [Outline.PieceIndex(slot: slot, piece: index)])))
        }
    }

    private mutating func refuse(_ slot: Int, _ reason: Refusal.Reason) {
        refused.append((slot, reason))
    }

    private func refusals() -> [Refusal] {
        guard !refused.isEmpty else { return [] }
        let starts = lineStarts(in: bytes, lines: Set(refused.map { outline.slots[$0.slot].line }))
        return refused.map { slot, reason in
            Refusal(
                offset: starts[outline.slots[slot].line] ?? 0,
                url: String(validating: slots[slot].value, as: UTF8.self), reason: reason)
        }
    }
}

/// Where each of `lines` begins, counted from 1.
private func lineStarts(in bytes: Bytes, lines: Set<Int>) -> [Int: Int] {
    var result = lines.contains(1) ? [1: 0] : [:]
    var line = 1
    for (index, byte) in bytes.enumerated() where byte.isLineEnd {
        if byte == .carriageReturn, index + 1 < bytes.count, bytes[index + 1] == .lineFeed {
            continue
        }
        line += 1
        if lines.contains(line) { result[line] = index + 1 }
    }
    return result
}
