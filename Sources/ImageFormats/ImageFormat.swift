/// A format of image files: one row of the table ``all``.
///
/// Each format has its own file in the folder `Formats` and is listed in ``all``. Both ends of the
/// worker's socket use the rows. This module links no image library, so decoders and encoders are
/// given by the names of their libvips operations.
package struct ImageFormat: Sendable {
    /// One reference, since the values for an image hold many formats.
    private let reference: Reference

    /// The name of the format in recipes, caches and options: `jpeg`.
    package var rawValue: String { reference.row.rawValue }
    /// The name of a file in this format in messages: `a JPEG image`.
    package var phrase: String { reference.row.phrase }
    /// The extensions of files in this format, in lower case and without the dot; the first is the
    /// one to write.
    package var extensions: [String] { reference.row.extensions }
    /// The media types (RFC 6838) that pages use; the first is the one to write.
    package var mediaTypes: [String] { reference.row.mediaTypes }
    /// The beginnings of files in this format.
    package var signatures: [Signature] { reference.row.signatures }
    /// Reads the pixels; nil for a format that is detected only to name it in messages.
    package var decoder: Decoder? { reference.row.decoder }
    /// Writes the pixels; nil for a format that is only read.
    package var encoder: Encoder? { reference.row.encoder }
    /// The kind of images in this format.
    package var kind: Kind { reference.row.kind }
    /// Whether every browser shows this format, so that a source may be published as it is.
    package var isShownByBrowsers: Bool { reference.row.isShownByBrowsers }
    /// Whether feed readers and social networks show it.
    package var isShownByReaders: Bool { reference.row.isShownByReaders }
    /// Whether the format can hold transparency.
    package var hasAlphaChannel: Bool { reference.row.hasAlphaChannel }
    /// Whether the format can hold several frames, with the encoder that is used here.
    package var canBeAnimated: Bool { reference.row.canBeAnimated }
    /// Whether files in this format store their pixels without loss.
    package var isLossless: Bool { reference.row.isLossless }
    /// The prefixes of the names of the shared libraries that decode or encode this format.
    ///
    /// Their versions are part of the cache keys of variants.
    package var libraries: [String] { reference.row.libraries }

    package enum Kind: Sendable {
        /// Pixels, which can be scaled and encoded.
        case pixels
        /// A vector image, which has no pixels to scale; it is rasterised only if the options say
        /// so.
        case drawing
        /// Several images, from which the browser chooses one.
        case collection
    }

    private final class Reference: Sendable {
        let row: Row

        init(_ row: Row) { self.row = row }
    }

    /// The facts that the file of a format states; the properties of the format describe them.
    struct Row: Sendable {
        var rawValue: String
        var phrase: String
        var extensions: [String]
        var mediaTypes: [String]
        var signatures: [Signature]
        var size: ImageSize.Reader?
        /// The pixels that a byte of the file can hold at most; nil if there is no limit.
        var mostPixelsPerByte: Int?
        var decoder: Decoder?
        var encoder: Encoder?
        var kind = Kind.pixels
        var isShownByBrowsers = false
        var isShownByReaders = false
        var hasAlphaChannel = true
        var canBeAnimated = false
        var isLossless = false
        var libraries: [String] = []

        var format: ImageFormat { ImageFormat(reference: Reference(self)) }
    }

    /// All formats, in the order in which their signatures are tested.
    package static let all: [ImageFormat] = [
        .jpeg, .png, .gif, .webp, .avif, .svg, .ico,
        .bmp, .cursor, .heic, .jpeg2000, .jpegXL, .svgz, .tiff,
    ]
}

extension ImageFormat {
    /// The extension to write, without the dot.
    package var fileExtension: String { extensions[0] }

    /// The media type to write.
    package var mediaType: String { mediaTypes[0] }

    /// Whether a media type, in the form that pages use, belongs to this format.
    package func isMediaType(_ text: String) -> Bool {
        let type = text.prefix { $0 != ";" }.lowercased().filter { !$0.isWhitespace }
        return mediaTypes.contains(type)
    }

    /// The maximum width and height in pixels, with the encoder that is used here.
    package var longestSide: Int { encoder?.longestSide ?? Int(Int32.max) }

    /// The size of an image in this format, by the first bytes of its file.
    package func size(in prefix: [UInt8]) -> ImageSize.Verdict {
        reference.row.size?(prefix) ?? .unknown
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
        guard let format = Self.all.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = format
    }

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
        /// The local name of the root element of an XML document, in lower case.
        case root(String)

        static func text(_ text: String) -> Signature { .bytes(Array(text.utf8)) }
    }

    /// The libvips operation that reads a format.
    package struct Decoder: Sendable {
        /// The name of the operation that loads from a source.
        package let operation: String
        /// The name of the class, by which all loaders of a format are blocked together.
        package let className: String
        /// Whether the operation has a parameter for the number of frames to load.
        package let hasFrames: Bool
        /// Whether files can contain the image in several sizes.
        ///
        /// `vips_thumbnail` may then use one that is too small (libvips 8.14 and JPEG 2000).
        package let hasLevels: Bool
        /// The name of the file that contains the operation if libvips is built with modules.
        package let module: String?

        init(
            _ operation: String, class className: String, hasFrames: Bool = false,
            hasLevels: Bool = false, module: String? = nil
        ) {
            self.operation = operation
            self.className = className
            self.hasFrames = hasFrames
            self.hasLevels = hasLevels
            self.module = module
        }
    }

    /// The libvips operation that writes a format.
    package struct Encoder: Sendable {
        /// The name of the operation that saves to a buffer.
        package let operation: String
        /// Options of the operation that are always set, as in `compression=av1,bitdepth=8`.
        package let options: String
        /// Options that an effort adds.
        package let effortOptions: [Effort: String]
        /// Options that make the result lossless.
        ///
        /// Nil if the quality alone decides that, or if the result is always lossless.
        package let losslessOptions: String?
        /// Options that make the result lossless with as little work as possible; nil if that is not
        /// needed.
        package let quickLosslessOptions: String?
        /// Options that keep more of the colours, in full size or with sharp edges.
        package let colourOptions: String?
        /// The numbers of the levels of quality, from 1 to 100; nil for a lossless format.
        package let numbers: Numbers?
        /// The maximum width and height in pixels.
        package let longestSide: Int

        init(
            _ operation: String, options: String, effortOptions: [Effort: String],
            losslessOptions: String? = nil, quickLosslessOptions: String? = nil,
            colourOptions: String? = nil, numbers: Numbers?, longestSide: Int
        ) {
            self.operation = operation
            self.options = options
            self.effortOptions = effortOptions
            self.losslessOptions = losslessOptions
            self.quickLosslessOptions = quickLosslessOptions
            self.colourOptions = colourOptions
            self.numbers = numbers
            self.longestSide = longestSide
        }
    }
}
