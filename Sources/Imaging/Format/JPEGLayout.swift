/// What the segments of a JPEG file tell that libvips does not.
enum JPEGLayout {
    /// Whether, before the pixels, there is a comment or an application's segment beyond those
    /// that tell how to show them: JFIF, the colour profile and Adobe's colour transform.
    static func hasMetadata(_ file: borrowing SourceFile) -> Bool {
        var offset = 2
        while true {
            let head = file.bytes(at: offset, limit: 16)
            guard head.count >= 4, head[0] == 0xFF else { return false }
            let marker = head[1]
            switch marker {
            case 0xFF:
                // A byte that only fills up.
                offset += 1
                continue
            case 0xDA, 0xD9: return false
            case 0xFE: return true
            case 0xE0...0xEF where !isAboutPixels(marker, head[4...]): return true
            default: offset += 2 + Int(head[2]) << 8 + Int(head[3])
            }
        }
    }

    private static func isAboutPixels(_ marker: UInt8, _ name: ArraySlice<UInt8>) -> Bool {
        switch marker {
        case 0xE0: name.starts(with: "JFIF\0".utf8) || name.starts(with: "JFXX\0".utf8)
        case 0xE2: name.starts(with: "ICC_PROFILE".utf8)
        case 0xEE: name.starts(with: "Adobe".utf8)
        default: false
        }
    }
}
