/// The bounds of one SVG; a normal one stays far below them.
package enum SVGLimits {
    /// The number of bytes.
    package static let longest = 16 << 20
    /// The depth of elements.
    package static let deepest = 200
    /// The number of elements.
    package static let mostElements = 200_000
    /// The number of elements to draw after each `<use>`, pattern, marker, mask and filter is
    /// replaced by its content.
    package static let mostInstances = 1_000_000
    /// The number of attributes of one element.
    package static let mostAttributes = 250
    /// The number of attributes of all elements.
    package static let mostAttributesInAll = 1_000_000
    /// The number of bytes of all style sheets.
    package static let longestStyles = 8 << 20
    /// The number of URLs in all style sheets.
    package static let mostStyleURLs = 10_000
    /// The number of bytes of a name.
    package static let longestName = 200
}
