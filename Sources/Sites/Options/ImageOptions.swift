package import Recipes

/// The options of one image and its element.
package struct ImageOptions: Sendable {
    package var variants = VariantOptions()
    package var responsive = ResponsiveOptions()
    /// Whether the element gets `width` and `height` if it does not give its size.
    package var addsDimensions = false

    package init() {}

    /// The options of a site.
    package init(_ reading: ReadingOptions, _ variants: VariantOptions) {
        self.variants = variants
        responsive = reading.responsive
        addsDimensions = reading.addsDimensions
    }
}
