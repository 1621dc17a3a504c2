package import ImageFormats

/// The facts in the header of an image, read before any pixel is decoded.
package struct ImageHeader: Codable, Hashable, Sendable {
    /// The format, detected from the image's own bytes.
    package var format: ImageFormat
    /// The width in pixels as shown, that is, after the EXIF orientation is applied.
    ///
    /// For an SVG or ICO it is the intrinsic width. It is 0 for an SVG without a size, which fills
    /// its container.
    package var width: Int
    /// The height in pixels as shown; for an animated image the height of one frame.
    package var height: Int
    /// The number of frames; 1 for a still image.
    package var frameCount: Int
    package var hasAlpha: Bool
    /// Whether the stored pixels have to be rotated or mirrored for display.
    package var isReoriented: Bool
    /// Whether the pixels are already 8-bit sRGB or grey, without a colour profile to apply.
    package var isStandardColour: Bool
    /// Whether the pixels are stored without loss, so that lossy compression may become visible.
    package var isLossless: Bool
    /// Whether the file contains EXIF, XMP, IPTC or a comment.
    package var hasMetadata: Bool
    /// The width at which browsers show the image because of the resolution in its EXIF; nil if
    /// they use the width in pixels.
    package var shownWidth: Int?
    /// The first part of an SVG that could run or load something, as in `the SVG has a <script>
    /// (line 2)`; nil for a safe SVG and for every other image.
    package var objection: String?
    /// The parts that are removed from an SVG to make it safe, as in
    /// `2 scripts, 1 event attribute`; nil if none are.
    package var removals: String?

    /// True if the file has a gain map for HDR, which no variant keeps; else nil.
    package var hasGainMap: Bool?
    /// True if the colours or the frames of a GIF cannot be converted, so that the file is published
    /// as it is; else nil.
    package var isKept: Bool?

    package init(
        format: ImageFormat, width: Int, height: Int, frameCount: Int = 1, hasAlpha: Bool = false,
        isReoriented: Bool = false, isStandardColour: Bool = true, isLossless: Bool? = nil,
        hasMetadata: Bool = false, shownWidth: Int? = nil, objection: String? = nil,
        removals: String? = nil
    ) {
        self.format = format
        self.width = width
        self.height = height
        self.frameCount = frameCount
        self.hasAlpha = hasAlpha
        self.isReoriented = isReoriented
        self.isStandardColour = isStandardColour
        self.isLossless = isLossless ?? format.isLossless
        self.hasMetadata = hasMetadata
        self.shownWidth = shownWidth
        self.objection = objection.map { ForeignText.tidied($0) }
        self.removals = removals.map { ForeignText.tidied($0) }
    }

    /// The height that goes with ``shownWidth``, of a header that was checked.
    package var shownHeight: Int {
        guard let shownWidth, width > 0 else { return height }
        return (height * shownWidth + width / 2) / width
    }

    package var isAnimated: Bool { frameCount > 1 }

    /// The pixels of a frame.
    package var pixels: Int { ImageSize(width: width, height: height).pixels }
}
