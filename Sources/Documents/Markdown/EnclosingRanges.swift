/// Ranges of a Markdown text that may be one value: in quotation marks, as the text of an element,
/// or as a link destination.
///
/// A candidate that begins in such a range and ends after it is most likely not a value. In
/// `src="a?style=b&c"`, the text after `style=` looks like an unquoted value, and a token at its
/// end would break the tag.
struct EnclosingRanges {
    private enum Kind: Int, CaseIterable { case doubleQuoted, singleQuoted, text, destination }

    /// The ranges, ordered by their lower bounds.
    private var ranges: [(range: Range<Int>, kind: Kind)] = []

    /// - Parameters:
    ///   - scanner: A scanner for the Markdown text.
    ///   - candidates: The candidates in the same text, some of which are destinations.
    init(_ scanner: ValueScanner, _ candidates: [MarkdownCandidate]) {
        for range in scanner.quotedValues() {
            let quote = scanner.bytes[range.upperBound]
            ranges.append((range, quote == .doubleQuote ? .doubleQuoted : .singleQuoted))
        }
        ranges += scanner.texts { _ in true }.map { ($0.range, .text) }
        ranges += candidates.filter(\.kind.isDestination).map { ($0.range, .destination) }
        ranges.sort { $0.range.lowerBound < $1.range.lowerBound }
    }

    /// - Parameter candidates: The candidates that are known to be values.
    init(_ candidates: [MarkdownCandidate]) {
        ranges = candidates.map { ($0.range, $0.kind.isDestination ? .destination : .text) }
        ranges.sort { $0.range.lowerBound < $1.range.lowerBound }
    }

    /// The indices of the candidates that begin in one of the ranges and end after it.
    func overrun(by candidates: [MarkdownCandidate]) -> Set<Int> {
        let order = candidates.indices.sorted {
            candidates[$0].range.lowerBound < candidates[$1].range.lowerBound
        }
        // Two ranges of one kind that contain the same offset end together, or the last one counts.
        var ends = [Int](repeating: 0, count: Kind.allCases.count)
        var next = 0
        var result: Set<Int> = []
        for index in order {
            let candidate = candidates[index].range
            while next < ranges.count, ranges[next].range.lowerBound <= candidate.lowerBound {
                ends[ranges[next].kind.rawValue] = ranges[next].range.upperBound
                next += 1
            }
            if ends.contains(where: { candidate.lowerBound < $0 && candidate.upperBound > $0 }) {
                result.insert(index)
            }
        }
        return result
    }
}
