/// A rule that says which argument of a shortcode, tag, directive or component names an image.
///
/// It is written `NAME ATTRIBUTE`, for example `figure src`, `include figure.html image_path` or
/// `Image src`. Without an attribute it means the first positional argument: `img` for
/// `{% img /x.png %}`.
package struct ShortcodeRule: Codable, Sendable, Hashable {
    /// The name; for an include, the tag and the file name.
    package var name: String
    /// The attribute; nil for the first positional argument.
    package var attribute: String?

    package init(name: String, attribute: String?) {
        self.name = name
        self.attribute = attribute
    }

    /// Parses a rule; nil if the text has no name or too many words.
    package init?(_ text: String) {
        let words = text.split(separator: " ").map(String.init)
        let isInclude = words.first.map(Self.includes.contains) == true
        let nameCount = isInclude ? 2 : 1
        guard words.count >= nameCount, words.count <= nameCount + 1 else { return nil }
        name = isInclude ? "include " + words[1] : words[0]
        attribute = words.count > nameCount ? words[nameCount] : nil
    }

    /// The tags whose first argument is the name of the included file.
    static let includes: Set<String> = ["include", "include_relative", "include_cached", "render"]

    /// The rule as text.
    package var text: String { attribute.map { "\(name) \($0)" } ?? name }
}
