import Recipes

/// What the outer structure of a file tells that libvips does not, without a pixel decoded.
struct Layout {
    /// Whether the file goes on to its end mark.
    ///
    /// Decoding shows that too, but a source that is passed on as it is never is decoded.
    var isComplete = true
    /// Whether there is EXIF, a text or a comment, before the pixels or behind them.
    var hasMetadata = false
    /// The number of frames, if it is one that libvips does not see.
    var frameCount: Int?

    init(of file: borrowing SourceFile, format: ImageFormat) {
        switch format {
        case .gif: readGIF(file)
        case .jpeg: readJPEG(file)
        case .png: readPNG(file)
        // Both give their lengths in front, and their loaders compare.
        case .avif, .webp: break
        case .ico, .svg: break
        }
    }

    static func bigEndian(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reduce(0) { $0 << 8 | Int($1) }
    }
}
