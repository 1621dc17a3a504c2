/// A format that an image's bytes can have and that imgbake can bring into a site.
package enum ImageFormat: String, Codable, Sendable, CaseIterable {
    case avif, gif, ico, jpeg, png, svg, webp

    /// The extension of a file in this format, without the dot.
    package var fileExtension: String {
        self == .jpeg ? "jpg" : rawValue
    }

    /// Whether images of this format are passed on as they are, whatever is asked: a vector image
    /// has no pixels to scale, and an ICO holds several images of which the browser picks one.
    package var isPassedOn: Bool { self == .svg || self == .ico }

    /// Whether this format, as the encoders here write it, can hold several frames.
    package var canBeAnimated: Bool { self == .gif || self == .webp }

    /// Whether this format can hold transparency.
    package var hasAlphaChannel: Bool { self != .jpeg }
}
