/// A format that an image's bytes can have and that imgbake can bring into a site.
package enum ImageFormat: String, Codable, Sendable, CaseIterable {
    case avif, gif, ico, jpeg, png, svg, webp

    /// The extension of a file in this format, without the dot.
    package var fileExtension: String {
        self == .jpeg ? "jpg" : rawValue
    }

    /// The media type (RFC 6838) that says what the bytes are.
    package var mediaType: String {
        switch self {
        case .ico: "image/vnd.microsoft.icon"
        case .svg: "image/svg+xml"
        case .avif, .gif, .jpeg, .png, .webp: "image/\(rawValue)"
        }
    }

    /// Whether a media type, as pages write it, is the one of this format.
    package func isMediaType(_ text: String) -> Bool {
        let type = text.prefix { $0 != ";" }.lowercased().filter { !$0.isWhitespace }
        let others: [String] =
            switch self {
            case .ico: ["image/x-icon", "image/ico"]
            case .jpeg: ["image/jpg", "image/pjpeg"]
            case .png: ["image/x-png"]
            case .avif, .gif, .svg, .webp: []
            }
        return type == mediaType || others.contains(type)
    }

    /// Whether images of this format are passed on as they are, whatever is asked: a vector image
    /// has no pixels to scale, and an ICO holds several images of which the browser picks one.
    package var isPassedOn: Bool { self == .svg || self == .ico }

    /// Whether this format, as the encoders here write it, can hold several frames.
    package var canBeAnimated: Bool { self == .gif || self == .webp }

    /// Whether this format can hold transparency.
    package var hasAlphaChannel: Bool { self != .jpeg }

    /// The most pixels that this format, as its encoder here writes it, can be wide or high.
    package var longestSide: Int {
        switch self {
        case .webp: 16_383
        case .jpeg: 65_500
        case .avif: 65_536
        case .gif: 65_535
        case .ico, .png, .svg: Int(Int32.max)
        }
    }
}
