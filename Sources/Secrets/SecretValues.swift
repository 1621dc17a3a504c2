import URLs

/// The beginnings of keys of known services.
private let keyPrefixes = [
    "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "gldt-", "glrt-", "glcbt-",
    "sk_", "rk_", "sk-", "whsec_", "xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xapp-", "AKIA",
    "ASIA", "AKID", "LTAI", "ya29.", "npm_", "pypi-", "dop_v1_", "hf_", "SG.", "shpat_",
    "shpss_", "sq0atp-", "sq0csp-", "EAAC", "dckr_pat_", "figd_", "lin_api_", "secret_", "ntn_",
    "pat-", "PMAK-", "tfp_", "r8_", "age-secret-key-",
]

/// Whether a text is a key of a known service, or a JSON Web Token (RFC 7519).
package func isKeyOfService(_ text: some Collection<UInt8>) -> Bool {
    // Decoding makes no text longer.
    guard text.count >= 20 else { return false }
    let text = percentDecoded(text)
    guard text.count >= 20 else { return false }
    if text.starts(with: "eyJ".utf8) {
        return text.count { $0 == UInt8(ascii: ".") } >= 2 && text.allSatisfy(isOfKey)
    }
    return text.allSatisfy(isOfKey) && keyPrefixes.contains { text.starts(with: $0.utf8) }
}

/// Whether a text is a key that this reader may not see.
///
/// Words of an author can begin like a key, and a token that never expires is a part of its URL.
func isKeyOfService(_ text: some Collection<UInt8>, _ reader: Reader) -> Bool {
    guard isKeyOfService(text) else { return false }
    return reader == .everyone || (text.starts(with: "eyJ".utf8) ? hasTime(text) : isRandom(text))
}

/// Whether a value has a time of its own: `1700000000-0-0-1a2b3c`, `exp=1700000000~hmac=1a2b3c`, or
/// a member such as `exp` of JSON in Base64.
func hasTime(_ value: some Collection<UInt8>) -> Bool {
    let value = percentDecoded(value)
    let fields = value.split { kind($0) == .other }
    let hasSeconds = fields.contains {
        $0.count == 10 && "12".utf8.contains($0[$0.startIndex]) && $0.allSatisfy(isDigit)
    }
    // The Base64 of `"exp` at each of its three places.
    return hasSeconds && fields.count > 1
        || ["ImV4c", "JleH", "iZXhw"].contains { value.range(ofText: $0) != nil }
}

/// Whether a value is a time or a date, in decimal or hexadecimal digits, or a policy in JSON.
func isTime(_ value: some Collection<UInt8>) -> Bool {
    let start = value.prefix(8)
    return value.starts(with: "eyJ".utf8)
        || start.count == 8 && start.first.map(isDigit) == true
            && start.allSatisfy { isDigit($0) || "-abcdefABCDEF".utf8.contains($0) }
}

/// Whether a part of a path is a signature, as Cloudinary writes it.
func isSignatureOfPath(_ segment: some Collection<UInt8>) -> Bool {
    let segment = Array(segment)
    return segment.count >= 10 && segment.starts(with: "s--".utf8)
        && segment.suffix(2).elementsEqual("--".utf8)
}

/// Whether a value is a number of pixels or two of them: `64`, `612x612`.
func isSize(_ value: some Collection<UInt8>) -> Bool {
    let numbers = percentDecoded(value).split(
        separator: UInt8(ascii: "x"), omittingEmptySubsequences: false)
    return numbers.count <= 2
        && numbers.allSatisfy { (1...5).contains($0.count) && $0.allSatisfy(isDigit) }
}

func isDigit(_ byte: UInt8) -> Bool { kind(byte) == .digit }

/// Whether a value looks random, like a key in hexadecimal digits or Base64.
///
/// It has at least 24 characters, and their kind changes often: capital letters, small letters and
/// digits. Words, numbers, sizes and UUIDs do not look like that.
func looksLikeKey(_ value: some Collection<UInt8>) -> Bool {
    let value = percentDecoded(value)
    guard value.count >= 24, value.allSatisfy(isOfKey), !isUUID(value) else { return false }
    return isRandom(value[...])
}

/// Whether a text cannot be guessed, as far as its characters show.
func isRandom(_ text: some Collection<UInt8>) -> Bool {
    let text = percentDecoded(text)
    let kinds = text.map(kind).filter { $0 != .other }
    // A capital letter before small ones begins a word.
    let changes = zip(kinds, kinds.dropFirst()).count {
        $0 != $1 && !($0 == .capital && $1 == .small)
    }
    return kinds.count >= 16 && changes * 4 >= kinds.count && Set(text).count >= 8
}

private enum Kind { case capital, small, digit, other }

private func kind(_ byte: UInt8) -> Kind {
    switch byte {
    case 0x41...0x5A: .capital
    case 0x61...0x7A: .small
    case 0x30...0x39: .digit
    default: .other
    }
}

private func isOfKey(_ byte: UInt8) -> Bool {
    kind(byte) != .other || "-_.~+/=".utf8.contains(byte)
}

/// `01234567-89ab-cdef-0123-456789abcdef`: a name and no secret (RFC 9562).
private func isUUID(_ value: [UInt8]) -> Bool {
    value.count == 36 && [8, 13, 18, 23].allSatisfy { value[$0] == UInt8(ascii: "-") }
        && value.count { $0 == UInt8(ascii: "-") } == 4
}
