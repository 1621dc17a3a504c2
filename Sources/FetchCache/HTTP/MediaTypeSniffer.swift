internal import Files
internal import ImageFormats

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
