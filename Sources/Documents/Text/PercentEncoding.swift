internal import URLs

/// The URL with all bytes that no URL may contain percent-encoded.
///
/// The result needs little further escaping and cannot end a string, a tag or a line.
func percentEncoded(_ url: String) -> String {
    percentEncoded(url, where: isForbiddenInURL)
}

/// The percent-encoded URL, with commas at its beginning and end percent-encoded as well.
///
/// In a `srcset` such a comma would separate candidates.
func percentEncodedForSrcset(_ url: String) -> String {
    let encoded = percentEncoded(url)
    guard encoded.utf8.first == .comma || encoded.utf8.last == .comma else { return encoded }
    var bytes = Array(encoded.utf8)
    let comma = Array("%2C".utf8)
    var leading = 0
    while leading < bytes.count, bytes[leading] == .comma { leading += 1 }
    var trailing = bytes.count
    while trailing > leading, bytes[trailing - 1] == .comma { trailing -= 1 }
    bytes.replaceSubrange(
        trailing..., with: Array(repeatElement(comma, count: bytes.count - trailing).joined()))
    bytes.replaceSubrange(..<leading, with: Array(repeatElement(comma, count: leading).joined()))
    return String(decoding: bytes, as: UTF8.self)
}

/// The URL with all characters percent-encoded that have a special meaning in YAML, TOML or JSON
/// but not in a URL.
func percentEncodedStrictly(_ url: String) -> String {
    percentEncoded(url) { byte in
        switch byte {
        case .singleQuote, .comma, .openBracket, .closeBracket, .exclamation, .asterisk: true
        default: isForbiddenInURL(byte)
        }
    }
}

private func isForbiddenInURL(_ byte: UInt8) -> Bool {
    switch byte {
    case 0...0x20, 0x7F: true
    case .doubleQuote, .less, .greater, .backslash, .openBrace, .closeBrace, .pipe: true
    case UInt8(ascii: "`"), UInt8(ascii: "^"): true
    default: false
    }
}
