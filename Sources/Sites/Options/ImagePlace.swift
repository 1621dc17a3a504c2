package import Documents
import Reports

/// The place of an image in its page, by which images are grouped: the names and classes of its
/// element and of the elements around it, as in `body > main.post > p > img`.
package enum ImagePlace {
    /// The size of the longest place, in bytes.
    private static let longest = 1_000

    /// The place of an element; nil if its width is written in the page, or if it is too long.
    package static func text(of element: ImageElement) -> String? {
        if element.attributes.sizes != nil { return nil }
        var steps: [String] = []
        for styled in sequence(first: element.styled, next: \.parent) where styled.name != "html" {
            steps.append(step(styled))
        }
        // An attribute with a percentage is a width of its own.
        if let width = element.attributes.width, width.hasSuffix("%") {
            steps[0] += "[width=\(width)]"
        }
        let text = steps.reversed().joined(separator: " > ")
        return isPossible(text) ? text : nil
    }

    private static func step(_ element: StyledElement) -> String {
        var classes = element.classes.sorted()
        // It says nothing about the place.
        classes.removeAll { AddedSheet.isColourClass($0.utf8) }
        // Many generators write the number or the name of the page there.
        if element.name == "body" {
            classes.removeAll { $0.contains(where: \.isNumber) }
        }
        let style = element.sizingStyle.map { "[style=\($0)]" } ?? ""
        return ([element.name] + classes).joined(separator: ".") + style
    }

    /// Whether a file may contain a place; its text may be anything.
    static func isPossible(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= longest && printable(text) == text
            && !text.contains("\"")
    }
}
