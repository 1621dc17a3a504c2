internal import ImageFormats

/// Tells the media type of a body from its first bytes.
enum MediaTypeSniffer {
    enum Verdict: Hashable {
        case image(MediaType)
        /// A phrase for the bytes that follows "the answer is".
        case other(String)
        /// More bytes are needed to tell.
        case undecided
    }

    /// How many bytes are looked at; whatever is undecided then is no image.
    static let longestPrefix = ImageSniffer.longestPrefix

    /// What the bytes are; `isWhole` says that no more will come.
    static func verdict(on bytes: [UInt8], isWhole: Bool) -> Verdict {
        switch ImageSniffer.verdict(on: bytes, isWhole: isWhole) {
        case .format(let format): .image(MediaType(rawValue: format.mediaType))
        case .other(let phrase?): .other("\(phrase), not an image")
        case .other(nil): .other("not an image")
        case .undecided: .undecided
        }
    }

    /// The image type of a file; nil if it is no image, or cannot be read.
    static func type(ofFileAt path: String) -> MediaType? {
        guard let bytes = try? FileSystem.bytes(of: path, count: longestPrefix),
            case .image(let type) = verdict(on: bytes, isWhole: true)
        else { return nil }
        return type
    }
}
