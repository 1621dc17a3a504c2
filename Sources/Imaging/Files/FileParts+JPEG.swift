extension FileStructure {
    /// Goes from segment to segment up to the pixels, then looks for the end mark behind them.
    mutating func readJPEG(_ file: borrowing SourceFile) {
        var offset = 2
        isComplete = false
        while true {
            let head = file.bytes(at: offset, limit: 16)
            guard head.count >= 4 else { return }
            guard head[0] == 0xFF else {
                // Bytes that belong to no segment; libjpeg passes over them.
                isComplete = Self.hasEndMark(file, after: offset)
                return
            }
            let marker = head[1]
            switch marker {
            case 0xFF:
                // A byte that only fills up.
                offset += 1
                continue
            case 0xDA:
                isComplete = Self.hasEndMark(file, after: offset)
                return
            case 0xFE: hasMetadata = true
            case 0xE0...0xEF where !Self.isAboutPixels(marker, head[4...]): hasMetadata = true
            default: break
            }
            offset += 2 + Self.bigEndian(head[2..<4])
        }
    }

    /// Whether a segment of an application tells how the pixels are to be shown: JFIF, a colour
    /// profile, Adobe's colour transform.
    private static func isAboutPixels(_ marker: UInt8, _ name: ArraySlice<UInt8>) -> Bool {
        switch marker {
        case 0xE0: name.starts(with: "JFIF\0".utf8) || name.starts(with: "JFXX\0".utf8)
        case 0xE2: name.starts(with: "ICC_PROFILE".utf8)
        case 0xEE: name.starts(with: "Adobe".utf8)
        default: false
        }
    }

    /// Looks from the end of the file, where the mark is unless something was appended.
    private static func hasEndMark(_ file: borrowing SourceFile, after start: Int) -> Bool {
        let window = 1 << 16
        var end = file.count
        while end > start {
            let from = max(start, end - window)
            let bytes = file.bytes(at: from, limit: end - from)
            for index in bytes.indices.dropLast().reversed()
            where bytes[index] == 0xFF && bytes[index + 1] == 0xD9 {
                return true
            }
            // The two bytes may lie in two windows.
            end = from == start ? start : from + 1
        }
        return false
    }
}
