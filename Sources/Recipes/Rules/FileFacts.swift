package import ImageFormats

/// The facts that the command itself reads from an image file, without a decoder.
package struct FileFacts: Hashable, Sendable {
    /// The format by the first bytes; nil if they are not those of an image.
    package var format: ImageFormat?
    /// The size in pixels, as stored; nil if the first bytes do not give it.
    package var size: ImageSize?
    package var byteCount: Int

    package init(format: ImageFormat?, size: ImageSize?, byteCount: Int) {
        self.format = format
        self.size = size
        self.byteCount = byteCount
    }

    /// The numbers of first bytes to try, until they give the format and the size.
    ///
    /// Most headers are in the first page. Profiles, thumbnails and previews can precede the others.
    package static let prefixes = [4 << 10, ImageSniffer.longestPrefix, 1 << 20, 16 << 20]

    /// Reads the facts; the result is nil if more bytes are needed.
    ///
    /// - Parameters:
    ///   - beginning: The first bytes, as many as one of ``prefixes``, or all of the file.
    ///   - byteCount: The size of the file.
    ///   - isLast: Whether no more bytes can be given.
    package init?(_ beginning: [UInt8], byteCount: Int, isLast: Bool) {
        self.init(format: nil, size: nil, byteCount: byteCount)
        let isEnough = isLast || beginning.count >= ImageSniffer.longestPrefix
        let prefix = Array(beginning.prefix(ImageSniffer.longestPrefix))
        let verdict =
            isEnough
            ? ImageSniffer.verdict(onSource: prefix)
            : ImageSniffer.verdict(on: prefix, isWhole: false)
        switch verdict {
        case .undecided where !isLast: return nil
        case .format(let format): self.format = format
        // A comment of any length can precede the root of an SVG.
        case .other, .undecided:
            if !isEnough, beginning.first == UInt8(ascii: "<") { return nil }
            return
        }
        switch format?.size(in: beginning) {
        case .size(let size): self.size = size
        case .undecided: if !isLast { return nil }
        case .unknown, nil: break
        }
    }
}
