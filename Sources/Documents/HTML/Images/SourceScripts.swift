import DocumentSyntax
import StyleSizing

/// The scripts in a page that may give images other files.
///
/// A `srcset` would hide the file that a script names in `src`. Which images a script means is not
/// known, and neither is what it does with a `src`. So each image counts whose id, `name` or class a
/// script with this word has as words too.
package struct SourceScripts: Sendable, Hashable {
    /// The words of these scripts, in lower case.
    private var words: Set<String> = []

    /// Adds a script, or the value of an attribute such as `onclick`.
    mutating func add(_ script: [UInt8]) {
        guard script.withUnsafeBufferPointer({ $0.contains("src") }) else { return }
        let words = Self.words(in: String(decoding: script, as: UTF8.self).lowercased())
        if words.contains("src") || words.contains("srcset") { self.words.formUnion(words) }
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

    private static func isWord(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || byte == UInt8(ascii: "_") || byte == .hyphen || byte >= 0x80
    }
}
