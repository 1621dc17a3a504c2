import ImageFormats

/// The ratio of width and height to which a picture is cropped, such as 16:9.
package struct CropRatio: Codable, Hashable, Sendable {
    package var width: Int
    package var height: Int

    /// Reads two whole numbers from 1 to 10,000 with a colon or a slash between them, as in `16:9`; nil
    /// for another text, and if one number is more than a hundred times the other.
    package init?(_ text: String) {
        let parts = text.split(omittingEmptySubsequences: false) { $0 == ":" || $0 == "/" }
        let numbers = parts.compactMap { Int($0) }.filter((1...10_000).contains)
        guard parts.count == 2, numbers.count == 2, numbers[0] <= 100 * numbers[1],
            numbers[1] <= 100 * numbers[0]
        else { return nil }
        (width, height) = (numbers[0], numbers[1])
    }

    /// The ratio of a box, given by its width divided by its height; nil if one side is more than a
    /// hundred times the other.
    package init?(measured: Double) {
        guard (0.01...100).contains(measured) else { return nil }
        (width, height) = (Int((measured * 1_000).rounded()), 1_000)
    }
}

extension ImageHeader {
    /// Whether one picture of pixels is made of the image, of which a part can be used.
    package func takesCrop(_ options: VariantOptions) -> Bool {
        format.kind == .pixels && isKept != true && (!isAnimated || options.frames == .first)
    }

    /// The largest part of the image that has the wanted ratio; nil for all of it.
    func crop(for options: VariantOptions) -> Recipe.Crop? {
        guard let ratio = options.crop, takesCrop(options), width > 0, height > 0 else {
            return nil
        }
        let part = Recipe.Crop(
            width: min(width, max(1, (height * ratio.width + ratio.height / 2) / ratio.height)),
            height: min(height, max(1, (width * ratio.height + ratio.width / 2) / ratio.width)))
        return part.width == width && part.height == height ? nil : part
    }

    /// The header that a part of the image has.
    func cropped(to part: Recipe.Crop) -> ImageHeader {
        var header = self
        (header.width, header.height) = (part.width, part.height)
        header.shownWidth = shownWidth.map { max(1, $0 * part.width / width) }
        return header
    }
}
