/// A mapping from the bytes of a decoded attribute value to its source text.
///
/// It compares both from left to right. They differ at entities, line ends and NULs.
struct AttributeAlignment {
    /// The offset in the source of each byte of the value and of its end; nil if both texts are
    /// equal.
    private let places: [Int32]?

    /// - Returns: nil if `value` is not the decoded `source`.
    init?(source: UnsafeBytes, value: UnsafeBytes) {
        let isPlain = !source.contains { $0 == .ampersand || $0 == .carriageReturn || $0 == 0 }
        if isPlain {
            guard source.isSame(as: value) else { return nil }
            places = nil
            return
        }
        var walk = Walk(source: source, value: value)
        guard walk.run() else { return nil }
        places = walk.places
    }

    /// The range in the source for `range` of the value.
    func sourceRange(_ range: Range<Int>) -> Range<Int> {
        guard let places else { return range }
        return Int(places[range.lowerBound])..<Int(places[range.upperBound])
    }
}

private struct Walk {
    let source: UnsafeBytes
    let value: UnsafeBytes
    var places: [Int32] = []
    private var index = 0

    init(source: UnsafeBytes, value: UnsafeBytes) {
        self.source = source
        self.value = value
        places.reserveCapacity(value.count + 1)
    }

    mutating func run() -> Bool {
        while index < source.count {
            guard step() else { return false }
        }
        places.append(Int32(index))
        return places.count == value.count + 1
    }

    private mutating func step() -> Bool {
        switch source[index] {
        case .ampersand: return stepAmpersand()
        case .carriageReturn:
            let isPair = index + 1 < source.count && source[index + 1] == .lineFeed
            return take([.lineFeed], length: isPair ? 2 : 1)
        case 0: return take(replacementCharacter, length: 1)
        case let byte: return take(byte)
        }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard places.count < value.count, value[places.count] == byte else { return false }
        places.append(Int32(index))
        index += 1
        return true
    }

    private mutating func take(_ expected: [UInt8], length: Int) -> Bool {
        let start = places.count
        guard start + expected.count <= value.count,
            value[start..<start + expected.count].elementsEqual(expected)
        else { return false }
        take(valueLength: expected.count, length: length)
        return true
    }

    private mutating func take(valueLength: Int, length: Int) {
        places += repeatElement(Int32(index), count: valueLength)
        index += length
    }

    private mutating func stepAmpersand() -> Bool {
        var end = index + 1
        if end < source.count, source[end] == .hash { return stepNumber() }
        while end < source.count, source[end].isASCIIAlphanumeric { end += 1 }
        let name = source[index + 1..<end]
        let isClosed = end < source.count && source[end] == .semicolon
        let length = end - index + (isClosed ? 1 : 0)
        guard places.count < value.count else { return false }
        if value[places.count] == .ampersand {
            let isAmpersand = name.elementsEqual("amp".utf8) || name.elementsEqual("AMP".utf8)
            // In an attribute, `&amp` without a semicolon before `=` is not an entity.
            let isEntity =
                isAmpersand && (isClosed || end == source.count || source[end] != .equals)
            if !isEntity { return take(.ampersand) }
            take(valueLength: 1, length: length)
            return true
        }
        guard !name.isEmpty else { return false }
        return takeEntity(length: length, isPair: name.elementsEqual("fjlig".utf8))
    }

    private mutating func stepNumber() -> Bool {
        var end = index + 2
        let isHexadecimal = end < source.count && source[end].lowercased == UInt8(ascii: "x")
        if isHexadecimal { end += 1 }
        let digits = end
        while end < source.count,
            isHexadecimal ? source[end].hexDigitValue != nil : source[end].isASCIIDigit
        { end += 1 }
        guard end > digits else { return take(.ampersand) }
        let isClosed = end < source.count && source[end] == .semicolon
        return takeEntity(length: end - index + (isClosed ? 1 : 0), isPair: false)
    }

    /// Matches an entity with one character of the value, or with two.
    ///
    /// A few entities stand for two characters. The second one is then one of ``secondCharacters``,
    /// nearly all of which are combining characters.
    private mutating func takeEntity(length: Int, isPair: Bool) -> Bool {
        var taken = characterLength(at: places.count)
        guard taken > 0 else { return false }
        let next = places.count + taken
        let second = characterLength(at: next)
        let sourceNext = index + length
        if isPair
            || (second > 0 && Self.secondCharacters.contains(value.copy(next..<next + second))
                && !(sourceNext + second <= source.count
                    && source[sourceNext..<sourceNext + second].elementsEqual(
                        value[next..<next + second])))
        {
            taken += second
        }
        take(valueLength: taken, length: length)
        return true
    }

    private func characterLength(at index: Int) -> Int {
        guard index < value.count else { return 0 }
        let length =
            switch value[index] {
            case 0xF0...: 4
            case 0xE0...: 3
            case 0xC0...: 2
            default: 1
            }
        return index + length <= value.count ? length : 0
    }

    private static let secondCharacters: Set<[UInt8]> = Set(
        [0x0331, 0x0333, 0x0338, 0x200A, 0x20D2, 0x20E5, 0xFE00].compactMap(Unicode.Scalar.init)
            .map { Array(String(Character($0)).utf8) })
}
