import ImageFormats

/// How the samples of a source become sRGB, so that the result looks like the source in a browser.
///
/// Chromium is the reference, because it shows all of these cases.
///
/// A source that libvips cannot reproduce is published as it is, with the parts that decide its
/// look; one that no browser shows is refused. Of an AVIF with alpha the specification decides,
/// because Chromium takes each alpha channel for one with a limited range.
enum SourceColour: Equatable {
    /// They are sRGB or grey, or in a colour space that libvips converts by itself.
    case standard
    /// By the embedded profile, which libvips reads.
    case embedded(ColourProfile)
    /// By a profile that libvips does not read from the file.
    case attached(ColourProfile)
    /// CMYK of a JPEG without a usable profile: each colour is multiplied by black.
    case plainCMYK
    /// In a way that libvips does not know, such as HDR; only the source itself looks right.
    case unknown
}

extension SourceColour {
    /// The colour of a file by its format, its header, and what a PNG or AVIF file states outside
    /// its pixels.
    init(of format: ImageFormat, _ picture: borrowing Picture, _ stated: StatedColour) {
        let embedded = picture.profile
        switch stated {
        case .unknown: self = .unknown
        case .standard: self = .standard
        case .profile(let profile) where profile.fits(picture):
            self =
                embedded?.bytes == profile.bytes && !profile.needsColour(picture)
                ? .embedded(profile) : .attached(profile)
        case .gamma(let gamma): self = gamma.profile(for: picture).map(Self.attached) ?? .standard
        case .profile, .unstated:
            if let embedded, embedded.fits(picture) {
                self =
                    embedded.isBright
                    ? .unknown
                    : embedded.needsColour(picture) ? .attached(embedded) : .embedded(embedded)
            } else {
                self = format == .jpeg && picture.isCMYK ? .plainCMYK : .standard
            }
        }
    }
}
