import DocumentSyntax

/// Settings for one image, given by attributes of its element: `data-imgbake="off"`,
/// `data-imgbake-format`, `data-imgbake-quality`, `data-imgbake-max-width`,
/// `data-imgbake-crop`, `data-imgbake-frames`, `data-imgbake-widths`, `data-imgbake-sizes` and
/// `data-imgbake-formats`.
///
/// The values are the attributes' text. The caller validates them.
package struct ImageControl: Sendable, Hashable {
    /// Whether the element is excluded.
    ///
    /// Its images are then not references.
    package var isOff = false
    package var format: String?
    package var quality: String?
    package var maximumWidth: String?
    package var crop: String?
    package var frames: String?
    package var widths: String?
    package var sizes: String?
    package var formats: String?
    /// The offset of the first of these attributes, in bytes.
    package var offset = 0

    package init() {}

    /// Whether the image is cropped to the box that it covers.
    package var cropsToBox: Bool { crop?.lowercased() == "cover" }
}

/// An ``ImageControl`` and the ranges to delete when it is removed from the document.
struct LocatedControl: Sendable {
    var control: ImageControl
    /// The ranges of the attributes, each with the whitespace before it; nil if they could not be
    /// located.
    var ranges: [Range<Int>]?
    /// The slots of the attributes' values.
    ///
    /// Removing the control removes them too.
    var slots: [Int]
}

extension ImageControl {
    /// Reads one attribute; attributes with other names are ignored.
    mutating func read(_ name: UnsafeBytes, _ value: UnsafeBytes) {
        let text = String(decoding: value, as: UTF8.self)
        switch name.lowercasedText {
        case "data-imgbake": isOff = text.lowercased() == "off"
        case "data-imgbake-format": format = text
        case "data-imgbake-quality": quality = text
        case "data-imgbake-max-width": maximumWidth = text
        case "data-imgbake-crop": crop = text
        case "data-imgbake-frames": frames = text
        case "data-imgbake-widths": widths = text
        case "data-imgbake-sizes": sizes = text
        case "data-imgbake-formats": formats = text
        default: break
        }
    }
}

/// The comments `<!-- imgbake-off -->` and `<!-- imgbake-on -->` in a text.
///
/// No image between the two is a reference. Without an `on`, imgbake is off until the end.
enum ToggleComments {
    /// Whether a comment, given by the text between `<!--` and `-->`, turns imgbake off (true) or on
    /// (false); nil for other comments.
    static func isOff(_ comment: UnsafeBytes) -> Bool? {
        let word = comment.trimmingWhitespace(0..<comment.count)
        if comment.isWord("imgbake-off", in: word) { return true }
        return comment.isWord("imgbake-on", in: word) ? false : nil
    }
}
