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
