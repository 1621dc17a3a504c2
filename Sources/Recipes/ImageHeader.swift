package import ImageFormats

/// What the header of an image says, before any pixel is decoded.
package struct ImageHeader: Codable, Hashable, Sendable {
    /// The format by the image's own bytes.
    package var format: ImageFormat
    /// Width in pixels as shown, that is after the EXIF orientation is applied; of an SVG or ICO
    /// the intrinsic width, 0 for an SVG that gives itself none and so fills what it is put in.
    package var width: Int
    /// Height in pixels as shown; of an animated image the height of one frame.
    package var height: Int
    /// How many frames the image has; 1 for a still one.
    package var frameCount: Int
    package var hasAlpha: Bool
    /// Whether the pixels, as stored, have to be turned or mirrored to be shown.
    package var isReoriented: Bool
    /// Whether the pixels are 8-bit sRGB or grey already, with no colour profile to apply.
    package var isStandardColour: Bool
    /// Whether EXIF, XMP, IPTC or a comment is stored beside the pixels.
    package var hasMetadata: Bool
    /// The width at which browsers show the image because of the resolution in its EXIF; nil for its
    /// width in pixels.
    package var shownWidth: Int?
    /// The first thing in an SVG that could run or load something, as in `the SVG has a <script> (line
    /// 2)`; nil for a safe SVG and for every other image.
    package var objection: String?

    package init(
        format: ImageFormat, width: Int, height: Int, frameCount: Int = 1, hasAlpha: Bool = false,
        isReoriented: Bool = false, isStandardColour: Bool = true, hasMetadata: Bool = false,
        shownWidth: Int? = nil, objection: String? = nil
    ) {
        self.format = format
        self.width = width
        self.height = height
        self.frameCount = frameCount
        self.hasAlpha = hasAlpha
        self.isReoriented = isReoriented
        self.isStandardColour = isStandardColour
        self.hasMetadata = hasMetadata
        self.shownWidth = shownWidth
        self.objection = objection
    }

    /// The height that goes with ``shownWidth``.
    package var shownHeight: Int {
        guard let shownWidth, width > 0 else { return height }
        return (height * shownWidth + width / 2) / width
    }

    package var isAnimated: Bool { frameCount > 1 }
}
