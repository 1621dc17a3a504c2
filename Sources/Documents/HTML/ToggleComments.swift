/// The comments `<!-- imgbake-off -->` and `<!-- imgbake-on -->` in a text.
///
/// No image between the two is a reference. Without an `on`, imgbake is off until the end.
struct ToggleComments {
    private var comments: [(offset: Int, isOff: Bool)] = []

    /// Adds a comment if it is one of the two.
    ///
    /// - Parameters:
    ///   - comment: The text between `<!--` and `-->`.
    ///   - offset: The offset of the comment; comments can be added in any order.
    mutating func add(_ comment: UnsafeBytes, at offset: Int) {
        guard let isOff = Self.isOff(comment) else { return }
        comments.append((offset, isOff))
    }

    /// Whether a comment turns imgbake off (true) or on (false); nil for other comments.
    static func isOff(_ comment: UnsafeBytes) -> Bool? {
        guard let start = comment.firstIndex(where: { !$0.isHTMLSpace }),
            let end = comment.lastIndex(where: { !$0.isHTMLSpace })
        else { return nil }
        switch end - start + 1 {
        case 11 where comment.matches("imgbake-off", at: start): return true
        case 10 where comment.matches("imgbake-on", at: start): return false
        default: return nil
        }
    }

    /// The ranges in which imgbake is off, in order, in a text of `count` bytes.
    func offRanges(upTo count: Int) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var start: Int?
        for one in comments.sorted(by: { $0.offset < $1.offset }) {
            if one.isOff {
                start = start ?? one.offset
            } else if let begin = start {
                ranges.append(begin..<one.offset)
                start = nil
            }
        }
        if let start { ranges.append(start..<count) }
        return ranges
    }
}
