/// Reads the `srcset` attribute by the algorithm of the HTML standard.
enum Srcset {
    /// Where the URLs of a `srcset` value stand, with commas as part of them where HTML says so.
    static func urls(in value: Bytes) -> [Range<Int>] {
        var result: [Range<Int>] = []
        var index = 0
        while true {
            while index < value.count, value[index].isHTMLSpace || value[index] == .comma {
                index += 1
            }
            guard index < value.count else { return result }
            let start = index
            while index < value.count, !value[index].isHTMLSpace { index += 1 }
            var end = index
            while end > start, value[end - 1] == .comma { end -= 1 }
            result.append(start..<end)
            if end == index { index = endOfDescriptors(in: value, from: index) }
        }
    }

    /// The comma after the descriptors, or the end; commas in parentheses do not count.
    private static func endOfDescriptors(in value: Bytes, from start: Int) -> Int {
        var index = start
        var isInParentheses = false
        while index < value.count {
            switch value[index] {
            case .openParenthesis: isInParentheses = true
            case .closeParenthesis: isInParentheses = false
            case .comma where !isInParentheses: return index
            default: break
            }
            index += 1
        }
        return index
    }
}
