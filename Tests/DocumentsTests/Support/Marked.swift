/// A text in which places are marked with `⟦…⟧`.
struct Marked {
    /// The text without the marks.
    let text: String
    /// The marked places, in bytes of `text`.
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

    /// What stands at the marked places.
    var marks: [String] { ranges.map { String(decoding: bytes[$0], as: UTF8.self) } }

    /// The text with other words at the marked places.
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
