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

/// What a setting decides, as each row of the table of settings declares it.
package enum SettingScope: String, CaseIterable, Codable, Hashable, Sendable {
    /// The references that are found in a document, and the text that replaces them.
    case reading
    /// The pixels and bytes of variants.
    case variants
    /// What is allowed. It is checked whenever a result is used, also one of an earlier bake.
    case policy
    /// Nothing but the run: where it reads and writes, how fast it is, and what it reports.
    case run
}

/// The settings that were given, by what they decide.
///
/// The keys of stored results are derived from it, so a new setting is part of every key of its
/// scope as soon as it is in the table. Values are compared as they were written.
package struct GivenSettings: Hashable, Sendable {
    private var values: [SettingScope: [String: String]] = [:]

    package init() {}

    /// Records the value of a setting; nil for its default.
    package mutating func record(_ value: String?, of key: String, deciding scope: SettingScope) {
        values[scope, default: [:]][key] = value
        if values[scope]?.isEmpty == true { values[scope] = nil }
    }

    /// The values of all settings with one of these scopes, by their keys.
    package func values(deciding scopes: SettingScope...) -> [String: String] {
        scopes.reduce(into: [:]) { all, scope in all.merge(values[scope] ?? [:]) { $1 } }
    }
}
