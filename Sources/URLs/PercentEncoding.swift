/// The text with the bytes percent-encoded for which `isEncoded` is true (RFC 3986, section 2.1).
package func percentEncoded(_ text: String, where isEncoded: (UInt8) -> Bool) -> String {
    guard text.utf8.contains(where: isEncoded) else { return text }
    var result: [UInt8] = []
    for byte in text.utf8 {
        if isEncoded(byte) {
            appendPercentEncoded(byte, to: &result)
        } else {
            result.append(byte)
        }
    }
    return String(decoding: result, as: UTF8.self)
}

/// Appends the three bytes that stand for one.
package func appendPercentEncoded(_ byte: UInt8, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "%"))
    for value in [byte >> 4, byte & 15] { bytes.append(value < 10 ? 0x30 + value : 0x37 + value) }
}

/// Whether a byte stands for itself in every part of a URL (RFC 3986, section 2.3).
package func isUnreservedInURL(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "-._~".utf8.contains(byte)
    }
}

/// Decodes a part of a URL; a `%` that does not begin an escape is kept.
package func percentDecoded(_ bytes: some Collection<UInt8>) -> [UInt8] {
    let bytes = Array(bytes)
    guard bytes.contains(UInt8(ascii: "%")) else { return bytes }
    var decoded: [UInt8] = []
    var rest = bytes[...]
    while let byte = rest.popFirst() {
        if byte == UInt8(ascii: "%"), let code = hexByte(rest.prefix(2)) {
            decoded.append(code)
            rest = rest.dropFirst(2)
        } else {
            decoded.append(byte)
        }
    }
    return decoded
}

private func hexByte(_ digits: some Collection<UInt8>) -> UInt8? {
    var value: UInt8 = 0
    for digit in digits {
        switch digit {
        case 0x30...0x39: value = value << 4 | (digit - 0x30)
        case 0x41...0x46: value = value << 4 | (digit - 0x41 + 10)
        case 0x61...0x66: value = value << 4 | (digit - 0x61 + 10)
        default: return nil
        }
    }
    return digits.count == 2 ? value : nil
}
