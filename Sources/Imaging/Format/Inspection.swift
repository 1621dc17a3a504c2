internal import CVips
import Recipes

/// What is known of a source before a pixel of it is decoded.
struct Inspection {
    let header: ImageHeader
    /// Whether a colour profile is embedded.
    private(set) var hasProfile = false
    /// Whether every frame can be decoded: libvips reads the first of an animated PNG alone.
    private(set) var isDecodable = true

    /// - Throws: ``Answer/Failure`` if it is no image, damaged, or an SVG that is not safe.
    init(of file: borrowing SourceFile) throws(Answer.Failure) {
        let format: ImageFormat
        switch Sniffed(file.bytes(at: 0, limit: Sniffed.length)) {
        case .image(let known): format = known
        case .other(let what): throw Answer.Failure(.unsupported, "the file is \(what)")
        }
        switch format {
        case .ico:
            let (width, height) = try IconDirectory.size(of: file)
            header = ImageHeader(format: .ico, width: width, height: height, hasAlpha: true)
        case .svg:
            let size = try SVGInspector.check(file)
            header = try Self.drawingHeader(of: file, size)
        case .avif, .gif, .jpeg, .png, .webp:
            self = try Self(pixelsOf: file, format: format)
        }
    }

    private init(
        pixelsOf file: borrowing SourceFile, format: ImageFormat
    ) throws(Answer.Failure) {
        guard let loader = FormatLoader(of: format) else {
            throw Answer.Failure(.unsupported, "\(format.rawValue) has no loader")
        }
        let picture = try loader.header(of: file)
        if format == .avif, picture.string("heif-compression") != "av1" {
            throw Answer.Failure(.unsupported, "the file is a HEIF image without AV1 in it")
        }
        let layout = Layout(of: file, format: format)
        guard layout.isComplete else {
            throw Answer.Failure(.corrupt, "the image is cut short")
        }
        // What only the layout counts, libvips cannot decode.
        isDecodable = layout.frameCount == nil
        let frameCount = layout.frameCount ?? (loader.hasFrames ? picture.frameCount : 1)
        let hasMetadata = layout.hasMetadata || picture.fields.contains(where: Self.isMetadata)
        hasProfile = picture.hasProfile
        let isTurned = picture.orientation >= 5
        header = ImageHeader(
            format: format,
            width: isTurned ? picture.frameHeight : picture.width,
            height: isTurned ? picture.width : picture.frameHeight,
            frameCount: frameCount,
            hasAlpha: picture.hasAlpha,
            isReoriented: picture.orientation > 1,
            isStandardColour: picture.isEightBitStandard && !picture.hasProfile,
            hasMetadata: hasMetadata,
            shownWidth: DensityCorrection(picture).map { isTurned ? $0.height : $0.width })
    }

    private static func drawingHeader(
        of file: borrowing SourceFile, _ size: SVGSize?
    ) throws(Answer.Failure) -> ImageHeader {
        guard let loader = FormatLoader(of: .svg) else {
            throw Answer.Failure(.unsupported, "SVG has no loader")
        }
        _ = try loader.header(of: file)
        return ImageHeader(
            format: .svg, width: size?.width ?? 0, height: size?.height ?? 0, hasAlpha: true)
    }

    private static func isMetadata(_ field: String) -> Bool {
        ["exif-data", "xmp-data", "iptc-data", "photoshop-data"].contains(field)
            || field.contains("-comment")
    }
}

extension ImageHeader {
    /// Refuses what has more pixels than the limit.
    ///
    /// It holds for all frames together: they are decoded into one tall image.
    func check(against limits: Limits) throws(Answer.Failure) {
        let (area, isWide) = width.multipliedReportingOverflow(by: height)
        let (pixels, isLong) = area.multipliedReportingOverflow(by: frameCount)
        guard isWide || isLong || pixels > limits.pixels else { return }
        let frames = isAnimated ? " in \(frameCount) frames" : ""
        throw Answer.Failure(
            .tooManyPixels, "\(width)×\(height)\(frames) is more than \(limits.pixels) pixels")
    }
}
