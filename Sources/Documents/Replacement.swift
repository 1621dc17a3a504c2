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
    /// The image's size, added as `width` and `height` to an HTML document's `<img>` that says
    /// nothing about its size; used only if the reference is that element's `src`.
    package var size: Size?

    package init(reference: Reference, url: String, size: Size? = nil) {
        self.reference = reference
        self.url = url
        self.size = size
    }
}
