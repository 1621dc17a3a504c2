extension FileParts {
    /// Reads the segments in order up to the end mark, including the pixels of each scan.
    mutating func readJPEG(_ bytes: UnsafeRawBufferPointer) {
        var end = min(2, bytes.count)
        add(.image, 0..<end)
        isComplete = false
        for segment in JPEGSegments(in: bytes) {
            add(.metadata, end..<segment.range.lowerBound)
            add(Self.kind(segment.code, bytes[segment.range]), segment.range)
            end = segment.range.upperBound
            isComplete = segment.code == 0xD9
        }
        if !isComplete { add(.image, end..<bytes.count) }
    }

    private static func kind(_ code: UInt8, _ segment: Slice<UnsafeRawBufferPointer>) -> Kind {
        let content = segment.dropFirst(4)
        switch code {
        case 0xE0:
            let isJFIF = content.starts(with: "JFIF\0".utf8) || content.starts(with: "JFXX\0".utf8)
            return isJFIF ? .image : .metadata
        case 0xE1: return content.starts(with: "Exif\0".utf8) ? .exif : .metadata
        // These segments affect how the pixels are shown: a colour profile, Adobe's colour
        // transform.
        case 0xE2: return content.starts(with: "ICC_PROFILE".utf8) ? .image : .metadata
        case 0xEE: return content.starts(with: "Adobe".utf8) ? .image : .metadata
        case 0xE3...0xEF, 0xFE: return .metadata
        default: return .image
        }
    }
}

/// The complete segments of a JPEG from its start mark up to its end mark (ITU-T T.81, section B.1).
///
/// Bytes between two segments belong to none; libjpeg skips them, too.
package struct JPEGSegments: Sequence, IteratorProtocol {
    package struct Segment {
        package let code: UInt8
        /// With the mark, and the pixels that follow the header of a scan.
        package let range: Range<Int>
    }

    private let bytes: UnsafeRawBufferPointer
    private var offset = 2
    private var isAtEnd = false

    /// The bytes must stay valid while the segments are read.
    package init(in bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    package mutating func next() -> Segment? {
        guard !isAtEnd, let start = mark(from: offset) else { return nil }
        let code = bytes[start + 1]
        switch code {
        case 0xD9:
            isAtEnd = true
            fallthrough
        case 0x01, 0xD0...0xD7: offset = start + 2
        default:
            guard start + 4 <= bytes.count else { return nil }
            let end = start + 2 + Swift.max(2, bytes[start + 2..<start + 4].bigEndianNumber)
            guard end <= bytes.count else { return nil }
            offset = code == 0xDA ? mark(from: end, isInScan: true) ?? bytes.count : end
        }
        return Segment(code: code, range: start..<offset)
    }

    /// The next mark: a byte other than 0 and 0xFF after 0xFF.
    ///
    /// Pixels may have restart marks.
    private func mark(from start: Int, isInScan: Bool = false) -> Int? {
        var offset = start
        while let next = bytes[Swift.min(offset, bytes.count)...].firstIndex(of: 0xFF),
            next + 1 < bytes.count
        {
            switch bytes[next + 1] {
            case 0xFF: offset = next + 1
            case 0: offset = next + 2
            case 0xD0...0xD7 where isInScan: offset = next + 2
            default: return next
            }
        }
        return nil
    }
}
