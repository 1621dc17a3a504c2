/// The candidates of a `srcset` value, in order, by the algorithm of the HTML standard.
package struct Srcset: Sequence, IteratorProtocol {
    /// One image of a `srcset`.
    package struct Candidate {
        /// The range of the URL, which can contain commas.
        package var url: Range<Int>
        /// The range from the end of the URL to the end of the last descriptor; empty if there is
        /// none.
        package var descriptors: Range<Int>
    }

    private let value: UnsafeBytes
    private var index = 0

    package init(_ value: UnsafeBytes) { self.value = value }

    package mutating func next() -> Candidate? {
        while index < value.count, value[index].isHTMLSpace || value[index] == .comma {
            index += 1
        }
        guard index < value.count else { return nil }
        let start = index
        while index < value.count, !value[index].isHTMLSpace { index += 1 }
        var end = index
        while end > start, value[end - 1] == .comma { end -= 1 }
        if end == index { index = endOfDescriptors(from: index) }
        var last = index
        while last > end, value[last - 1].isHTMLSpace || value[last - 1] == .comma { last -= 1 }
        return Candidate(url: start..<end, descriptors: end..<last)
    }

    /// The offset of the comma after the descriptors, or of the end; commas in parentheses do not
    /// count.
    private func endOfDescriptors(from start: Int) -> Int {
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
