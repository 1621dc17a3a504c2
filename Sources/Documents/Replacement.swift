/// What a reference is to become.
package struct Replacement: Sendable {
    /// A size in pixels.
    package struct Size: Sendable, Hashable {
        package var width: Int
        package var height: Int

        package init(width: Int, height: Int) {
            self.width = width
            self.height = height
        }
    }

    /// One of the references that were extracted from the document.
    package var reference: Reference
    /// The new URL, not empty.
    ///
    /// It is escaped as its place needs. Bytes that no URL may hold (controls, space, and the ASCII
    /// characters `"<>\^{|}` and the backtick) are percent-encoded.
    package var url: String
    /// The image's size, added as `width` and `height` to an HTML document's `<img>`.
    ///
    /// It is used only if the reference is that element's `src`, and the element has no `width`,
    /// `height`, `style` or `srcset` with `w` descriptors and is not in a `<picture>`.
    package var size: Size?
    /// New texts for claims of the reference; the others stay as they are.
    package var claims: [Reference.Claim.Kind: String]
    /// Whether a candidate of a `srcset` is taken out of it, since one before it is equal.
    ///
    /// It is only done where ``Reference/isRemovable`` says so.
    package var isRemoved: Bool

    package init(
        reference: Reference, url: String, size: Size? = nil,
        claims: [Reference.Claim.Kind: String] = [:], isRemoved: Bool = false
    ) {
        self.reference = reference
        self.url = url
        self.size = size
        self.claims = claims
        self.isRemoved = isRemoved
    }
}
