package import ImageFormats

/// Everything that decides a variant besides its source and the encoders.
///
/// A recipe is made from the header and the options, so that options which come to the same for an
/// image, such as two maximum widths that are both larger than it, give the same recipe and share
/// one variant.
package struct Recipe: Codable, Hashable, Sendable {
    /// One encoding: a format and how well it is done.
    package struct Encoding: Codable, Hashable, Sendable {
        package var format: ImageFormat
        /// From 1 to 100; nil for lossless: always so in PNG and GIF, and possible in WebP.
        package var quality: Int?

        package init(format: ImageFormat, quality: Int? = nil) {
            self.format = format
            self.quality = quality
        }
    }

    /// The variant where the encoding does not come out smaller than the source.
    ///
    /// The source's own bytes always mean those without metadata and trailing bytes: the pixels stay.
    package enum Alternative: Codable, Hashable, Sendable {
        /// None: the encoding is taken whatever its size.
        case none
        /// The source's own bytes.
        case source
        /// The same pixels in another encoding; of the two the smaller is taken.
        case encoding(Encoding)
        /// The same pixels in another encoding where that is smaller than the source, else the
        /// source's own bytes.
        case encodingOrSource(Encoding)
        /// The source's own bytes are taken whatever their size, once they have proved to be whole;
        /// the encoding serves where their metadata cannot be left out.
        case onlySource

        /// The other encoding.
        package var encoding: Encoding? {
            switch self {
            case .encoding(let other), .encodingOrSource(let other): other
            case .none, .source, .onlySource: nil
            }
        }

        /// Whether the source's own bytes may be taken.
        package var isSource: Bool {
            switch self {
            case .source, .encodingOrSource, .onlySource: true
            case .none, .encoding: false
            }
        }

        /// Whether there is anything else than the encoding.
        package var hasChoice: Bool { self != .none }
    }

    /// The width in pixels to scale down to; nil leaves the size alone.
    package var width: Int?
    package var encoding: Encoding
    package var alternative: Alternative

    package init(width: Int? = nil, encoding: Encoding, alternative: Alternative = .none) {
        self.width = width
        self.encoding = encoding
        self.alternative = alternative
    }
}
