/// An image on a page: what it is, where it stands, how large it is.
package struct ImageBox: Sendable, Decodable, Hashable {
    /// `img`, `video`, `input`, `object`, `embed`, `image` (of SVG); `icon` for a link to one; else the
    /// CSS property that names the image, after its pseudo-element if there is one, as in
    /// `::before content`.
    package var kind: String
    /// The way to the element from the nearest one with an id, as in `#top>ul>li:2>img`.
    package var path: String
    /// The place and size of the element's border box in CSS pixels, in steps of 1/64.
    package var x: Double
    package var y: Double
    package var width: Double
    package var height: Double
    /// The name of the file that is shown, without extension and without the hash that a bake adds.
    package var source: String
    /// The size in CSS pixels that the image has by itself; 0 where the browser does not tell.
    package var naturalWidth: Double
    package var naturalHeight: Double
    /// Whether the image is loaded and was decoded; true where the browser does not tell.
    package var isComplete: Bool
}

extension BrowserPage {
    /// Every image of the page and of frames from the same place, in the order of the document: the
    /// elements that show one, links to icons, and elements with an image in their style.
    package func imageBoxes() async throws -> [ImageBox] {
        try await evaluate(PageScripts.imageBoxes)
    }
}
