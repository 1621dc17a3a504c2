/// A format of image files: one row of the table ``all``.
///
/// Both ends of the worker's socket use the rows. This module links no image library, so decoders and
/// encoders are given by the names of their libvips operations.
@dynamicMemberLookup
package struct ImageFormat: Sendable {
    /// One reference, since the values for an image hold many formats.
    private let reference: Reference

    init(_ row: FormatRow) { reference = Reference(row) }

    package subscript<Value>(dynamicMember fact: KeyPath<FormatRow, Value>) -> Value {
        reference.row[keyPath: fact]
    }

    private final class Reference: Sendable {
        let row: FormatRow

        init(_ row: FormatRow) { self.row = row }
    }
}

/// What is known about a format: all that the rest of the program decides by.
package struct FormatRow: Sendable {
    /// The name of the format in recipes, caches and options: `jpeg`.
    package var name: String
    /// The name of a file in this format in messages: `a JPEG image`.
    package var phrase: String
    /// The extensions of files in this format, in lower case and without the dot; the first is the
    /// one to write.
    package var extensions: [String]
    /// The media types (RFC 6838) that pages use; the first is the one to write.
    package var mediaTypes: [String]
    /// The beginnings of files in this format.
    package var signatures: [ImageFormat.Signature]
    /// Reads the size from the first bytes of a file.
    var sizeReader: ImageSize.Reader?
    /// The pixels that a byte of the file can hold at most; nil if there is no limit.
    var mostPixelsPerByte: Int?
    /// Reads the pixels; nil for a format that is published unchanged.
    package var decoder: ImageFormat.Decoder?
    /// Writes the pixels; nil for a format that is only read.
    package var encoder: ImageFormat.Encoder?
    /// The kind of images in this format.
    package var kind = ImageFormat.Kind.pixels
    /// Whether every browser shows this format, so that a source may be published as it is.
    package var isShownByBrowsers = false
    /// Whether feed readers and social networks show it.
    package var isShownByReaders = false
    /// Whether the format can hold transparency.
    package var hasAlphaChannel = true
    /// Whether files in this format may have several frames.
    package var mayBeAnimated = false
    /// Whether the encoder that is used here can write several frames.
    package var canBeAnimated = false
    /// Whether files in this format store their pixels without loss.
    package var isLossless = false
    /// The number of the codec in libheif (`heif_compression_format`), if the format needs one.
    package var heifCodec: Int32?
    /// The prefixes of the names of the shared libraries that decode or encode this format.
    ///
    /// Their versions are part of the cache keys of variants.
    package var libraries: [String] = []
}

extension ImageFormat {
    package enum Kind: Sendable {
        /// Pixels, which can be scaled and encoded.
        case pixels
        /// A vector image, which has no pixels to scale; it is rasterised only if the options say
        /// so.
        case drawing
        /// Bitmaps, and icons of several images, of which the browser chooses one: they are checked
        /// and published unchanged.
        case unchanged
        /// No image, but a file that images stand beside in the image folder.
        case style, font, media, script
    }

    /// The extension to write, without the dot.
    package var fileExtension: String { self.extensions[0] }

    /// The media type to write.
    package var mediaType: String { self.mediaTypes[0] }

    /// Whether a media type, in the form that pages use, belongs to this format.
    package func isMediaType(_ text: String) -> Bool {
        let type = text.prefix { $0 != ";" }.lowercased().filter { !$0.isWhitespace }
        return self.mediaTypes.contains(type)
    }

    /// The maximum width and height in pixels, with the encoder that is used here.
    package var longestSide: Int { self.encoder?.longestSide ?? Int(Int32.max) }

    /// The size of an image in this format, by the first bytes of its file.
    package func size(in prefix: [UInt8]) -> ImageSize.Verdict {
        reference.row.sizeReader?(prefix) ?? .unknown
    }

    /// Whether a file can hold so many pixels.
    package func canHold(_ pixels: Int, in byteCount: Int) -> Bool {
        reference.row.mostPixelsPerByte.map { pixels / $0 <= byteCount } ?? true
    }
}

// Formats are identified by their names alone.
extension ImageFormat: RawRepresentable, Hashable, Codable, CustomStringConvertible {
    /// The format with that name; nil if there is none.
    package init?(rawValue: String) {
        let format = (Self.all + Self.others).first { $0.rawValue == rawValue }
        guard let format else { return nil }
        self = format
    }

    /// The name of the format.
    package var rawValue: String { reference.row.name }
    package var description: String { rawValue }

    package static func == (one: Self, other: Self) -> Bool { one.rawValue == other.rawValue }

    package func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

extension ImageFormat {
    /// Bytes that identify a format.
    package enum Signature: Sendable {
        /// The first bytes of the file; nil stands for any byte.
        case bytes([UInt8?])
        /// Brands of an ISO base media file (ISO/IEC 14496-12); its first box contains one of them.
        case brands(Set<String>)

        static func text(_ text: String) -> Signature { .bytes(Array(text.utf8)) }
    }

    /// The libvips operation that reads a format.
    package struct Decoder: Sendable {
        /// The name of the operation that loads from a source.
        package var operation: String
        /// The name of the class, by which all loaders of a format are blocked together.
        package var className: String
        /// Whether the operation has a parameter for the number of frames to load.
        package var hasFrames = false
        /// Whether files can contain the image in several sizes.
        ///
        /// `vips_thumbnail` may then use one that is too small (libvips 8.14 and JPEG 2000).
        package var hasLevels = false
        /// The name of the file that contains the operation if libvips is built with modules.
        package var module: String?
    }

    /// The libvips operation that writes a format.
    package struct Encoder: Sendable {
        /// The name of the operation that saves to a buffer.
        package var operation: String
        /// Options of the operation that are always set, as in `compression=av1,bitdepth=8`.
        package var options = ""
        /// Options that an effort adds.
        package var effortOptions: [Effort: String]
        /// Options that make the result lossless.
        ///
        /// Nil if the quality alone decides that, or if the result is always lossless.
        package var losslessOptions: String?
        /// Options that make the result lossless with as little work as possible; nil if that is not
        /// needed.
        package var quickLosslessOptions: String?
        /// Options that keep more of the colours, in full size or with sharp edges.
        package var colourOptions: String?
        /// The numbers of the levels of quality, from 1 to 100; nil for a lossless format.
        package var numbers: Numbers?
        /// The maximum width and height in pixels.
        package var longestSide: Int

        /// The numbers of an encoder that look equally good in all formats.
        package struct Numbers: Sendable {
            package var low: Int
            package var medium: Int
            package var high: Int
            /// Of smooth pictures at the highest level.
            package var highest: Int
        }
    }
}

/// How good a lossy encoding looks, in every format alike.
package enum QualityLevel: String, CaseIterable, Codable, Sendable {
    case low, medium, high
}

/// How much work an encoder does to make files smaller.
///
/// It changes time and bytes. With a lossy format, it changes the picture by less than an eye sees.
package enum Effort: String, CaseIterable, Codable, Sendable {
    /// About the time of `vipsthumbnail`, at equal or fewer bytes.
    case normal
    /// The fewest bytes, for several times the time.
    case high
}
