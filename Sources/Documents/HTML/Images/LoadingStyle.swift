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
    private static let mostBytes = 1_000

    /// A colour, from `0xRRGGBB`.
    package static func colour(_ colour: Int) -> String {
        let digits = String(colour & 0xFF_FFFF, radix: 16)
        let zeros = String(repeating: "0", count: 6 - digits.count)
        return "background:#\(zeros)\(digits) content-box"
    }

    /// A small WebP picture in Base64, as large as the image.
    package static func picture(_ base64: String) -> String {
        "background:url(data:image/webp;base64,\(base64)) 0 0/100% 100% content-box"
    }

    /// Whether the value of an attribute has one of these forms.
    static func isAdded(_ value: [UInt8]) -> Bool {
        guard value.count <= mostBytes, value.starts(with: "background:".utf8) else { return false }
        let text = String(decoding: value, as: UTF8.self)
        return text.wholeMatch(of: /background:#[0-9a-f]{6} content-box/) != nil
            || text.wholeMatch(
                of:
                    /background:url\(data:image\/webp;base64,[A-Za-z0-9+\/=]+\) 0 0\/100% 100% content-box/
            ) != nil
    }
}
