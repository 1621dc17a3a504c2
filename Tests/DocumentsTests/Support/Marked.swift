/// A text with ranges that are marked by `⟦…⟧`.
struct Marked {
    /// The text without the marks.
    let text: String
    /// The marked ranges, in bytes of `text`.
    let ranges: [Range<Int>]

    init(_ marked: String) {
        var text = ""
        var ranges: [Range<Int>] = []
        var start = 0
        for character in marked.unicodeScalars {
            switch character {
            case "⟦": start = text.utf8.count
            case "⟧": ranges.append(start..<text.utf8.count)
            default: text.unicodeScalars.append(character)
            }
        }
        self.text = text
        self.ranges = ranges
    }

    var bytes: [UInt8] { Array(text.utf8) }

    /// The texts of the marked ranges.
    var marks: [String] { ranges.map { String(decoding: bytes[$0], as: UTF8.self) } }

    /// The text with other words in the marked ranges.
    func replacing(_ words: [String]) -> String {
        var result: [UInt8] = []
        var copied = 0
        for (range, word) in zip(ranges, words) {
            result += bytes[copied..<range.lowerBound]
            result += word.utf8
            copied = range.upperBound
        }
        return String(decoding: result + bytes[copied...], as: UTF8.self)
    }
}
