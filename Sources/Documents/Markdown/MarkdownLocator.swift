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
    }

    /// Puts tokens around the candidates and lets cmark say which of them are images.
    ///
    /// - Returns: nil if that changes what is an image and what is not, so that the slots cannot be
    ///   told from one another.
    func places() -> Places? {
        let all = candidates()
        let marks = TokenMarks(unusedIn: bytes)
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

    /// The candidates that came back as the value of a slot.
    private func confirmed(in walk: MarkdownWalk, _ marks: TokenMarks) -> Set<Int> {
        Set(walk.slots.compactMap { marks.read($0.value).candidate })
    }

    private func mayDisturb(_ candidate: MarkdownCandidate) -> Bool {
        // What runs on over a line is seldom the value that it was taken for.
        candidate.kind.isHTML && bytes[candidate.range].contains(where: \.isLineEnd)
            || candidate.isAngled && isMarkup(at: candidate.range.lowerBound)
            || bytes[candidate.range].contains { byte in
                switch byte {
                case .less, .greater, UInt8(ascii: "`"): true
                case .openBracket, .closeBracket, .openParenthesis: !candidate.kind.isHTML
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

    private func candidates() -> [MarkdownCandidate] {
        let urls = WantedValues(slots.filter(\.isImage))
        let values = WantedValues(slots.filter { !$0.isImage && !$0.isText })
        let texts = WantedValues(slots.filter(\.isText))
        let scanner = ValueScanner(bytes: bytes, body: body, rules: rules)
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
                candidates.indices.contains($0) && candidates[$0].kind.isHTML != slot.isImage
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

extension MarkdownCandidate.Kind {
    fileprivate var isHTML: Bool {
        switch self {
        case .attribute, .text: true
        case .inline, .definition: false
        }
    }
}
