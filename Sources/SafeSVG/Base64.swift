/// Base64 as browsers read it in a `data:` URL (Infra Standard, "forgiving-base64 decode").
enum Base64 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private static let values: [UInt8?] = {
        var values = [UInt8?](repeating: nil, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()

    /// The bytes; nil for text that browsers refuse.
    static func decoded(_ text: [UInt8]) -> [UInt8]? {
        var digits = text.filter { !$0.isXMLSpace && $0 != 0x0C }
        if digits.count % 4 == 0 {
            for _ in 0..<2 where digits.last == UInt8(ascii: "=") { digits.removeLast() }
        }
        guard digits.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count * 3 / 4)
        var (buffer, count): (UInt32, Int) = (0, 0)
        for digit in digits {
            guard let value = values[Int(digit)] else { return nil }
            buffer = buffer << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(count)))
            }
        }
        return bytes
    }

    static func encoded(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let part = bytes[start..<min(start + 3, bytes.count)]
            let bits =
                part.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - part.count))
            for digit in 0..<4 {
                let value = Int(bits >> UInt32(18 - 6 * digit)) & 63
                text.append(digit <= part.count ? alphabet[value] : UInt8(ascii: "="))
            }
        }
        return text
    }
}
