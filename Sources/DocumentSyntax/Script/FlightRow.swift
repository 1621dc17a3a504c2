/// A row of React's flight data with a value in JSON, or with a text whose length is written before
/// it.
///
/// A row is `22:VALUE`, up to the end of the line, or `22:T81e9,TEXT`.
package struct FlightRow {
    /// The value or the text.
    package let content: Range<Int>
    /// The length of a text in bytes as it is written, in hexadecimal digits.
    package let length: Range<Int>?

    /// The rows of a text; nil if it has a row of an unknown kind.
    package static func all(in text: UnsafeBytes) -> [FlightRow]? {
        var rows: [FlightRow] = []
        var index = 0
        while index < text.count {
            while index < text.count, text[index].hexDigitValue != nil { index += 1 }
            guard index + 1 < text.count, text[index] == .colon else { return nil }
            let letter = text[index + 1]
            if letter == UInt8(ascii: "T") {
                guard let row = FlightRow(textAfter: index + 2, in: text) else { return nil }
                rows.append(row)
                index = row.content.upperBound
                continue
            }
            if binaryLetters.contains(letter) { return nil }
            let end = text.firstIndex(of: .lineFeed, from: index) ?? text.count
            // A hint has a second letter: `:HL["URL","image"]`.
            let isHint = letter == UInt8(ascii: "H") && index + 3 < end
            if isHint || !letter.isASCIILetter {
                rows.append(FlightRow(content: index + (isHint ? 3 : 1)..<end))
            }
            index = end + 1
        }
        return rows
    }

    private init(content: Range<Int>) { (self.content, length) = (content, nil) }

    private init?(textAfter start: Int, in text: UnsafeBytes) {
        guard let comma = text.firstIndex(of: .comma, from: start), comma - start <= 7,
            let digits = text.string(start..<comma), let count = Int(digits, radix: 16),
            String(count, radix: 16) == digits, count <= text.count - comma - 1
        else { return nil }
        content = comma + 1..<comma + 1 + count
        length = start..<comma
    }

    /// The letters of rows with the length of bytes.
    private static let binaryLetters = Array("AOoUSsLlGgMmVb".utf8)

    /// The part of the flight data of a page that a script adds by `self.__next_f.push([1,"…"])`, without
    /// quotation marks; nil for another script.
    package static func pushed(by script: UnsafeBytes) -> Range<Int>? {
        let whole = script.trimmingWhitespace(0..<script.count)
        let beginning: StaticString = "self.__next_f.push([1,\""
        let start = whole.lowerBound + beginning.utf8CodeUnitCount
        guard script.matches(beginning, at: whole.lowerBound),
            let end = JSONScanner.endOfString(in: script, from: start)
        else { return nil }
        let rest = UnsafeBytes(rebasing: script[(end + 1)..<whole.upperBound])
        return rest.isExactly("])") || rest.isExactly("]);") ? start..<end : nil
    }
}
