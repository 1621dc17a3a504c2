internal import Files
internal import ImageFormats

/// A media type, detected from the first bytes of a body and never from its name or Content-Type.
public struct MediaType: Sendable, Hashable, RawRepresentable {
    /// The type as written in a Content-Type, such as `image/png`.
    public let rawValue: String

    /// Creates a type from its text in a Content-Type.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The type `image/avif`, animated or not.
    public static let avif = Self(rawValue: "image/avif")
    /// The type `image/bmp`.
    public static let bmp = Self(rawValue: "image/bmp")
    /// The type `image/gif`.
    public static let gif = Self(rawValue: "image/gif")
    /// The type `image/heic`, also used for the other HEVC image types.
    public static let heic = Self(rawValue: "image/heic")
    /// The type `image/x-icon`, for icons and cursors.
    public static let ico = Self(rawValue: "image/x-icon")
    /// The type `image/jpeg`.
    public static let jpeg = Self(rawValue: "image/jpeg")
    /// The type `image/jxl` (JPEG XL).
    public static let jpegXL = Self(rawValue: "image/jxl")
    /// The type `image/png`.
    public static let png = Self(rawValue: "image/png")
    /// The type `image/svg+xml`.
    public static let svg = Self(rawValue: "image/svg+xml")
    /// The type `image/tiff`.
    public static let tiff = Self(rawValue: "image/tiff")
    /// The type `image/webp`.
    public static let webp = Self(rawValue: "image/webp")

    /// The type of an image, told by its first bytes; nil if they are not those of an image, or if
    /// there are too few of them.
    ///
    /// 64 KiB are enough for every type.
    public static func ofImage(beginningWith bytes: some Sequence<UInt8>) -> MediaType? {
        let prefix = Array(bytes.prefix(MediaTypeSniffer.longestPrefix))
        guard case .image(let type) = MediaTypeSniffer.verdict(on: prefix, isWhole: true) else {
            return nil
        }
        return type
    }

    /// Whether this is an image type.
    public var isImage: Bool { rawValue.hasPrefix("image/") }
}

extension MediaType: CustomStringConvertible {
    /// The type as text, such as `image/png`.
    public var description: String { rawValue }
}

/// Detects the media type of a body from its first bytes.
enum MediaTypeSniffer {
    enum Verdict: Hashable {
        case image(MediaType)
        /// A phrase that describes the bytes and follows "the response is".
        case other(String)
        /// More bytes are needed.
        case undecided
    }

    /// The number of bytes that are examined.
    ///
    /// A body that is undecided after them is not an image.
    static let longestPrefix = ImageSniffer.longestPrefix

    /// Classifies the bytes; `isWhole` means that no more bytes will come.
    static func verdict(on bytes: [UInt8], isWhole: Bool) -> Verdict {
        switch ImageSniffer.verdict(on: bytes, isWhole: isWhole) {
        case .format(let format): .image(MediaType(rawValue: format.mediaType))
        case .other(let phrase?): .other("\(phrase), not an image")
        case .other(nil): .other("not an image")
        case .undecided: .undecided
        }
    }

    /// The image type of a file; nil if it is not an image or cannot be read.
    static func type(ofFileAt path: String) -> MediaType? {
        guard let bytes = try? OpenFile(reading: path).read(atMost: longestPrefix),
            case .image(let type) = verdict(on: bytes, isWhole: true)
        else { return nil }
        return type
    }
}
