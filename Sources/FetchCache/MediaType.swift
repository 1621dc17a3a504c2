/// What the bytes of a body are, by their beginning and never by their name or Content-Type.
public struct MediaType: Sendable, Hashable, RawRepresentable {
    /// The type as it is written in a Content-Type: `image/png`.
    public let rawValue: String

    /// Takes a type as it is written in a Content-Type.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// `image/avif`, animated or not.
    public static let avif = Self(rawValue: "image/avif")
    /// The type `image/bmp`.
    public static let bmp = Self(rawValue: "image/bmp")
    /// The type `image/gif`.
    public static let gif = Self(rawValue: "image/gif")
    /// `image/heic`, and its other HEVC relations.
    public static let heic = Self(rawValue: "image/heic")
    /// `image/x-icon`: icons and cursors.
    public static let ico = Self(rawValue: "image/x-icon")
    /// The type `image/jpeg`.
    public static let jpeg = Self(rawValue: "image/jpeg")
    /// `image/jxl`: JPEG XL.
    public static let jpegXL = Self(rawValue: "image/jxl")
    /// The type `image/png`.
    public static let png = Self(rawValue: "image/png")
    /// The type `image/svg+xml`.
    public static let svg = Self(rawValue: "image/svg+xml")
    /// The type `image/tiff`.
    public static let tiff = Self(rawValue: "image/tiff")
    /// The type `image/webp`.
    public static let webp = Self(rawValue: "image/webp")

    /// Whether this is a kind of image.
    public var isImage: Bool { rawValue.hasPrefix("image/") }
}

extension MediaType: CustomStringConvertible {
    /// The same as ``rawValue``.
    public var description: String { rawValue }
}
