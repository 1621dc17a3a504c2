import DocumentSyntax

/// Finds the images that use a definition: `![alt][label]`, `![label][]` and `![label]`.
///
/// This is needed if images and links use the same definition, because then the images must get their
/// own URL. As with destinations, candidates get tokens and cmark decides what they are.
struct MarkdownUses {
    let bytes: UnsafeBytes
    /// The offset at which the Markdown begins.
    let body: Int
    let rules: HTMLRules
    let slots: [MarkdownSlot]

    /// Finds the images that use definitions.
    ///
    /// - Parameter labels: The ranges of the definitions' labels.
    /// - Returns: The ranges to replace by inline destinations, by the slots of the images; uncertain
    ///   ones are missing.
    func uses(of labels: [Range<Int>]) -> [Int: Range<Int>] {
        let unclear = unclearBrackets
        let candidates = candidates(naming: Set(labels.map(bytes.label))).filter {
            !unclear.contains($0.lowerBound - 1)
        }
        let tokens = ProbeTokens(unusedIn: bytes)
        let text = replace(candidates, tokens)
        let walk = text.withUnsafeBufferPointer {
            MarkdownWalk(parsing: $0, rules: rules, purpose: .probing(tokens))
        }
        guard let walk, walk.slots.count == slots.count else { return [:] }
        var result: [Int: Range<Int>] = [:]
        for (index, (before, after)) in zip(slots, walk.slots).enumerated() {
            guard before.content == after.content else { return [:] }
            let reading = tokens.read(after.value)
            if let candidate = reading.candidate, reading.text.isEmpty,
                candidates.indices.contains(candidate)
            {
                result[index] = candidates[candidate]
            } else if before.value != after.value {
                return [:]
            }
        }
        return result
    }

    /// The last brackets of `[a] [b]`, which is one use if the dialect is loose, and else two.
    private var unclearBrackets: Set<Int> {
        guard rules.options.dialect == nil else { return [] }
        let found = LooseImages.found(in: bytes, body: body)
        return Set(found.flatMap { [$0.end - 1, ($0.edits.first?.offset ?? 0) - 1] })
    }

    /// The texts that may use one of the definitions.
    private func candidates(naming names: Set<String>) -> [Range<Int>] {
        var result: [Range<Int>] = []
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

    /// The range to replace, if the label in the innermost brackets at `open` and `close` is one of
    /// these in a full, a collapsed or a short reference.
    private func use(_ open: Int, _ close: Int, _ names: Set<String>) -> Range<Int>? {
        guard close - open <= 1001, names.contains(bytes.label(open + 1..<close)) else {
            return nil
        }
        let next = close + 1 < bytes.count ? bytes[close + 1] : .space
        if open > body, bytes[open - 1] == .closeBracket { return open..<close + 1 }
        let isImage = open > body && bytes[open - 1] == .exclamation
        guard isImage else { return nil }
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
