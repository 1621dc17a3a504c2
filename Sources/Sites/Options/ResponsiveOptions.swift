package import Documents
package import ImageFormats
package import Recipes
package import Reports

/// The options for images in several widths.
package struct ResponsiveOptions: Encodable, Hashable, Sendable {
    /// Whether images get a `srcset`; false by default.
    package var isOn = false
    /// The widths to make, in pixels, where an image is wider.
    package var widths = [320, 480, 640, 960, 1280, 1600, 1920]
    /// The formats of the sources of a `<picture>`, the preferred one first; none by default, for no
    /// `<picture>`.
    package var formats: [ImageFormat] = []
    /// The width of images on the page, where nothing else tells it.
    package var sizes = ImageSizes.viewport
    /// Whether images get `loading="lazy"` and `decoding="async"`; true by default.
    package var loadsLazily = true

    /// What is shown while an image loads; nothing by default.
    package var placeholder = LoadingPlaceholder.none

    package init() {}

    /// Whether the elements of images get more than another URL.
    package var describesImages: Bool { isOn || placeholder != .none }

    /// The most widths of an image.
    package static let mostWidths = 16
    /// The allowed widths; WebP has no wider image.
    package static let allowedWidths = 1...16_383
    /// The allowed formats.
    package static let allowedFormats: [ImageFormat] = [.avif, .webp, .jpeg, .png]
}

/// The options for one element, from the site and from its control.
package struct ResponsiveChoice: Hashable, Sendable {
    /// The widths to make; nil for those of the site.
    package var widths: [Int]?
    /// The width on the page that the author states; nil if there is none.
    package var sizes: ImageSizes?
    /// The formats of the sources; nil for those of the site.
    package var formats: [ImageFormat]?
    /// Whether the element is left as it is.
    package var isOff = false

    package init() {}

    /// Reads a control.
    ///
    /// - Throws: ``Problem`` for a value that is not allowed.
    package init(_ control: ImageControl) throws(Problem) {
        if let text = control.widths {
            if text.lowercased() == "off" {
                isOff = true
            } else {
                let words = text.split { $0 == "," || $0.isWhitespace }
                let numbers = words.compactMap { Int($0) }
                    .filter(ResponsiveOptions.allowedWidths.contains)
                guard numbers.count == words.count,
                    (1...ResponsiveOptions.mostWidths).contains(numbers.count)
                else {
                    throw Problem(
                        .invalidControl,
                        "data-imgbake-widths=\"\(text)\" must be off, or up to "
                            + "\(ResponsiveOptions.mostWidths) whole numbers from 1 to 16383")
                }
                widths = numbers
            }
        }
        if let text = control.sizes {
            guard let sizes = ImageSizes(text) else {
                throw Problem(
                    .invalidControl,
                    "data-imgbake-sizes=\"\(text)\" must be the value of a sizes attribute")
            }
            self.sizes = sizes
        }
        if let text = control.formats { formats = try Self.formats(text) }
    }

    private static func formats(_ text: String) throws(Problem) -> [ImageFormat] {
        if text.lowercased() == "off" { return [] }
        let allowed = ResponsiveOptions.allowedFormats
        let words = text.lowercased().split { $0 == "," || $0.isWhitespace }
        let formats = words.compactMap { word in allowed.first { $0.rawValue == word } }
        guard !formats.isEmpty, formats.count == words.count, Set(formats).count == words.count
        else {
            throw Problem(
                .invalidControl,
                "data-imgbake-formats=\"\(text)\" must be off, or one or more of "
                    + allowed.map(\.rawValue).joined(separator: ", "))
        }
        return formats
    }
}
