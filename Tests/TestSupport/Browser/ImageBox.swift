/// An image on a page with its kind, position and size.
package struct ImageBox: Sendable, Decodable, Hashable {
    /// The kind of element: `img`, `video`, `input`, `object`, `embed`, `image` (of SVG), or `icon`
    /// for a link to one.
    ///
    /// For an image in a style it is the CSS property, after the pseudo-element if there is one, as
    /// in `::before content`.
    package var kind: String
    /// The path to the element from the nearest ancestor with an id, as in `#top>ul>li:2>img`.
    package var path: String
    /// The position and size of the element's border box in CSS pixels, in steps of 1/64.
    package var x: Double
    package var y: Double
    package var width: Double
    package var height: Double
    /// The name of the displayed file without extension and without the hash that a bake adds.
    package var source: String
    /// The intrinsic size of the image in CSS pixels; 0 if the browser does not report it.
    package var naturalWidth: Double
    package var naturalHeight: Double
    /// Whether the image was loaded and decoded; true if the browser does not report it.
    package var isComplete: Bool
}

extension BrowserPage {
    /// Every image of the page and of its same-origin frames in document order: elements that show
    /// an image, links to icons, and elements with an image in their style.
    package func imageBoxes() async throws -> [ImageBox] {
        try await evaluate(PageScripts.imageBoxes)
    }
}
