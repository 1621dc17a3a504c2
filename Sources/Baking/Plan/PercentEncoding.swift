/// `path` with every byte percent-encoded that is special in a URL (RFC 3986), so that the
/// reference names exactly this file.
func urlPath(_ path: String) -> String {
    var encoded = ""
    for byte in path.utf8 {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            encoded.unicodeScalars.append(Unicode.Scalar(byte))
        default:
            if "-._~/:@!$&'()*+,;=".utf8.contains(byte) {
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let hex = String(byte, radix: 16, uppercase: true)
                encoded += "%" + (hex.count == 1 ? "0" + hex : hex)
            }
        }
    }
    return encoded
}

/// Decodes a part of a URL; a `%` that does not begin an escape is kept.
func percentDecoded(_ bytes: some Collection<UInt8>) -> [UInt8] {
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
