import ImageFormats
import Recipes

/// The facts about a file that its outer structure tells and libvips does not.
///
/// No pixel is decoded for them.
struct FileStructure {
    /// Whether the file goes on to its end mark.
    ///
    /// Decoding shows that too, but a source that is passed on as it is is never decoded.
    var isComplete = true
    /// Whether there is EXIF, a text or a comment, before the pixels or behind them.
    var hasMetadata = false
    /// The number of frames where libvips does not count them.
    var frameCount: Int?

    init(of file: borrowing SourceFile, format: ImageFormat) {
        // Other formats give their lengths first, and their loaders compare.
        switch format {
        case .gif: readGIF(file)
        case .jpeg: readJPEG(file)
        case .png: readPNG(file)
        default: break
        }
    }

    static func bigEndian(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reduce(0) { $0 << 8 | Int($1) }
    }
}

// MARK: - PNG

extension FileStructure {
    /// Goes from chunk to chunk: a length (4), a name (4), the data and a checksum (4) each.
    mutating func readPNG(_ file: borrowing SourceFile) {
        var offset = 8
        isComplete = false
        while true {
            let head = file.bytes(at: offset, limit: 12)
            guard head.count >= 8 else { return }
            offset += 12 + Self.bigEndian(head[0..<4])
            guard offset <= file.count else { return }
            switch String(decoding: head[4..<8], as: UTF8.self) {
            case "acTL":
                let count = Self.bigEndian(head[8...])
                if count > 1 { frameCount = count }
            case "tEXt", "zTXt", "iTXt", "eXIf": hasMetadata = true
            case "IEND":
                isComplete = true
                return
            default: break
            }
        }
    }
}
