/// The value of a `sizes` attribute (HTML, "sizes attributes").
package struct ImageSizes: Hashable, Sendable {
    /// A width and the condition under which it counts; the last has none.
    fileprivate struct Entry: Hashable, Sendable {
        var condition: String
        var width: String
    }

    private let entries: [Entry]

    /// The width of the viewport.
    package static let viewport = ImageSizes(entries: [Entry(condition: "", width: "100vw")])

    private init(entries: [Entry]) { self.entries = entries }

    /// Reads a value; nil if browsers would not read it as it is meant.
    package init?(_ text: String) {
        // None of these is part of a size, and no attribute has to escape the others.
        guard text.utf8.count <= 1_000,
            text.unicodeScalars.allSatisfy({ $0.isASCII && $0.value >= 0x20 && $0.value < 0x7F }),
            !text.contains(where: "\"'&<{};\\".contains),
            let parts = Self.split(text, at: ",")
        else { return nil }
        var entries: [Entry] = []
        for part in parts {
            guard let words = Self.split(part, at: " "), let last = words.last, Self.isWidth(last)
            else { return nil }
            let condition = words.dropLast().joined(separator: " ")
            guard condition.isEmpty || Self.isCondition(condition) else { return nil }
            entries.append(Entry(condition: condition, width: last))
        }
        guard let last = entries.last, last.condition.isEmpty,
            entries.dropLast().allSatisfy({ !$0.condition.isEmpty })
        else { return nil }
        self.entries = entries
    }

    /// The text of the attribute.
    package var text: String { entries.map(\.text).joined(separator: ", ") }

    /// The sizes of an image that is never wider than a number of pixels.
    package func limited(to pixels: Int) -> ImageSizes {
        // Browsers without `min()` read this form too.
        if self == .viewport {
            return ImageSizes(entries: [
                Entry(condition: "(max-width: \(pixels)px)", width: "100vw"),
                Entry(condition: "", width: "\(pixels)px"),
            ])
        }
        return ImageSizes(
            entries: entries.map { entry in
                var entry = entry
                if let own = Self.pixels(entry.width) {
                    if own > Double(pixels) { entry.width = "\(pixels)px" }
                } else {
                    entry.width = "min(\(entry.width), \(pixels)px)"
                }
                return entry
            })
    }

    /// An image that has the same width in each viewport.
    package static func fixed(_ pixels: Int) -> ImageSizes {
        ImageSizes(entries: [Entry(condition: "", width: "\(pixels)px")])
    }

    /// The parts between separators outside of parentheses, without spaces around them; nil if a
    /// parenthesis has no other half.
    private static func split(_ text: String, at separator: Character) -> [String]? {
        var parts = [""]
        var depth = 0
        for character in text {
            if character == "(" { depth += 1 }
            if character == ")" { depth -= 1 }
            if depth < 0 { return nil }
            if character == separator, depth == 0 {
                parts.append("")
            } else {
                parts[parts.count - 1].append(character)
            }
        }
        guard depth == 0 else { return nil }
        let trimmed = parts.map { part in
            part.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
        }
        return separator == " " ? trimmed.filter { !$0.isEmpty } : trimmed
    }

    private static func isCondition(_ text: String) -> Bool {
        text.wholeMatch(of: #/\(.*|(?:not|only|screen|print|all)(?:\ .*)?/#.ignoresCase()) != nil
    }

    private static func isWidth(_ text: String) -> Bool {
        let form =
            #/
            (?:calc|min|max|clamp)\(.*\)
            | 0+(?:\.0+)?
            | (?:[0-9]+|[0-9]*\.[0-9]+)
            (?:px|vw|vh|vmin|vmax|r?em|ex|ch|cm|mm|in|pt|pc|[sld]vw|vi|vb)
            /#
        return text.wholeMatch(of: form.ignoresCase()) != nil
    }

    private static func pixels(_ width: String) -> Double? {
        width.lowercased().hasSuffix("px") ? Double(width.dropLast(2)) : nil
    }
}

extension ImageSizes.Entry {
    fileprivate var text: String { condition.isEmpty ? width : condition + " " + width }
}

extension ImageSizes: Encodable {
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
