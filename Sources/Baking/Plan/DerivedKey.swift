import Crypto
import FoundationEssentials

/// A value as one line of JSON with sorted keys: equal values give equal lines.
///
/// Cache keys are made this way and never put together by hand, so a property that is added to a value
/// is part of its key at once.
func canonicalText(of value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Values that JSON cannot hold, such as NaN, are told apart by their description.
    let data = (try? encoder.encode(value)) ?? Data("\(value)".utf8)
    return String(decoding: data, as: UTF8.self)
}

/// A value as the SHA-256 of its line, in hexadecimal.
func derivedKey(of value: some Encodable) -> String {
    SHA256.hash(data: Data(canonicalText(of: value).utf8)).hexadecimal
}
