extension DialectText {
    /// An element whose end tag is still to come, or a fence around code.
    struct WholeElement {
        var name: [UInt8]?
        /// The number of its start tags without an end tag.
        var count = 0
        /// The sign of the fence that is open.
        var fence: UInt8?
        var isAfterEmptyLine = false
    }

    private static let blocks = HTMLBlockStart.containers.union(["noscript", "object", "video"])

    /// That of a block, and the byte after it.
    private static let longestName = 11

    /// Replaces the indentation of a line after an empty one in an element, where CommonMark reads
    /// code.
    mutating func readWholeElement(_ line: Range<Int>) {
        let start = bytes[line].firstIndex { !$0.isHTMLSpace } ?? line.upperBound
        guard start < line.upperBound else {
            whole.isAfterEmptyLine = true
            return
        }
        defer { whole.isAfterEmptyLine = false }
        if whole.name == nil {
            let sign = bytes[start]
            if bytes.matches("```", at: start) || bytes.matches("~~~", at: start),
                whole.fence == nil || whole.fence == sign
            {
                whole.fence = whole.fence == nil ? sign : nil
            }
            guard whole.fence == nil, start - line.lowerBound < 4, sign == .less,
                let name = blockName(start + 1..<line.upperBound),
                !UnsafeBytes(rebasing: bytes[line]).contains("markdown")
            else { return }
            whole.name = name
        } else if whole.isAfterEmptyLine {
            let indentation = start - line.lowerBound
            edits.append((line.lowerBound, Array(repeating: UInt8(ascii: "x"), count: indentation)))
        }
        countTags(start..<line.upperBound)
    }

    /// The name of an element at the start of a text, if it may have other elements in it.
    private func blockName(_ text: Range<Int>) -> [UInt8]? {
        let name = bytes[text].prefix(Self.longestName).prefix { !$0.endsTagName }
            .map(\.lowercased)
        return Self.blocks.contains(String(decoding: name, as: UTF8.self)) ? name : nil
    }

    private mutating func countTags(_ line: Range<Int>) {
        var next = bytes.firstIndex(of: .less, from: line.lowerBound)
        while let tag = next, tag < line.upperBound, let name = whole.name {
            let isEnd = tag + 1 < line.upperBound && bytes[tag + 1] == .slash
            if blockName((isEnd ? tag + 2 : tag + 1)..<line.upperBound) == name {
                whole.count += isEnd ? -1 : 1
                if whole.count <= 0 { (whole.name, whole.count) = (nil, 0) }
            }
            next = bytes.firstIndex(of: .less, from: tag + 1)
        }
    }
}
