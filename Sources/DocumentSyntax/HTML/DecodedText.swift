/// A text of HTML whose character references are decoded, with the place of each byte.
package struct DecodedText {
    private let text: PlacedText

    package var bytes: [UInt8] { text.bytes }

    /// - Parameters:
    ///   - source: The text as written.
    ///   - isAttribute: Whether it is the value of an attribute.
    package init(_ source: UnsafeBytes, isAttribute: Bool = true) {
        guard Self.isEncoded(source) else {
            text = PlacedText(source)
            return
        }
        var decoder = Decoder(source: source, isAttribute: isAttribute)
        decoder.run()
        text = decoder.text
    }

    /// Whether the decoded text may differ from its source.
    package static func isEncoded(_ source: UnsafeBytes) -> Bool {
        source.contains(.ampersand) || source.contains(.carriageReturn) || source.contains(0)
    }

    /// The range in the source for `range` of the decoded text.
    package func sourceRange(_ range: Range<Int>) -> Range<Int> { text.place(of: range) }
}

private struct Decoder {
    let source: UnsafeBytes
    let isAttribute: Bool
    var text = PlacedText()
    var index = 0
    /// The end of what is added.
    var added = 0

    mutating func run() {
        while index < source.count {
            switch source[index] {
            case .ampersand: readReference()
            case .carriageReturn:
                let isPair = index + 1 < source.count && source[index + 1] == .lineFeed
                add([.lineFeed], length: isPair ? 2 : 1)
            case 0 where isAttribute: add(replacementCharacter, length: 1)
            default: index += 1
            }
        }
        copy()
    }

    /// Adds the bytes up to `index` as they are.
    private mutating func copy() {
        text.copy(UnsafeBytes(rebasing: source[added..<index]), at: added)
        added = index
    }

    /// Adds the text that `length` bytes of the source stand for.
    private mutating func add(_ decoded: [UInt8], length: Int) {
        copy()
        text.add(decoded, for: index)
        index += length
        added = index
    }

    private mutating func readReference() {
        let start = index + 1
        if start < source.count, source[start] == .hash { return readNumber() }
        var end = start
        // The longest name has 31 letters.
        while end < source.count, end - start < 32, source[end].isASCIIAlphanumeric { end += 1 }
        let isClosed = end < source.count && source[end] == .semicolon
        if isClosed, let text = NamedCharacters.text(of: source[start..<end]) {
            return add(text, length: end + 1 - index)
        }
        guard let name = NamedCharacters.unclosedName(in: source[start..<end]),
            let text = NamedCharacters.text(of: name)
        else { return index += 1 }
        let next = name.endIndex
        // In `?a=1&copy=2` the standard does not decode, for the sake of old pages.
        let isPartOfQuery =
            isAttribute && next < source.count
            && (source[next] == .equals || source[next].isASCIIAlphanumeric)
        if isPartOfQuery { index += 1 } else { add(text, length: next - index) }
    }

    private mutating func readNumber() {
        var end = index + 2
        let isHexadecimal = end < source.count && source[end].lowercased == UInt8(ascii: "x")
        if isHexadecimal { end += 1 }
        let digits = end
        var value: UInt32 = 0
        while end < source.count, let digit = source[end].hexDigitValue, isHexadecimal || digit < 10
        {
            value = min(value * (isHexadecimal ? 16 : 10) + digit, 0x11_0000)
            end += 1
        }
        guard end > digits else { return index += 1 }
        if end < source.count, source[end] == .semicolon { end += 1 }
        add(Self.text(ofCodePoint: value), length: end - index)
    }

    private static func text(ofCodePoint value: UInt32) -> [UInt8] {
        var value = value
        if (0x80...0x9F).contains(value) { value = windows1252[Int(value) - 0x80] }
        guard value != 0, let scalar = Unicode.Scalar(value) else { return replacementCharacter }
        return Array(String(Character(scalar)).utf8)
    }

    /// The characters for numbers from 0x80 to 0x9F, which old pages mean in Windows-1252.
    private static let windows1252: [UInt32] = [
        0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
        0x2039, 0x0152, 0x8D, 0x017D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013,
        0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D, 0x017E, 0x0178,
    ]
}
