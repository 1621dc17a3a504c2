internal import CVips
import Recipes

/// The loader of libvips for one format, which is never left to libvips to choose.
struct FormatLoader {
    /// The name of the operation that loads from a source.
    let operation: String
    /// The name of the class, by which the loaders of a format are blocked together.
    let className: String
    /// Whether it takes the number of frames to load.
    let hasFrames: Bool

    init?(of format: ImageFormat) {
        switch format {
        case .avif: self.init("heifload_source", "VipsForeignLoadHeif", hasFrames: false)
        case .gif: self.init("gifload_source", "VipsForeignLoadNsgif", hasFrames: true)
        case .jpeg: self.init("jpegload_source", "VipsForeignLoadJpeg", hasFrames: false)
        case .png: self.init("pngload_source", "VipsForeignLoadPng", hasFrames: false)
        case .svg: self.init("svgload_source", "VipsForeignLoadSvg", hasFrames: false)
        case .webp: self.init("webpload_source", "VipsForeignLoadWebp", hasFrames: true)
        case .ico: return nil
        }
    }

    private init(_ operation: String, _ className: String, hasFrames: Bool) {
        self.operation = operation
        self.className = className
        self.hasFrames = hasFrames
    }

    /// The first frame of an image, of which nothing but the header has been read.
    func header(of file: borrowing SourceFile) throws(Answer.Failure) -> Picture {
        Vips.allowOnly(self)
        let source = try PictureSource(file)
        let what =
            operation == "svgload_source"
            ? "the SVG cannot be measured" : "the image is damaged or cut short"
        return try Picture.made(else: .corrupt, what) { out in
            cvips_load(operation, source.source, hasFrames ? 1 : 0, out)
        }
    }

    /// The image upright, at most `width` wide and in 8-bit sRGB or grey; of an animated one all
    /// frames, one below the other.
    func thumbnail(
        of file: borrowing SourceFile, width: Int, isAnimated: Bool, hasProfile: Bool
    ) throws(Answer.Failure) -> Picture {
        Vips.allowOnly(self)
        let source = try PictureSource(file)
        let options = isAnimated ? "fail_on=error,n=-1" : "fail_on=error"
        return try Picture.made(else: .corrupt, "the image is damaged or cut short") { out in
            cvips_thumbnail(source.source, Int32(width), options, hasProfile ? "srgb" : nil, out)
        }
    }

    /// An SVG drawn `width` pixels wide.
    func drawing(
        of file: borrowing SourceFile, width: Int
    ) throws(Answer.Failure) -> Picture {
        let scale = try Double(width) / Double(header(of: file).width)
        let source = try PictureSource(file)
        return try Picture.made(else: .corrupt, "the SVG cannot be drawn") { out in
            cvips_load_svg(source.source, scale, out)
        }
    }
}

/// The bytes of a file as libvips reads them, with a single owner; neither it nor an image made from
/// it may outlive the file.
private struct PictureSource: ~Copyable {
    let source: UnsafeMutablePointer<VipsSource>

    init(_ file: borrowing SourceFile) throws(Answer.Failure) {
        guard let source = vips_source_new_from_memory(file.start, file.count) else {
            throw Vips.failure(.corrupt, "the file cannot be read")
        }
        self.source = source
    }

    deinit { cvips_unref_source(source) }
}
