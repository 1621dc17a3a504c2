import DocumentSyntax

/// Finds the images and links that use a definition: `![alt][label]`, `![label][]` and `![label]`,
/// with or without the `!`.
///
/// This is needed if images and links use the same definition, because then those that are fewer must
/// get their own URL. As with destinations, candidates get tokens and cmark decides what they are.
///
/// The links get their own URL only if all of them are found, as cmark counts them; otherwise the
/// images get it.
struct MarkdownUses {
    let bytes: UnsafeBytes
    /// The offset at which the Markdown begins.
    let body: Int
    let rules: HTMLRules
    let slots: [MarkdownSlot]

    /// The ranges to replace by inline destinations.
    struct Uses {
        /// By the slots of the images; uncertain ones are missing.
        var images: [Int: Range<Int>] = [:]
        /// Of links, by the index of the definition.
        var links: [Int: [Range<Int>]] = [:]
    }

    /// A text that may use a definition.
    private struct Candidate {
        var range: Range<Int>
        /// The index of the definition.
        var definition: Int
    }

    /// Finds the uses of definitions.
    ///
    /// - Parameter labels: The ranges of the definitions' labels, by the indices of the definitions.
    /// - Returns: The uses that are certain.
    func uses(of labels: [Int: Range<Int>]) -> Uses {
        let names = Dictionary(
            labels.map { (bytes.label($1), $0) }, uniquingKeysWith: { min($0, $1) })
        let unclear = unclearBrackets
        let candidates = candidates(naming: names).filter {
            !unclear.contains($0.range.lowerBound - 1)
        }
        let tokens = ProbeTokens(unusedIn: bytes)
        let text = replace(candidates.map(\.range), tokens)
        let walk = text.withUnsafeBufferPointer {
            MarkdownWalk(parsing: $0, rules: rules, purpose: .probing(tokens))
        }
        guard let walk, walk.slots.count == slots.count else { return Uses() }
        var result = Uses()
        for (index, (before, after)) in zip(slots, walk.slots).enumerated() {
            guard before.content == after.content else { return Uses() }
            let reading = tokens.read(after.value)
            if let candidate = reading.candidate, reading.text.isEmpty,
                candidates.indices.contains(candidate)
            {
                result.images[index] = candidates[candidate].range
            } else if before.value != after.value {
                return Uses()
            }
        }
        for url in walk.tokenedLinks {
            let reading = tokens.read(url)
            guard let index = reading.candidate, reading.text.isEmpty,
                candidates.indices.contains(index)
            else { continue }
            result.links[candidates[index].definition, default: []].append(candidates[index].range)
        }
        return result
    }

    /// The last brackets of `[a] [b]`, which is one use if the dialect is loose, and else two.
    private var unclearBrackets: Set<Int> {
        guard rules.options.dialect == nil else { return [] }
        let found = LooseImages.found(in: bytes, body: body)
        return Set(found.flatMap { [$0.range.upperBound - 1, ($0.edits?.first?.offset ?? 0) - 1] })
    }

    private func candidates(naming names: [String: Int]) -> [Candidate] {
        var result: [Candidate] = []
        var open: Int?
        var index = body
        while index < bytes.count {
            switch bytes[index] {
            case .backslash: index += 1
            case .openBracket: open = index
            case .closeBracket:
                if let start = open, let use = use(start, index, names) { result.append(use) }
                open = nil
            default: break
            }
            index += 1
        }
        return result
    }

    /// The use that the innermost brackets at `open` and `close` may be.
    private func use(_ open: Int, _ close: Int, _ names: [String: Int]) -> Candidate? {
        guard close - open <= 1001, let definition = names[bytes.label(open + 1..<close)] else {
            return nil
        }
        return range(open, close).map { Candidate(range: $0, definition: definition) }
    }

    /// The range to replace, if the label in brackets is a full, a collapsed or a short reference.
    private func range(_ open: Int, _ close: Int) -> Range<Int>? {
        let next = close + 1 < bytes.count ? bytes[close + 1] : .space
        if open > body, bytes[open - 1] == .closeBracket { return open..<close + 1 }
        let isImage = open > body && bytes[open - 1] == .exclamation
        // A token would hide that a link leads to an image.
        if !isImage, rules.options.readsLinks { return nil }
        switch next {
        case .openParenthesis, .colon: return nil
        case .openBracket:
            let end = bytes[(close + 2)...].firstIndex { !$0.isMarkdownSpace }
            return end.flatMap { bytes[$0] == .closeBracket ? close + 1..<$0 + 1 : nil }
        default: return close + 1..<close + 1
        }
    }

    private func replace(_ ranges: [Range<Int>], _ tokens: ProbeTokens) -> [UInt8] {
        var text: [UInt8] = []
        var copied = body
        for (index, range) in ranges.enumerated() {
            text += bytes[copied..<range.lowerBound]
            text.append(.openParenthesis)
            text += tokens.start(index)
            text += tokens.end
            text.append(.closeParenthesis)
            copied = range.upperBound
        }
        return text + bytes[copied...]
    }
}
