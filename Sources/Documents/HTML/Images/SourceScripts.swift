import DocumentSyntax
import StyleSizing

/// The scripts in a page that may give images other files.
///
/// A `srcset` would hide the file that a script names in `src`. Which images a script means is not
/// known, so each counts whose id, `name` or class it has as a word.
package struct SourceScripts: Sendable, Hashable {
    /// The words of these scripts, in lower case.
    private var words: Set<String> = []

    /// Adds a script, or the value of an attribute such as `onclick`, if it may set a `src`.
    mutating func add(_ script: [UInt8]) {
        let text = script.map(\.lowercased)
        guard text.withUnsafeBufferPointer({ Self.setsSource($0) }) else { return }
        words.formUnion(Self.words(in: String(decoding: script, as: UTF8.self).lowercased()))
    }

    /// Whether one of the scripts may mean an image.
    package func mayName(_ image: ImageElement) -> Bool {
        if words.isEmpty { return false }
        let names = [image.styled.id, image.name?.lowercased()].compactMap(\.self)
        return (names + image.styled.classes).contains { name in
            let parts = Self.words(in: name)
            return !parts.isEmpty && parts.allSatisfy { words.contains($0) }
        }
    }

    private static func words(in text: String) -> [String] {
        text.utf8.split { !isWord($0) }.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether a script may set a `src` or a `srcset`, as in `image.src = url`,
    /// `setAttribute("src", url)`, `image["src"] = url` and `{src: url}`.
    private static func setsSource(_ script: UnsafeBytes) -> Bool {
        script.places(of: UInt8(ascii: "s"), from: 1).contains {
            script.matches("src", at: $0) && isSet(script, at: $0)
        }
    }

    private static func isSet(_ script: UnsafeBytes, at start: Int) -> Bool {
        let before = script[start - 1]
        var end = start + (script.matches("srcset", at: start) ? 6 : 3)
        if before == .doubleQuote || before == .singleQuote || before == .backtick {
            guard end < script.count, script[end] == before else { return false }
            end = afterSpace(script, from: end + 1)
            guard end < script.count else { return false }
            return switch script[end] {
            case .comma, .closeBracket, .colon: true
            case .closeParenthesis: namesNode(script, before: start - 1)
            default: false
            }
        }
        if before != UInt8(ascii: ".") { return isKey(script, start..<end) }
        end = afterSpace(script, from: end)
        // An attribute that is an object, as in `image.attributes.src.value = url`.
        if script.matches(".value", at: end) || script.matches(".nodevalue", at: end) {
            return true
        }
        // The signs of `+=`, `||=` and `??=`.
        while end < script.count, "+|&?".utf8.contains(script[end]) { end += 1 }
        return script.matches("=", at: end) && !script.matches("==", at: end)
    }

    /// Whether a word is the name of a member: `{src: url}` or `{src}`.
    private static func isKey(_ script: UnsafeBytes, _ word: Range<Int>) -> Bool {
        let end = afterSpace(script, from: word.upperBound)
        guard end < script.count, !isWord(script[word.lowerBound - 1]) else { return false }
        let before = beforeSpace(script, from: word.lowerBound - 1)
        return switch script[end] {
        case .colon: before < 0 || script[before] != .question
        case .comma: before >= 0 && script[before] == .openBrace
        case .closeBrace:
            before >= 0 && (script[before] == .openBrace || script[before] == .comma)
        default: false
        }
    }

    /// Whether a quoted name is that of an attribute that is an object, as in
    /// `getAttributeNode("src")`.
    private static func namesNode(_ script: UnsafeBytes, before quote: Int) -> Bool {
        let open = beforeSpace(script, from: quote - 1)
        guard open >= 0, script[open] != .comma else { return open >= 0 }
        guard script[open] == .openParenthesis else { return false }
        let end = beforeSpace(script, from: open - 1) + 1
        return script.matches("getattributenode", at: end - 16)
            || script.matches("getnameditem", at: end - 12)
            || script.matches("createattribute", at: end - 15)
    }

    private static func afterSpace(_ script: UnsafeBytes, from start: Int) -> Int {
        var index = start
        while index < script.count, script[index].isHTMLSpace { index += 1 }
        return index
    }

    /// The index of the last byte up to `end` that is no space; -1 if there is none.
    private static func beforeSpace(_ script: UnsafeBytes, from end: Int) -> Int {
        var index = end
        while index >= 0, script[index].isHTMLSpace { index -= 1 }
        return index
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || byte == UInt8(ascii: "_") || byte == .hyphen || byte >= 0x80
    }
}
