/// The comments `<!-- imgbake-off -->` and `<!-- imgbake-on -->` of a text.
///
/// Between the two no image is a reference; without an `on`, none from the `off` to the end.
struct Switches {
    private var switches: [(offset: Int, isOff: Bool)] = []

    /// Takes a comment, and remembers it if it is one of the two.
    ///
    /// - Parameters:
    ///   - comment: What stands between `<!--` and `-->`.
    ///   - offset: Where it stands; comments may come in any order.
    mutating func add(_ comment: Bytes, at offset: Int) {
        guard let isOff = Self.isOff(comment) else { return }
        switches.append((offset, isOff))
    }

    /// Whether a comment switches imgbake off, or on; nil if it does neither.
    static func isOff(_ comment: Bytes) -> Bool? {
        guard let start = comment.firstIndex(where: { !$0.isHTMLSpace }),
            let end = comment.lastIndex(where: { !$0.isHTMLSpace })
        else { return nil }
        switch end - start + 1 {
        case 11 where comment.matches("imgbake-off", at: start): return true
        case 10 where comment.matches("imgbake-on", at: start): return false
        default: return nil
        }
    }

    /// The stretches in which imgbake is off, in a text of `count` bytes.
    func offRanges(upTo count: Int) -> OffRanges {
        var ranges: [Range<Int>] = []
        var start: Int?
        for one in switches.sorted(by: { $0.offset < $1.offset }) {
            if one.isOff {
                start = start ?? one.offset
            } else if let begin = start {
                ranges.append(begin..<one.offset)
                start = nil
            }
        }
        if let start { ranges.append(start..<count) }
        return OffRanges(ranges: ranges)
    }
}

/// Stretches of a text, in order.
struct OffRanges {
    let ranges: [Range<Int>]

    func contains(_ offset: Int) -> Bool {
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound <= offset { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].lowerBound <= offset
    }
}
