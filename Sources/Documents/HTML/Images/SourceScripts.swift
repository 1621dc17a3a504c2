/// The scripts in a page that may give images other files.
///
/// A `srcset` would hide the file that a script names in `src`. Which images a script means is not
/// known, so each counts whose id or class it has as a word.
package struct SourceScripts: Sendable, Hashable {
    /// The words of these scripts, in lower case.
    private var words: Set<String> = []

    /// Adds a script, or the value of an attribute such as `onclick`, if it may set a `src`.
    mutating func add(_ script: [UInt8]) {
        guard script.withUnsafeBufferPointer({ Self.setsSource($0) }) else { return }
        words.formUnion(Self.words(in: String(decoding: script, as: UTF8.self).lowercased()))
    }

    /// Whether one of the scripts may mean an image.
    package func mayName(_ image: StyledElement) -> Bool {
        if words.isEmpty { return false }
        return ([image.id].compactMap(\.self) + image.classes).contains { name in
            let parts = Self.words(in: name)
            return !parts.isEmpty && parts.allSatisfy { words.contains($0) }
        }
    }

    private static func words(in text: String) -> [String] {
        text.utf8.split { byte in
            !(byte.isASCIIAlphanumeric || byte == UInt8(ascii: "_") || byte == .hyphen
                || byte >= 0x80)
        }.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether a script may set a `src` or a `srcset`, as in `image.src = url`,
    /// `setAttribute("src", url)` and `image["src"] = url`.
    private static func setsSource(_ script: UnsafeBytes) -> Bool {
        var next = script.firstIndex(of: UInt8(ascii: "s"), from: 1)
        while let start = next {
            if script.matches("src", at: start), isSet(script, at: start) { return true }
            next = script.firstIndex(of: UInt8(ascii: "s"), from: start + 1)
        }
        return false
    }

    private static func isSet(_ script: UnsafeBytes, at start: Int) -> Bool {
        let before = script[start - 1]
        let isQuoted = before == .doubleQuote || before == .singleQuote || before == .backtick
        guard isQuoted || before == UInt8(ascii: ".") else { return false }
        var end = start + (script.matches("srcset", at: start) ? 6 : 3)
        if isQuoted {
            guard end < script.count, script[end] == before else { return false }
            end += 1
        }
        while end < script.count, script[end].isHTMLSpace { end += 1 }
        if isQuoted {
            return end < script.count && (script[end] == .comma || script[end] == .closeBracket)
        }
        // The signs of `+=`, `||=` and `??=`.
        while end < script.count, "+|&?".utf8.contains(script[end]) { end += 1 }
        return script.matches("=", at: end) && !script.matches("==", at: end)
    }
}
