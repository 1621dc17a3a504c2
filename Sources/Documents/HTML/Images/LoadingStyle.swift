import DocumentSyntax

/// The `style` of an `<img>` that is seen while the image loads, in the forms in which a rewrite
/// adds it.
///
/// A background of the content box is seen neither in padding nor below a border that a script adds.
///
/// It must not be seen once the image is there. It would be where the fit leaves a part of the box
/// free, where the author has a background, and where edges are half transparent because they are
/// round, turned, cut or between pixels, also by an element around the image. With padding or a
/// border, Chromium rounds the edges of background and image differently at some densities; and it
/// paints an image with `opacity` and a background in another way. Every `style` of another form
/// belongs to the author.
package enum LoadingStyle {
    private static let colourStart = "background:#"
    private static let pictureStart = "background:url(data:image/webp;base64,"
    private static let pictureEnd = ") 0 0/100% 100%" + end
    private static let end = " content-box"
    private static let mostBytes = 1_000

    /// A colour, from `0xRRGGBB`.
    package static func colour(_ colour: Int) -> String {
        let digits = String(colour & 0xFF_FFFF, radix: 16)
        return colourStart + String(repeating: "0", count: 6 - digits.count) + digits + end
    }

    /// A small WebP picture in Base64, as large as the image.
    package static func picture(_ base64: String) -> String {
        pictureStart + base64 + pictureEnd
    }

    /// Whether the value of an attribute has one of these forms.
    static func isAdded(_ value: [UInt8]) -> Bool {
        guard value.count <= mostBytes else { return false }
        if value.starts(with: colourStart.utf8) {
            let digits = value.dropFirst(colourStart.utf8.count).prefix(6)
            return value.count == colourStart.utf8.count + 6 + end.utf8.count
                && value.suffix(end.utf8.count).elementsEqual(end.utf8)
                && digits.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        }
        let (start, tail) = (pictureStart.utf8.count, pictureEnd.utf8.count)
        guard value.count > start + tail, value.starts(with: pictureStart.utf8),
            value.suffix(tail).elementsEqual(pictureEnd.utf8)
        else { return false }
        return value[start..<value.count - tail].allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                || (0x61...0x7A).contains(byte) || "+/=".utf8.contains(byte)
        }
    }
}
