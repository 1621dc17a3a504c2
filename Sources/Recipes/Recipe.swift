package import ImageFormats

/// Everything that decides a variant, besides its source and the encoders.
///
/// A recipe is derived from the header and the options. Options with the same effect on an image,
/// such as two maximum widths that are both larger than it, give the same recipe and share one
/// variant.
package struct Recipe: Codable, Hashable, Sendable {
    /// The version of everything that turns a recipe and a source into bytes.
    ///
    /// Stored variants of another version are not used. Variants are dear to make, so their version
    /// does not change with each build: `GoldenVariantTests` fails when a change of the code gives
    /// other bytes and this number stays the same.
    package static let version = 17

    /// An encoding: a format, its quality and the work to put into it.
    package struct Encoding: Codable, Hashable, Sendable {
        package var format: ImageFormat
        /// Nil to encode without loss, which is the only choice in PNG and GIF and possible in WebP.
        package var quality: Quality?
        /// How much work to do for fewer bytes.
        package var effort: Effort

        package init(format: ImageFormat, quality: Quality? = nil, effort: Effort = .normal) {
            self.format = format
            self.quality = quality
            self.effort = effort
        }

        /// The encoder's number; nil for lossless, and for a level.
        package var number: Int? {
            if case .number(let number) = quality { number } else { nil }
        }

        /// The encoding in the same format and with the same effort, without loss.
        package var lossless: Encoding { Encoding(format: format, effort: effort) }
    }

    /// The alternative if the encoding is not smaller than the source.
    ///
    /// The source's own bytes never include metadata and trailing bytes; the pixels are unchanged.
    package enum Alternative: Codable, Hashable, Sendable {
        /// None: the encoding is used, whatever its size.
        case none
        /// The source's own bytes.
        case source
        /// The same pixels in another encoding; the smaller of the two is used.
        case encoding(Encoding)
        /// The same pixels in another encoding if that is smaller than the source, else the
        /// source's own bytes.
        case encodingOrSource(Encoding)
        /// The source's own bytes, whatever their size, after a check that they are complete; the
        /// encoding is used if their metadata cannot be removed.
        case onlySource

        /// The other encoding.
        package var encoding: Encoding? {
            switch self {
            case .encoding(let other), .encodingOrSource(let other): other
            case .none, .source, .onlySource: nil
            }
        }

        /// Whether the source's own bytes may be used.
        package var isSource: Bool {
            switch self {
            case .source, .encodingOrSource, .onlySource: true
            case .none, .encoding: false
            }
        }

        /// Whether there is an alternative to the encoding.
        package var hasChoice: Bool { self != .none }
    }

    /// The metadata of the variant.
    package enum Metadata: String, Codable, Hashable, Sendable {
        /// The author and the copyright.
        case copyright
        /// EXIF, XMP and IPTC.
        case keep
    }

    /// The frames of the variant.
    package enum Frames: String, Codable, Hashable, Sendable {
        /// The first, as a still image.
        case first
    }

    /// A part of the picture, around what draws the eye.
    package struct Crop: Codable, Hashable, Sendable {
        /// In pixels of the upright source.
        package var width: Int
        package var height: Int
    }

    /// The part that is used; nil, the default, for all of the picture.
    package var crop: Crop?
    /// The width in pixels to scale down to; nil keeps the size.
    package var width: Int?
    package var encoding: Encoding
    package var alternative: Alternative
    /// The frames of an animation to use; nil, the default, for all.
    package var frames: Frames?
    /// The metadata to keep; nil, the default, for none.
    package var metadata: Metadata?

    /// Whether the picture decides if the encoding may lose anything.
    ///
    /// A graphic, which has few colours or few pixels, is encoded in the same format without loss.
    /// A photograph is encoded with the quality of the encoding. Any other picture, such as a
    /// screenshot, is encoded with that quality only if this takes less than a third of the bytes
    /// that it has without loss.
    package var keepsGraphics: Bool
    /// Whether the image is decoded in its full size and then scaled.
    ///
    /// Variants of several widths then share one decoding. Otherwise, decoders scale while they
    /// read, which is faster for one width.
    package var isScaledFromWhole = false
    /// Whether the variant is the picture that stands for the image while it loads.
    package var isPlaceholder = false

    package init(
        width: Int? = nil, encoding: Encoding, alternative: Alternative = .none,
        metadata: Metadata? = nil, keepsGraphics: Bool = false
    ) {
        self.width = width
        self.encoding = encoding
        self.alternative = alternative
        self.metadata = metadata
        self.keepsGraphics = keepsGraphics
    }

    /// Whether only the first frame of an animation is used.
    package var isStill: Bool { frames == .first }
}
