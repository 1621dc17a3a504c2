/// What a document asks of one image, in attributes of its element: `data-imgbake="off"`,
/// `data-imgbake-format`, `data-imgbake-quality` and `data-imgbake-max-width`.
///
/// The values are as they are written; whether they mean something is for the caller to say.
package struct ImageControl: Sendable, Hashable {
    /// Whether the element's images are to be left as they are; they are then no references.
    package var isOff = false
    package var format: String?
    package var quality: String?
    package var maximumWidth: String?
    /// The byte at which the first of the attributes stands.
    package var offset = 0

    package init() {}
}

/// An ``ImageControl`` and what its removal takes.
struct LocatedControl: Sendable {
    var control: ImageControl
    /// The attributes, each with the blanks before it; nil if they could not be located.
    var ranges: [Range<Int>]?
    /// The slots of the attributes' values, which go with them.
    var slots: [Int]
}

extension ImageControl {
    /// Takes over one of the attributes; one that is not known is left out.
    mutating func take(_ name: Bytes, _ value: Bytes) {
        let text = String(decoding: value, as: UTF8.self)
        switch name.lowercasedText {
        case "data-imgbake": isOff = text.lowercased() == "off"
        case "data-imgbake-format": format = text
        case "data-imgbake-quality": quality = text
        case "data-imgbake-max-width": maximumWidth = text
        default: break
        }
    }
}
