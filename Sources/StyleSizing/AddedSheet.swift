import DocumentSyntax

/// The style sheet whose classes stand for `style` attributes, for pages with a Content Security
/// Policy that forbids these.
///
/// Its text is the same for all sites, so that its file can be named by its content.
///
/// A sheet of each site or page would change its name with any image, and pages that have not
/// changed would have to be written again. So the colours are those of a cube, and there are no
/// pictures. The file is written before the first document that names it.
package enum AddedSheet {
    /// The class of an added `<picture>`.
    package static let pictureClass = "imgbake-picture"
    /// The class of an added `<source>`.
    package static let sourceClass = "imgbake-source"
    private static let colourStart = "imgbake-c"
    /// The hexadecimal digits of 0, 51, 102 and so on up to 255: of each part of a colour.
    private static let digits: [Character] = ["0", "3", "6", "9", "c", "f"]

    private static let colours: [String] = digits.flatMap { red in
        digits.flatMap { green in digits.map { blue in String([red, green, blue]) } }
    }

    /// The text of the style sheet.
    ///
    /// A `style` attribute overrides the rules of other style sheets, so the classes must too.
    package static let text: String =
        ".\(pictureClass){display:contents!important}\n"
        + ".\(sourceClass){display:none!important}\n"
        + colours.map { ".\(colourStart)\($0){background:#\($0) content-box}\n" }.joined()

    /// The class that shows a colour like this, from `0xRRGGBB`, while an image loads.
    package static func colourClass(_ colour: Int) -> String {
        let parts = [16, 8, 0].map { (shift: Int) -> Character in
            digits[((colour >> shift & 0xFF) * 5 + 127) / 255]
        }
        return colourStart + String(parts)
    }

    /// Whether the value of an attribute is the class of a colour.
    package static func isColourClass(_ value: some Collection<UInt8>) -> Bool {
        value.count == colourStart.utf8.count + 3 && value.starts(with: colourStart.utf8)
            && value.dropFirst(colourStart.utf8.count).allSatisfy { "0369cf".utf8.contains($0) }
    }

    /// Whether one of the classes contains a text.
    static func hasClass(containing text: String) -> Bool {
        pictureClass.contains(text) || sourceClass.contains(text)
            || colours.contains { (colourStart + $0).contains(text) }
    }
}
