import FetchCache
import FoundationEssentials

/// A value as one line of JSON with sorted keys: equal values give equal lines.
///
/// Cache keys are always made this way and never assembled by hand, so a new property of a value
/// becomes part of its key automatically.
package func canonicalText(of value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Values that JSON cannot express, such as NaN, are distinguished by their description.
    let data = (try? encoder.encode(value)) ?? Data("\(value)".utf8)
    return String(decoding: data, as: UTF8.self)
}

/// The SHA-256 of a value's canonical line, in hexadecimal.
package func derivedKey(of value: some Encodable) -> String {
    BlobDigest(hashing: Array(canonicalText(of: value).utf8)).hex
}
