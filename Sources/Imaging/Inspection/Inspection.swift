internal import CVips
import ImageFormats
import Recipes

/// The facts about a source that are known before a pixel of it is decoded.
struct Inspection {
    let header: ImageHeader
    /// Whether a colour profile is embedded.
    private(set) var hasProfile = false
    /// Whether every frame can be decoded: libvips reads the first of an animated PNG alone.
    private(set) var isDecodable = true
    /// The bytes to use in place of the file's, if those are not safe.
    private(set) var replacement: [UInt8]?

    /// - Throws: ``Answer/Failure`` if it is no image, damaged, or an SVG that is not safe.
    init(of file: borrowing SourceFile) throws(Answer.Failure) {
        let format = try Self.format(of: file)
        switch format.kind {
        case .collection:
            let (width, height) = try IconDirectory.size(of: file)
            header = ImageHeader(format: format, width: width, height: height, hasAlpha: true)
        case .drawing:
            let document = try SVGDocument(file.bytes(at: 0, limit: SVGDocument.longest + 1))
            replacement = document.sanitised
            try Self.checkDrawing(document.sanitised, file)
            header = ImageHeader(
                format: format, width: document.size?.width ?? 0,
                height: document.size?.height ?? 0, hasAlpha: true,
                objection: document.objection)
        case .pixels:
            self = try Self(pixelsOf: file, format: format)
        }
    }

    /// The bytes to make variants of: ``replacement`` if there is one.
    func replaced(_ file: consuming SourceFile) -> SourceFile {
        if let replacement { return SourceFile(replacement) }
        return file
    }

    private static func checkDrawing(
        _ replacement: [UInt8]?, _ file: borrowing SourceFile
    ) throws(Answer.Failure) {
        let loader = try ImageLoader(of: .svg)
        if let replacement {
            _ = try loader.header(of: SourceFile(replacement))
        } else {
            _ = try loader.header(of: file)
        }
    }

    private static func format(
        of file: borrowing SourceFile
    ) throws(Answer.Failure) -> ImageFormat {
        let prefix = file.bytes(at: 0, limit: ImageSniffer.longestPrefix)
        let phrase: String
        switch ImageSniffer.verdict(on: prefix, isWhole: true) {
        case .format(let format) where format.decoder != nil || format == .ico: return format
        case .format(let format): phrase = format.phrase
        case .other(let known?): phrase = known
        // An XML document whose root is not whole: the parser says where it breaks off.
        case _ where prefix.first == UInt8(ascii: "<"): return .svg
        default: phrase = prefix.isEmpty ? "empty" : "no image of a known format"
        }
        throw Answer.Failure(.unsupported, "the file is \(phrase)")
    }

    private init(
        pixelsOf file: borrowing SourceFile, format: ImageFormat
    ) throws(Answer.Failure) {
        let loader = try ImageLoader(of: format)
        let prefix = file.bytes(at: 0, limit: ImageSniffer.longestPrefix)
        if ImageSniffer.brands(of: prefix).first == "avis" {
            throw Answer.Failure(
                .unsupported, "the file is an animated AVIF, which cannot be decoded here")
        }
        let picture = try loader.header(of: file)
        if format == .avif, picture.string("heif-compression") != "av1" {
            throw Answer.Failure(.unsupported, "the file is a HEIF image without AV1 in it")
        }
        let structure = FileStructure(of: file, format: format)
        guard structure.isComplete else {
            throw Answer.Failure(.corrupt, "the image is cut short")
        }
        // Frames that libvips does not count, it cannot decode.
        isDecodable = structure.frameCount == nil
        let frameCount = structure.frameCount ?? (loader.hasFrames ? picture.frameCount : 1)
        let hasMetadata = structure.hasMetadata || picture.fields.contains(where: Self.isMetadata)
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
