/// What the chunks of a PNG file tell that libvips does not.
struct PNGLayout {
    /// The number of frames that an animated PNG announces; 1 for a still one.
    private(set) var frameCount = 1
    /// Whether there is a text or EXIF, before the pixels or behind them.
    private(set) var hasMetadata = false
    /// Whether every chunk is there, up to the last.
    private(set) var isComplete = false

    init(of file: borrowing SourceFile) {
        var offset = 8
        while true {
            let head = file.bytes(at: offset, limit: 12)
            guard head.count >= 8 else { return }
            let length = Self.bigEndian(head[0..<4])
            offset += 12 + length
            guard offset <= file.count else { return }
            switch String(decoding: head[4..<8], as: UTF8.self) {
            case "acTL": frameCount = max(1, Self.bigEndian(head[8...]))
            case "tEXt", "zTXt", "iTXt", "eXIf": hasMetadata = true
            case "IEND":
                isComplete = true
                return
            default: break
            }
        }
    }

    private static func bigEndian(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reduce(0) { $0 << 8 | Int($1) }
    }
}
