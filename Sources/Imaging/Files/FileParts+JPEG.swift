import ImageFormats

extension FileParts {
    /// Reads the segments in order up to the end mark, including the pixels of each scan.
    mutating func readJPEG(_ file: borrowing SourceFile) {
        let bytes = file.buffer
        isComplete = false
        add(.image, 0..<min(2, bytes.count))
        var offset = 2
        var isBehindPixels = false
        while offset + 1 < bytes.count {
            guard bytes[offset] == 0xFF else {
                // These bytes belong to no segment; libjpeg skips them, too.
                guard let mark = Self.lastEndMark(bytes, after: offset) else { break }
                isComplete = true
                return add(.image, offset..<mark)
            }
            let start = offset
            switch bytes[offset + 1] {
            case 0xFF:
                // A fill byte.
                offset += 1
                add(.image, start..<offset)
                continue
            case 0xD9:
                isComplete = true
                return add(.image, start..<start + 2)
            case 0x01, 0xD0...0xD7:
                offset += 2
                add(.image, start..<offset)
                continue
            default: break
            }
            guard offset + 4 <= bytes.count else { break }
            let length = bytes[offset + 2..<offset + 4].bigEndianNumber
            let end = offset + 2 + max(2, length)
            guard end <= bytes.count else { break }
            if bytes[offset + 1] == 0xDA {
                isBehindPixels = true
                offset = Self.scanEnd(bytes, from: end)
                add(.image, start..<offset)
            } else {
                offset = end
                // Bytes that look like a segment here may belong to damaged pixels.
                add(isBehindPixels ? .image : Self.kind(bytes[start..<end]), start..<end)
            }
        }
        isComplete = isBehindPixels && Self.lastEndMark(bytes, after: offset) != nil
        add(.image, end..<bytes.count)
    }

    private static func kind(_ segment: Slice<UnsafeRawBufferPointer>) -> Kind {
        let content = segment.dropFirst(4)
        switch segment[segment.startIndex + 1] {
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

    /// The end of a scan's pixels: a marker that is not a restart marker.
    ///
    /// A zero after 0xFF means that it is not a marker.
    private static func scanEnd(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var offset = start
        while offset + 1 < bytes.count {
            guard let next = bytes[offset...].firstIndex(of: 0xFF), next + 1 < bytes.count else {
                return bytes.count
            }
            switch bytes[next + 1] {
            case 0, 0xD0...0xD7: offset = next + 2
            case 0xFF: offset = next + 1
            default: return next
            }
        }
        return bytes.count
    }

    /// The offset after the last end mark.
    private static func lastEndMark(_ bytes: UnsafeRawBufferPointer, after start: Int) -> Int? {
        var index = bytes.count - 2
        while index > start {
            if bytes[index] == 0xFF && bytes[index + 1] == 0xD9 { return index + 2 }
            index -= 1
        }
        return nil
    }
}
