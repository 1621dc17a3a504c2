import DocumentSyntax
internal import Glibc

/// Finds the ranges of slots in a Markdown document.
///
/// cmark does not report where a URL is, so candidates are searched in the text. If each URL has as
/// many candidates as slots, and no escapes, these are the places. Otherwise tokens stand around
/// the candidates, and the tree of that text tells which of them are values.
struct MarkdownLocator {
    let bytes: UnsafeBytes
    /// The offset at which the Markdown begins.
    let body: Int
    let rules: HTMLRules
    let slots: [MarkdownSlot]

    /// The candidates and the slots that they belong to.
    struct Places {
        var candidates: [MarkdownCandidate]
        /// For each slot, the index of the candidate that is its value.
        var candidateOfSlot: [Int?]
        /// The indices of the candidates that are the URL of a link.
        var linked: Set<Int> = []
        /// Whether the values alone showed the places.
        var isPlain = false
    }

    /// Finds out which of the candidates are images.
    ///
    /// If they do not tell it themselves, cmark does, with tokens around them.
    ///
    /// - Returns: The places; nil if the tokens change which values are images, so that slots
    ///   cannot be matched.
    func places() -> Places? {
        let all = candidates()
        return plainPlaces(all) ?? places(of: all, ProbeTokens(unusedIn: bytes))
    }

    /// The places if each value is written as often as it is read, without escapes; nil if it is not
    /// so.
    ///
    /// Then nothing else is the place of a value, unless the scanners have left the place out and
    /// the value is in code too; a rewrite is verified for that reason.
    private func plainPlaces(_ all: [MarkdownCandidate]) -> Places? {
        // A link that is written as a mere URL has no place of its own.
        if rules.options.readsLinks { return nil }
        var slotsOfValue: [[UInt8]: [Int]] = [:]
        var count = 0
        for (slot, value) in slots.map(\.value).enumerated() where !value.isEmpty {
            // Its own place may be no candidate, but one in code.
            if let first = value.first, DestinationScanner.blockSigns.contains(first) { return nil }
            slotsOfValue[value, default: []].append(slot)
            count += 1
        }
        guard count == all.count else { return nil }
        // Footnotes are last in the tree. The URL of a link or an image around another one is first
        // in the tree and last in the text.
        lazy var hasOrder = !bytes.containsExactly("[^")
        var places = Places(
            candidates: all.inOrder { $0.range.lowerBound < $1.range.lowerBound },
            candidateOfSlot: Array(repeating: nil, count: slots.count), isPlain: true)
        // The number of places that each value has so far.
        var used: [[UInt8]: Int] = [:]
        for (index, candidate) in places.candidates.enumerated() {
            if case .definition = candidate.kind { return nil }
            let value = bytes.copy(candidate.range)
            let number = used[value, default: 0]
            used[value] = number + 1
            guard let found = slotsOfValue[value], number < found.count,
                slots[found[number]].isDestination == candidate.kind.isDestination,
                found.count == 1 || !candidate.kind.isDestination && hasOrder
            else { return nil }
            places.candidateOfSlot[found[number]] = index
        }
        return places
    }

    /// The places of the slots among `all`.
    ///
    /// Some candidates may have to be dropped.
    private func places(of all: [MarkdownCandidate], _ tokens: ProbeTokens) -> Places? {
        guard let first = walk(all, tokens) else { return nil }
        if let places = places(of: all, in: first, tokens) { return places }
        // A token changed the meaning of the text. First drop the candidates that are not confirmed
        // and are next to other markup, then all that are not confirmed.
        let confirmedIndices = confirmed(in: first, tokens)
        let likely = all.indices.filter { confirmedIndices.contains($0) || !mayDisturb(all[$0]) }
            .map { all[$0] }
        guard let second = walk(likely, tokens) else { return nil }
        if let places = places(of: likely, in: second, tokens) { return places }
        let sure = confirmed(in: second, tokens).sorted().map { likely[$0] }
        guard sure.count < likely.count, let third = walk(sure, tokens) else { return nil }
        return places(of: sure, in: third, tokens)
    }

    /// The candidates that are the value of a slot.
    private func confirmed(in walk: MarkdownWalk, _ tokens: ProbeTokens) -> Set<Int> {
        Set(walk.slots.compactMap { tokens.read($0.value).candidate })
    }

    private func mayDisturb(_ candidate: MarkdownCandidate) -> Bool {
        // A candidate that spans lines is seldom the value it looks like.
        !candidate.kind.isDestination && bytes[candidate.range].contains(where: \.isLineEnd)
            || overrunsValue(candidate)
            || candidate.isAngled && isMarkup(at: candidate.range.lowerBound)
            || bytes[candidate.range].contains { byte in
                switch byte {
                case .less, .greater, UInt8(ascii: "`"): true
                case .openBracket, .closeBracket, .openParenthesis: candidate.kind.isDestination
                default: false
                }
            }
    }

    /// Whether a candidate without quotation marks most likely begins in a value and ends after it.
    ///
    /// In `src="a?style=b&c"`, the text after `style=` looks like a value too, and a token at its end
    /// would break the tag.
    private func overrunsValue(_ candidate: MarkdownCandidate) -> Bool {
        guard case .attribute = candidate.kind, candidate.range.lowerBound > 0 else { return false }
        return QuotationMarks(bytes[candidate.range.lowerBound - 1]) == .none
            && bytes[candidate.range].contains { QuotationMarks($0) != .none }
    }

    /// Whether a text in `<…>` is parsed as HTML, which a token at its beginning would prevent.
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

    private func walk(_ candidates: [MarkdownCandidate], _ tokens: ProbeTokens) -> MarkdownWalk? {
        insertTokens(tokens, around: candidates)
            .withUnsafeBufferPointer {
                MarkdownWalk(parsing: $0, rules: rules, purpose: .probing(tokens))
            }
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
        of candidates: [MarkdownCandidate], in walk: MarkdownWalk, _ tokens: ProbeTokens
    ) -> Places? {
        guard walk.slots.count == slots.count else { return nil }
        var result = Places(candidates: candidates, candidateOfSlot: [])
        for (slot, tokened) in zip(slots, walk.slots) {
            let reading = tokens.read(tokened.value)
            guard slot.content == tokened.content, reading.text == slot.value else { return nil }
            let fits = reading.candidate.map {
                candidates.indices.contains($0)
                    && candidates[$0].kind.isDestination == slot.isDestination
            }
            result.candidateOfSlot.append(fits == true ? reading.candidate : nil)
        }
        result.linked = Set(walk.tokenedLinks.compactMap { tokens.read($0).candidate })
        return result
    }

    /// The Markdown with tokens before and after each candidate.
    private func insertTokens(
        _ tokens: ProbeTokens, around candidates: [MarkdownCandidate]
    ) -> [UInt8] {
        var insertions: [(offset: Int, start: Int?)] = []
        insertions.reserveCapacity(candidates.count * 2)
        for (index, candidate) in candidates.enumerated() {
            insertions.append((candidate.range.lowerBound, index))
            insertions.append((candidate.range.upperBound, nil))
        }
        insertions.sort { $0.offset < $1.offset }
        let end = tokens.end
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count - body + insertions.count * 8)
        var copied = body
        for insertion in insertions {
            text += bytes[copied..<insertion.offset]
            text += insertion.start.map(tokens.start) ?? end
            copied = insertion.offset
        }
        text += bytes[copied...]
        return text
    }
}

/// A set of the tree's values, which filters candidates quickly.
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

    /// Whether a text can decode to one of the values.
    ///
    /// This is so if it equals one, or if it contains anything that a parser decodes.
    func mayContain(_ text: Slice<UnsafeBytes>) -> Bool {
        if text.contains(where: Self.isReadAsOther) { return true }
        return text.count <= longest && values.contains(Array(text))
    }

    private static func isReadAsOther(_ byte: UInt8) -> Bool {
        byte == .ampersand || byte == .backslash || byte < .space && byte != .tab
    }
}

/// Tokens that are inserted around candidates in a text to find out how the parser reads them.
///
/// A token consists of letters and digits, so it does not change the meaning of the text around a
/// URL. It begins with a prefix that does not occur in the text.
struct ProbeTokens {
    private let prefix: [UInt8]

    init(unusedIn text: UnsafeBytes) {
        // No suffix of the prefix is also its beginning, so a token next to the text cannot form
        // another prefix.
        let used = Self.prefixes(in: text)
        var prefix = Array("zqj".utf8)
        var suffix = 0
        while used.contains(prefix) {
            prefix = Array("zq\(suffix)j".utf8)
            suffix += 1
        }
        self.prefix = prefix
    }

    /// The possible prefixes that occur in the text.
    private static func prefixes(in text: UnsafeBytes) -> Set<[UInt8]> {
        var result: Set<[UInt8]> = []
        for start in text.places(of: UInt8(ascii: "z")) {
            guard start + 1 < text.count, text[start + 1] == UInt8(ascii: "q") else { continue }
            var end = start + 2
            while end < text.count, text[end].isASCIIDigit { end += 1 }
            guard end < text.count, text[end] == UInt8(ascii: "j") else { continue }
            // The unused prefix always has fewer digits than this.
            if end - start < 20 { result.insert(text.copy(start..<end + 1)) }
        }
        return result
    }

    /// The token before the candidate with this index.
    func start(_ index: Int) -> [UInt8] { prefix + "\(index)".utf8 + [UInt8(ascii: "s")] }

    /// The token after a candidate.
    var end: [UInt8] { prefix + [UInt8(ascii: "e")] }

    /// Whether a C string begins with a token.
    func isPrefix(of text: UnsafePointer<CChar>) -> Bool {
        strncmp(text, prefix.map(CChar.init(bitPattern:)), prefix.count) == 0
    }

    /// The indices of the candidates whose first token is in a text.
    func numbers(in text: UnsafeBytes) -> [Int] {
        var result: [Int] = []
        for start in text.places(of: prefix[0]) {
            guard text[start...].starts(with: prefix) else { continue }
            let digits = text[(start + prefix.count)...].prefix(while: \.isASCIIDigit)
            let isStart = digits.endIndex < text.count && text[digits.endIndex] == UInt8(ascii: "s")
            if isStart, let number = Int(String(decoding: digits, as: UTF8.self)) {
                result.append(number)
            }
        }
        return result
    }

    /// A parsed value with its tokens removed.
    struct Reading {
        /// The index of the candidate that is the whole value.
        var candidate: Int?
        /// The value without tokens.
        var text: [UInt8]
    }

    func read(_ value: [UInt8]) -> Reading {
        var text: [UInt8] = []
        text.reserveCapacity(value.count)
        var first: Int?
        var endsWithToken = false
        var index = 0
        while index < value.count {
            endsWithToken = false
            guard value[index] == prefix[0], value[index...].starts(with: prefix) else {
                text.append(value[index])
                index += 1
                continue
            }
            let isFirst = index == 0
            index += prefix.count
            var number = 0
            while index < value.count, value[index].isASCIIDigit {
                number = number &* 10 &+ Int(value[index] - 0x30)
                index += 1
            }
            guard index < value.count else { break }
            let isStart = value[index] == UInt8(ascii: "s")
            endsWithToken = !isStart
            if isFirst, isStart { first = number }
            index += 1
        }
        return Reading(candidate: endsWithToken ? first : nil, text: text)
    }
}
