/// Finds where the values of a Markdown tree's slots are written.
struct MarkdownLocator {
    let bytes: Bytes
    /// Where the Markdown begins.
    let body: Int
    let rules: HTMLRules
    let slots: [MarkdownSlot]

    /// What was found.
    struct Places {
        var candidates: [MarkdownCandidate]
        /// For each slot, which candidate is where its value is written.
        var candidateOfSlot: [Int?]
        /// The candidates whose URL a link has, too.
        var linked: Set<Int>

        /// For how many slots there is a place.
        var placeCount: Int { candidateOfSlot.count { $0 != nil } }
    }

    /// Puts tokens around the candidates and lets cmark say which of them are images.
    ///
    /// - Returns: nil if that changes what is an image and what is not, so that the slots cannot be
    ///   told from one another.
    func places() -> Places? {
        let all = candidates()
        let marks = TokenMarks(unusedIn: bytes)
        let hasAttributes = all.contains { !$0.kind.isDestination }
        let doubtful = hasAttributes ? EnclosingRanges(scanner, all).overrun(by: all) : []
        guard !doubtful.isEmpty else { return places(of: all, marks) }
        let plain = all.indices.filter { !doubtful.contains($0) }.map { all[$0] }
        guard let walk = walk(plain, marks) else { return nil }
        let first = places(of: plain, in: walk, marks)
        if let first, isComplete(first) { return first }
        // Some of them are values after all. Only those that overrun what is known to be one are not.
        let known = EnclosingRanges(confirmed(in: walk, marks).map { plain[$0] })
        let refuted = known.overrun(by: all)
        let rest = all.indices.filter { !refuted.contains($0) }.map { all[$0] }
        let second = places(of: rest, marks)
        return [second, first].compactMap(\.self).max { $0.placeCount < $1.placeCount }
    }

    /// The places of the slots among `all`, of which some may have to be left out.
    private func places(of all: [MarkdownCandidate], _ marks: TokenMarks) -> Places? {
        guard let first = walk(all, marks) else { return nil }
        if let places = places(of: all, in: first, marks) { return places }
        // A token was put where it means something. So leave out those that did not come back as
        // the URL of an image and stand in the midst of other markup; at last, all that did not.
        let isConfirmed = confirmed(in: first, marks)
        let likely = all.indices.filter { isConfirmed.contains($0) || !mayDisturb(all[$0]) }
            .map { all[$0] }
        guard let second = walk(likely, marks) else { return nil }
        if let places = places(of: likely, in: second, marks) { return places }
        let sure = confirmed(in: second, marks).sorted().map { likely[$0] }
        guard sure.count < likely.count, let third = walk(sure, marks) else { return nil }
        return places(of: sure, in: third, marks)
    }

    /// Whether every value that can stand anywhere was found.
    private func isComplete(_ places: Places) -> Bool {
        zip(slots, places.candidateOfSlot).allSatisfy { $0.value.isEmpty || $1 != nil }
    }

    /// The candidates that came back as the value of a slot.
    private func confirmed(in walk: MarkdownWalk, _ marks: TokenMarks) -> Set<Int> {
        Set(walk.slots.compactMap { marks.read($0.value).candidate })
    }

    private func mayDisturb(_ candidate: MarkdownCandidate) -> Bool {
        // What runs on over a line is seldom the value that it was taken for.
        !candidate.kind.isDestination && bytes[candidate.range].contains(where: \.isLineEnd)
            || candidate.isAngled && isMarkup(at: candidate.range.lowerBound)
            || bytes[candidate.range].contains { byte in
                switch byte {
                case .less, .greater, UInt8(ascii: "`"): true
                case .openBracket, .closeBracket, .openParenthesis: candidate.kind.isDestination
                default: false
                }
            }
    }

    /// Whether what stands in `<…>` is read otherwise, as HTML, with a token at its beginning.
    private func isMarkup(at start: Int) -> Bool {
        switch bytes[start] {
        case .exclamation, .question, .slash: return true
        default: break
        }
        var end = start
        while end < bytes.count, bytes[end].isASCIIAlphanumeric { end += 1 }
        return RawText.name(bytes, start..<end) != nil
            || bytes.matches("img", at: start) || bytes.matches("source", at: start)
    }

    private func walk(_ candidates: [MarkdownCandidate], _ marks: TokenMarks) -> MarkdownWalk? {
        insertTokens(marks, around: candidates)
            .withUnsafeBufferPointer { MarkdownWalk(parsing: $0, rules: rules, tokens: marks) }
    }

    private var scanner: ValueScanner { ValueScanner(bytes: bytes, body: body, rules: rules) }

    private func candidates() -> [MarkdownCandidate] {
        let urls = WantedValues(slots.filter(\.isDestination))
        let values = WantedValues(slots.filter { !$0.isDestination && !$0.isText })
        let texts = WantedValues(slots.filter(\.isText))
        var result: [MarkdownCandidate] = []
        if !urls.isEmpty {
            result = DestinationScanner(bytes: bytes, body: body)
                .candidates { urls.mayContain(bytes[$0]) }
        }
        if !values.isEmpty {
            result += scanner.attributes { values.mayContain(bytes[$0]) }
        }
        if !texts.isEmpty {
            result += scanner.texts { texts.mayContain(bytes[$0]) }
        }
        return result
    }

    private func places(
        of candidates: [MarkdownCandidate], in walk: MarkdownWalk, _ marks: TokenMarks
    ) -> Places? {
        guard walk.slots.count == slots.count else { return nil }
        var result = Places(candidates: candidates, candidateOfSlot: [], linked: [])
        for (slot, tokened) in zip(slots, walk.slots) {
            let reading = marks.read(tokened.value)
            guard slot.content == tokened.content, reading.text == slot.value else { return nil }
            let fits = reading.candidate.map {
                candidates.indices.contains($0)
                    && candidates[$0].kind.isDestination == slot.isDestination
            }
            result.candidateOfSlot.append(fits == true ? reading.candidate : nil)
        }
        result.linked = Set(walk.tokenedLinks.compactMap { marks.read($0).candidate })
        return result
    }

    /// The Markdown with tokens before and after each candidate.
    private func insertTokens(
        _ marks: TokenMarks, around candidates: [MarkdownCandidate]
    ) -> [UInt8] {
        var insertions: [(offset: Int, start: Int?)] = []
        insertions.reserveCapacity(candidates.count * 2)
        for (index, candidate) in candidates.enumerated() {
            insertions.append((candidate.range.lowerBound, index))
            insertions.append((candidate.range.upperBound, nil))
        }
        insertions.sort { $0.offset < $1.offset }
        let end = marks.end
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count - body + insertions.count * 8)
        var copied = body
        for insertion in insertions {
            text += bytes[copied..<insertion.offset]
            text += insertion.start.map(marks.start) ?? end
            copied = insertion.offset
        }
        text += bytes[copied...]
        return text
    }
}

/// A quick sieve for candidates: values that a tree has.
private struct WantedValues {
    private var values: Set<[UInt8]> = []
    private var longest = 0

    var isEmpty: Bool { values.isEmpty }

    init(_ slots: [MarkdownSlot]) {
        for slot in slots where !slot.value.isEmpty {
            values.insert(slot.value)
            longest = max(longest, slot.value.count)
        }
    }

    /// Whether a text can read as one of the values; not only if it is equal to one, but also if it
    /// has anything that a parser reads as something else.
    func mayContain(_ text: Slice<Bytes>) -> Bool {
        if text.contains(where: Self.isReadAsOther) { return true }
        return text.count <= longest && values.contains(Array(text))
    }

    private static func isReadAsOther(_ byte: UInt8) -> Bool {
        byte == .ampersand || byte == .backslash || byte == 0 || byte.isLineEnd
    }
}
