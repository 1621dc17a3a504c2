/// The ranges of template expressions in a value: `{{ … }}`, `{% … %}`, `<% … %>`, `${ … }`, and
/// JSX expressions.
struct TemplateRanges {
    private var ranges: [Range<Int>] = []

    init(in value: Bytes) {
        guard holdsTemplate(value) else { return }
        if value.first == .openBrace, !Self.begins(in: value, at: 0) {
            ranges = [0..<value.count]
            return
        }
        var index = 0
        while index < value.count {
            guard Self.begins(in: value, at: index) else {
                index += 1
                continue
            }
            let end = Self.end(in: value, from: index)
            ranges.append(index..<end)
            index = end
        }
    }

    /// Whether an expression overlaps `range` or is adjacent to it.
    func touch(_ range: Range<Int>) -> Bool {
        // The ranges are in order, so only the first that does not end before `range` matters.
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < range.lowerBound {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low < ranges.count && ranges[low].lowerBound <= range.upperBound
    }

    private static func begins(in value: Bytes, at index: Int) -> Bool {
        index + 1 < value.count && begin(with: value[index], value[index + 1])
    }

    /// Whether these two bytes begin a template expression.
    static func begin(with first: UInt8, _ second: UInt8) -> Bool {
        switch (first, second) {
        case (.openBrace, .openBrace), (.openBrace, percent), (.less, percent), (.less, .question),
            (dollar, .openBrace):
            true
        default: false
        }
    }

    /// The end of the expression that begins at `start`, or of the value if the expression has no
    /// end.
    private static func end(in value: Bytes, from start: Int) -> Int {
        let close: UInt8 =
            switch (value[start], value[start + 1]) {
            case (dollar, _): .closeBrace
            case (_, percent): percent
            case (_, .question): .question
            default: .closeBrace
            }
        let isDouble = value[start] != dollar
        let last: UInt8 = value[start] == .less ? .greater : .closeBrace
        var found = value.firstIndex(of: close, from: start + 2)
        while let index = found {
            if !isDouble { return index + 1 }
            if index + 1 < value.count, value[index + 1] == last { return index + 2 }
            found = value.firstIndex(of: close, from: index + 1)
        }
        return value.count
    }

    private static let percent = UInt8(ascii: "%")
    private static let dollar = UInt8(ascii: "$")
}
