extension ImageFormat {
    /// The number of bytes that ``ends(with:of:)`` looks at.
    package static let longestEnd = 12

    /// Whether a file ends where its format says that it ends, so that nothing is appended to it.
    ///
    /// - Parameters:
    ///   - start: At least the first ``longestEnd`` bytes.
    ///   - end: The last ``longestEnd`` bytes.
    ///   - byteCount: The size of the file.
    /// - Returns: True for formats in which this takes more than these bytes.
    package func ends(_ start: [UInt8], with end: [UInt8], of byteCount: Int) -> Bool {
        guard start.count >= Self.longestEnd, end.count == Self.longestEnd else { return false }
        switch self {
        case .png: return end == [0, 0, 0, 0] + Array("IEND".utf8) + [0xAE, 0x42, 0x60, 0x82]
        case .gif: return end.last == 0x3B
        case .jpeg: return end.suffix(2) == [0xFF, 0xD9]
        case .webp:
            // The length of the only chunk, which is padded to an even number (RFC 9649, section
            // 2.4).
            let length = ByteFields(start).littleEndian(at: 4, count: 4) ?? 0
            return 8 + length + length % 2 == byteCount
        default: return true
        }
    }
}
