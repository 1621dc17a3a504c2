/// Finds images that use a definition: `![alt][label]`, `![label][]` and `![label]`.
///
/// This is needed if a link uses the same definition, because then the image must get its own URL.
/// As with destinations, candidates get tokens and cmark decides which of them are images.
struct MarkdownUses {
    let bytes: UnsafeBytes
    /// The offset at which the Markdown begins.
    let body: Int
    let rules: HTMLRules
    let slots: [MarkdownSlot]

    /// For each slot whose image uses one of the definitions, the range to replace by an inline
    /// destination.
    ///
    /// - Parameter labels: The ranges of the definitions' labels.
    /// - Returns: The ranges by slot; uncertain ones are missing.
    func uses(of labels: [Range<Int>]) -> [Int: Range<Int>] {
        let names = Set(labels.map { normalized($0) })
        let candidates = candidates(naming: names)
        let tokens = ProbeTokens(unusedIn: bytes)
        let text = replace(candidates, tokens)
        let walk = text.withUnsafeBufferPointer {
            MarkdownWalk(parsing: $0, rules: rules, tokens: tokens)
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

    /// The range to replace if the innermost brackets at `open` and `close` belong to an image that
    /// uses one of the definitions.
    private func use(_ open: Int, _ close: Int, _ names: Set<String>) -> Range<Int>? {
        let next = close + 1 < bytes.count ? bytes[close + 1] : .space
        let isAfterBracket = open > body && bytes[open - 1] == .closeBracket
        let isLong = close - open > 1001
        if isAfterBracket {
            // A full reference.
            guard !isLong, names.contains(normalized(open + 1..<close)) else { return nil }
            return open..<close + 1
        }
        guard open > body, bytes[open - 1] == .exclamation, !isLong,
            names.contains(normalized(open + 1..<close))
        else { return nil }
        switch next {
        case .openParenthesis, .colon: return nil
        case .openBracket:
            let isCollapsed = close + 2 < bytes.count && bytes[close + 2] == .closeBracket
            return isCollapsed ? close + 1..<close + 3 : nil
        default: return close + 1..<close + 1
        }
    }

    /// The normalised label: letter case and the kind and amount of whitespace do not matter.
    private func normalized(_ label: Range<Int>) -> String {
        let words = bytes[label].split { $0.isMarkdownSpace }
        return words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
            .lowercased()
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
