import DocumentSyntax

/// Combines the slots of a Markdown tree with their places in the document.
struct MarkdownFindings {
    private let bytes: UnsafeBytes
    private let walk: MarkdownWalk
    private let pieces: [[HTMLPiece]]
    private let outline: Outline
    private let places: MarkdownLocator.Places?
    /// The slots that use each definition, by the definition's candidate index.
    private var slotsOfDefinition: [Int: [Int]] = [:]
    /// The uses by images of the definitions that links use too, by the slots of the images.
    var uses: [Int: Range<Int>] = [:]

    private var found: [LocatedReference] = []
    private var controls: [LocatedControl] = []
    /// The refused slots, with the reasons.
    private var refused: [(slot: Int, reason: DocumentProblem.Reason)] = []

    init(
        bytes: UnsafeBytes, walk: MarkdownWalk, pieces: [[HTMLPiece]], outline: Outline,
        places: MarkdownLocator.Places?
    ) {
        self.bytes = bytes
        self.walk = walk
        self.pieces = pieces
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

    private var slots: [MarkdownSlot] { walk.slots }

    /// Whether something that must keep its URL uses the definition: a link, or an image for which
    /// imgbake is off.
    private func isShared(_ definition: Int) -> Bool {
        places?.linked.contains(definition) == true
            || slotsOfDefinition[definition]?.contains { slots[$0].isOff } == true
    }

    /// The labels of the definitions that both an image and a link use.
    var sharedLabels: [Range<Int>] {
        slotsOfDefinition.keys.filter(isShared).compactMap { index in
            guard case .definition(let label)? = places?.candidates[index].kind else { return nil }
            return label
        }
    }

    consuming func findings() -> Findings {
        addControls()
        for slot in slots.indices where isWanted(slot) { add(slot) }
        for candidate in slotsOfDefinition.keys { addDefinition(candidate) }
        var findings = Findings()
        findings.located = found
        findings.problems = problems()
        findings.outline = outline
        findings.controls = controls
        return findings
    }

    private func isWanted(_ slot: Int) -> Bool {
        let isOff = slots[slot].isOff || slots[slot].control.map { walk.controls[$0].isOff } == true
        return !isOff && !pieces[slot].isEmpty
    }

    private mutating func add(_ slot: Int) {
        guard let places, let index = places.candidateOfSlot[slot] else {
            // A link such as `<https://h/a.png>` shows its URL, so it is left unchanged.
            return slots[slot].content == .link ? () : refuse(slot, .placeUncertain)
        }
        let candidate = places.candidates[index]
        switch (candidate.kind, slots[slot].content) {
        case (.definition, _): return
        case (.inline, _):
            let notation = Notation(.destination(angled: candidate.isAngled))
            let isLink = slots[slot].content == .link
            add([slot], candidate.range, isLink ? .markdownLink : .markdownImage, notation)
        case (.attribute, _), (.text, _): addHTML(slot, candidate)
        }
    }

    /// Locates the attributes of all controls.
    private mutating func addControls() {
        var own = [[Int]](repeating: [], count: walk.controls.count)
        for (slot, value) in slots.enumerated() where value.isControl {
            if let control = value.control { own[control].append(slot) }
        }
        for index in own.indices { addControl(index, slots: own[index]) }
    }

    private mutating func addControl(_ index: Int, slots own: [Int]) {
        var control = LocatedControl(control: walk.controls[index], ranges: nil, slots: own)
        let ranges = own.map { slot in
            places?.candidateOfSlot[slot].flatMap { placeOfAttribute($0) }
        }
        let isFixed = walk.fixedControls.contains(index)
        if !isFixed, ranges.allSatisfy({ $0 != nil }) { control.ranges = ranges.compactMap(\.self) }
        control.control.offset = ranges.compactMap { $0?.lowerBound }.min() ?? 0
        controls.append(control)
    }

    private func placeOfAttribute(_ candidate: Int) -> Range<Int>? {
        guard let range = places?.candidates[candidate].range else { return nil }
        return ValueScanner(bytes: bytes, body: 0, rules: HTMLRules()).attribute(of: range)
    }

    private mutating func addDefinition(_ index: Int) {
        guard let places, let slotsOfOne = slotsOfDefinition[index] else { return }
        let candidate = places.candidates[index]
        let notation = Notation(.destination(angled: candidate.isAngled))
        let wanted = slotsOfOne.filter(isWanted)
        guard isShared(index) else {
            return add(wanted, candidate.range, .markdownDefinition, notation)
        }
        let known = wanted.filter { uses[$0] != nil }
        for slot in wanted where uses[slot] == nil { refuse(slot, .placeUncertain) }
        guard !known.isEmpty else { return }
        add(
            known, candidate.range, .markdownDefinition, notation,
            uses: known.compactMap { slot in
                uses[slot].map {
                    EditPoint.DefinitionUse(range: $0, title: slots[slot].title)
                }
            })
    }

    private mutating func add(
        _ slotsOfOne: [Int], _ range: Range<Int>, _ kind: Reference.Kind, _ notation: Notation,
        uses: [EditPoint.DefinitionUse] = []
    ) {
        guard let first = slotsOfOne.first else { return }
        guard let url = String(utf8: slots[first].value) else {
            return refuse(first, .urlNotUTF8)
        }
        let others = slotsOfOne.dropFirst().map { Outline.PieceIndex(slot: $0, piece: 0) }
        var reference = Reference(
            range: range, kind: kind, url: url,
            isGuess: slotsOfOne.allSatisfy { slots[$0].content == .link })
        reference.shown.alt = slots[first].alt
        found.append(
            LocatedReference(
                reference: reference,
                editPoint: EditPoint(
                    notation: notation, piece: Outline.PieceIndex(slot: first, piece: 0),
                    otherPieces: others, uses: uses)))
    }

    private mutating func addHTML(_ slot: Int, _ candidate: MarkdownCandidate) {
        guard let alignment = SourceAlignment(bytes, candidate.range, value: slots[slot].value)
        else {
            return refuse(slot, .placeUncertain)
        }
        guard String(utf8: slots[slot].value) != nil else {
            return refuse(slot, .urlNotUTF8)
        }
        var pieces = pieces[slot]
        for index in pieces.indices {
            pieces[index].place = alignment.sourceRange(pieces[index].piece.range)
            pieces[index].slotLayers = pieces[index].notation.layers.count
        }
        let located = LocatedPieces(
            pieces, of: slots[slot].value, slot: slot, control: slots[slot].control)
        found += located.references.map {
            var one = $0
            one.reference.fixed.formUnion(slots[slot].fixed)
            // A tag that is moved onto one line may begin an HTML block.
            if let range = one.editPoint.removal, bytes[range].contains(where: \.isLineEnd) {
                (one.reference.isRemovable, one.editPoint.removal) = (false, nil)
            }
            return one
        }
    }

    private mutating func refuse(_ slot: Int, _ reason: DocumentProblem.Reason) {
        refused.append((slot, reason))
    }

    private func problems() -> [DocumentProblem] {
        guard !refused.isEmpty else { return [] }
        let starts = lineStarts(in: bytes, lines: Set(refused.map { outline.slots[$0.slot].line }))
        return refused.flatMap { slot, reason in
            pieces[slot].filter { $0.claim == nil }.map {
                DocumentProblem(
                    offset: starts[outline.slots[slot].line] ?? 0,
                    url: $0.piece.url(in: slots[slot].value), reason: reason)
            }
        }
    }
}

/// A mapping from the bytes of a value in cmark's tree to the document.
///
/// cmark omits container prefixes at the beginning of lines. Where it changes more, as in `\\|` in a
/// table, the places are not known.
struct SourceAlignment {
    /// The start of each line of the value, and its distance from there in the document.
    private var lines: [(start: Int, distance: Int)] = []

    /// - Returns: nil if `range` of the document does not parse as `value`.
    init?(_ bytes: UnsafeBytes, _ range: Range<Int>, value: [UInt8]) {
        let written = bytes[range].split(separator: .lineFeed, omittingEmptySubsequences: false)
        let read = value.split(separator: .lineFeed, omittingEmptySubsequences: false)
        guard written.count == read.count else { return nil }
        for (line, text) in zip(written, read) {
            let prefix = line.count - text.count
            guard prefix >= 0, prefix == 0 || !lines.isEmpty,
                line.prefix(prefix).allSatisfy({ $0 == .space || $0 == .tab || $0 == .greater }),
                line.dropFirst(prefix).elementsEqual(text)
            else { return nil }
            lines.append((text.startIndex, line.startIndex + prefix - text.startIndex))
        }
    }

    /// The range in the document for `range` of the value.
    func sourceRange(_ range: Range<Int>) -> Range<Int> {
        let start = place(of: range.lowerBound)
        return start..<(range.isEmpty ? start : place(of: range.upperBound - 1) + 1)
    }

    private func place(of offset: Int) -> Int {
        let next = lines.firstSortedIndex { $0.start > offset }
        return offset + lines[next - 1].distance
    }
}
