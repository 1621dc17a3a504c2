/// A shortcode, a tag, a directive or a component that names an image.
///
/// It is written `NAME ATTRIBUTE`: `figure src`, `include figure.html image_path`, `Image src`. Without
/// an attribute it is the first value that has no name: `img`, as in `{% img /x.png %}`.
package struct ShortcodeRule: Codable, Sendable, Hashable {
    /// The name, for an include with the name of the file.
    package var name: String
    /// The attribute; nil for the first value without a name.
    package var attribute: String?

    package init(name: String, attribute: String?) {
        self.name = name
        self.attribute = attribute
    }

    /// Reads a rule as it is written; nil if there is no name, or more than a rule has.
    package init?(_ text: String) {
        let words = text.split(separator: " ").map(String.init)
        let isInclude = words.first.map(Self.includes.contains) == true
        let nameCount = isInclude ? 2 : 1
        guard words.count >= nameCount, words.count <= nameCount + 1 else { return nil }
        name = isInclude ? "include " + words[1] : words[0]
        attribute = words.count > nameCount ? words[nameCount] : nil
    }

    /// The tags whose first value is the name of what they stand for.
    static let includes: Set<String> = ["include", "include_relative", "include_cached", "render"]

    /// The rule as it is written.
    package var text: String { attribute.map { "\(name) \($0)" } ?? name }
}
