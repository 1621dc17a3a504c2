internal import CVips
import ImageFormats
import Recipes
import SafeSVG

/// The facts about a source that are known before its pixels are decoded.
struct Inspection {
    private(set) var header: ImageHeader
    /// How to convert its colours to sRGB.
    private(set) var colour = SourceColour.standard
    /// Whether libvips decodes the same image as browsers; of an animated AVIF it reads only the
    /// first frame, and of an animated PNG the image for programs that know no animation.
    private(set) var isDecodable = true
    /// Whether it draws the frames of a GIF as browsers do.
    private(set) var drawsFrames = true
    /// Whether browsers show the source, and its metadata can be removed without new pixels.
    private(set) var canKeepSource = false
    private var parts: FileParts?
    /// From the EXIF, from 1 to 8.
    private(set) var orientation = 1
    /// The bytes to use instead of the file's, if those are not safe.
    private(set) var replacement: [UInt8]?
    /// The bytes from which to draw an SVG, if librsvg would give the others another size.
    private(set) var framedDrawing: [UInt8]?
    /// The size of these bytes.
    private(set) var frame: SVGSize?

    /// - Throws: ``JobResult/JobError`` if the file is not an image, is damaged, or is an SVG that is
    ///   not safe.
    init(of file: borrowing SourceFile, limits: Limits) throws(JobResult.JobError) {
        let format = try Self.format(of: file)
        switch format.kind {
        case .unchanged where format == .bmp: self = try Self(bitmap: file)
        case .unchanged, .style, .font, .media, .script:
            guard let directory = IconDirectory(of: file.buffer) else {
                throw JobResult.JobError(.corrupt, "the icon's directory is damaged or cut short")
            }
            header = ImageHeader(
                format: format, width: directory.width, height: directory.height, hasAlpha: true)
            replacement = directory.compact(file.buffer)
        case .drawing: self = try Self(drawing: file, format: format)
        case .pixels: self = try Self(whole: file, format: format, limits: limits)
        }
    }

    private init(
        drawing file: borrowing SourceFile, format: ImageFormat
    ) throws(JobResult.JobError) {
        let isPacked = format == .svgz
        let stored =
            isPacked
            ? try Gzip.inflated(file, limit: SVGLimits.longest)
            : file.bytes(at: 0, limit: SVGLimits.longest + 1)
        let document = try SVGDocument(stored)
        replacement = document.rewritten ?? (isPacked ? stored : nil)
        frame = document.frame
        framedDrawing = document.framed
        try Self.checkDrawing(framedDrawing ?? replacement, file)
        header = ImageHeader(
            format: format, width: document.size?.width ?? 0, height: document.size?.height ?? 0,
            hasAlpha: true, objection: document.objection, removals: document.removals)
    }

    /// The source without its metadata and without trailing bytes; nil if it has neither.
    func stripped(_ file: borrowing SourceFile) -> [UInt8]? {
        parts?.stripped(file, format: header.format, orientation: orientation)
    }

    /// The source without trailing bytes, and with only `metadata`; nil if nothing changes.
    func kept(
        _ file: borrowing SourceFile, _ metadata: Recipe.Metadata?
    ) throws(JobResult.JobError) -> [UInt8]? {
        guard let parts else { return nil }
        switch metadata {
        case nil: return stripped(file)
        case .keep: return parts.trimmed(file)
        case .copyright:
            let attachments = try attachments(file, .copyright, orientation: orientation)
            guard !attachments.isEmpty else { return stripped(file) }
            guard
                let bare = parts.stripped(
                    file, format: header.format, orientation: 1, keeping: attachments)
            else { return nil }
            return attachments.added(to: bare, format: header.format)
        }
    }

    /// The blocks of the source's metadata that a variant gets.
    ///
    /// - Parameters:
    ///   - file: The source.
    ///   - metadata: The metadata to keep.
    ///   - orientation: The orientation of the variant's pixels, from 1 to 8.
    /// - Returns: The blocks.
    /// - Throws: ``JobResult/JobError``.
    func attachments(
        _ file: borrowing SourceFile, _ metadata: Recipe.Metadata?, orientation: Int = 1
    ) throws(JobResult.JobError) -> Attachments {
        var attachments = Attachments()
        guard let metadata, header.hasMetadata else { return attachments }
        let picture = try ImageDecoder(of: header.format).header(of: file)
        var exif = picture.blob(VIPS_META_EXIF_NAME).flatMap { EXIFBlock($0) }
        let xmp = picture.packet
        let iptc = picture.blob(VIPS_META_IPTC_NAME)
        switch metadata {
        case .keep:
            exif?.resetOrientation()
            attachments.exif = exif?.bytes
            attachments.xmp = xmp
            // A TIFF holds the records without this frame.
            attachments.iptc = iptc.flatMap { $0.starts(with: "Photoshop 3.0".utf8) ? $0 : nil }
        case .copyright:
            let rights = ImageRights(exif: exif, iptc: iptc, xmp: xmp)
            if !rights.isEmpty || orientation > 1 {
                attachments.exif =
                    EXIFBlock(
                        orientation: orientation, artist: rights.artist,
                        copyright: rights.copyright
                    ).bytes
            }
            // EXIF alone is enough for rights that were in EXIF alone.
            if !rights.isEmpty, xmp != nil || iptc != nil { attachments.xmp = rights.packet }
        }
        return attachments
    }

    /// The bytes to make variants of: ``replacement`` if there is one, else those of the file.
    func replaced(_ file: consuming SourceFile) -> SourceFile {
        if let replacement { return SourceFile(replacement) }
        return file
    }

    private init(bitmap file: borrowing SourceFile) throws(JobResult.JobError) {
        guard let bitmap = BMPHeader(file.buffer) else {
            throw JobResult.JobError(.corrupt, "the image is damaged or cut short")
        }
        guard bitmap.isKnown else {
            throw JobResult.JobError(
                .unsupported, "the file is a BMP image that browsers do not show")
        }
        let parts = FileParts(of: file.buffer, format: .bmp)
        guard parts.isComplete else {
            throw JobResult.JobError(.corrupt, "the image is damaged or cut short")
        }
        header = ImageHeader(
            format: .bmp, width: bitmap.width, height: bitmap.height, hasAlpha: bitmap.hasAlpha)
        self.parts = parts
        canKeepSource = true
    }

    private static func checkDrawing(
        _ replacement: [UInt8]?, _ file: borrowing SourceFile
    ) throws(JobResult.JobError) {
        let loader = try ImageDecoder(of: .svg)
        if let replacement {
            _ = try loader.header(of: SourceFile(replacement))
        } else {
            _ = try loader.header(of: file)
        }
    }

    private static func format(
        of file: borrowing SourceFile
    ) throws(JobResult.JobError) -> ImageFormat {
        let prefix = file.bytes(at: 0, limit: ImageSniffer.longestPrefix)
        let phrase: String
        switch ImageSniffer.verdict(onSource: prefix) {
        case .format(let format): return format
        case .other(let known?): phrase = known
        default: phrase = prefix.isEmpty ? "empty" : "no image of a known format"
        }
        throw JobResult.JobError(.unsupported, "the file is \(phrase)")
    }

    /// An image whose end may be missing, if nothing of its pixels is.
    private init(
        whole file: borrowing SourceFile, format: ImageFormat, limits: Limits
    ) throws(JobResult.JobError) {
        let parts = FileParts(of: file.buffer, format: format)
        if parts.isComplete {
            self = try Self(pixelsOf: file, format: format, parts)
            return
        }
        let cut = JobResult.JobError(.corrupt, "the image is cut short")
        guard let repaired = FileRepair.repaired(file.buffer, format).map(SourceFile.init) else {
            throw cut
        }
        let newParts = FileParts(of: repaired.buffer, format: format)
        guard newParts.isComplete else { throw cut }
        self = try Self(pixelsOf: repaired, format: format, newParts)
        // Nobody decodes it to see whether pixels are missing.
        if header.pixels > limits.pixels { throw cut }
        replacement = Array(repaired.buffer)
    }

    private init(
        pixelsOf file: borrowing SourceFile, format: ImageFormat, _ parts: FileParts
    ) throws(JobResult.JobError) {
        let loader = try ImageDecoder(of: format)
        let picture = try loader.header(of: file)
        let isOtherHEIF = format == .avif && picture.string("heif-compression") != "av1"
        let format = isOtherHEIF ? .heic : format
        let parts = isOtherHEIF ? FileParts(of: file.buffer, format: .heic) : parts
        let size = parts.canvas ?? (picture.width, picture.frameHeight)
        guard size.width > 0, size.height > 0 else {
            throw JobResult.JobError(.corrupt, "the image has no pixels")
        }
        colour = SourceColour(of: format, picture, StatedColour(of: file, format, parts))
        // Chromium ignores the orientation of a WebP, other programs do not. So it stays as it is.
        let isStoredTurned = format == .webp && picture.orientation > 1
        // libvips sees only one frame if it does not count frames, and in some files another
        // canvas.
        let isSameSize = size == (picture.width, picture.frameHeight)
        drawsFrames = format != .gif || isSameSize && !parts.hasGaps
        isDecodable =
            parts.frameCount == nil && isSameSize && drawsFrames && colour != .unknown
            && !isStoredTurned && !parts.isUnclearAnimation
        let fieldsAreMetadata = picture.fields.contains(where: Self.isMetadata)
        canKeepSource =
            format.isShownByBrowsers && (parts.hasMetadata || !fieldsAreMetadata)
        self.parts = parts
        guard canKeepSource || colour != .unknown else {
            throw JobResult.JobError(
                .unsupported,
                "the file is \(format.phrase) in HDR or other colours, which are not converted")
        }
        orientation = picture.orientation
        if orientation > 1, let exif = picture.blob(VIPS_META_EXIF_NAME) {
            orientation = EXIFBlock(exif)?.orientation ?? 1
        }
        let isTurned = orientation >= 5 && !isStoredTurned
        let isConverted =
            colour != .standard && (colour != .unknown || picture.hasProfile)
        header = ImageHeader(
            format: format,
            width: isTurned ? size.height : size.width,
            height: isTurned ? size.width : size.height,
            frameCount: parts.frameCount ?? (loader.hasFrames ? picture.frameCount : 1),
            hasAlpha: picture.hasAlpha || parts.hasGaps,
            isReoriented: orientation > 1 && !isStoredTurned,
            isStandardColour: picture.isEightBitStandard && !isConverted,
            isLossless: parts.isLossless,
            hasMetadata: parts.hasMetadata || fieldsAreMetadata,
            shownWidth: DensityCorrection(picture).map { isTurned ? $0.height : $0.width })
        if parts.hasGainMap(file.buffer) { header.hasGainMap = true }
        if colour == .unknown || !drawsFrames { header.isKept = true }
    }

    private static func isMetadata(_ field: String) -> Bool {
        ["exif-data", "xmp-data", "iptc-data", "photoshop-data"].contains(field)
            || field.contains("-comment") || field.hasPrefix(Picture.unknownItem)
    }
}

extension ImageHeader {
    /// Rejects an image if one of its frames has more pixels than the limit; it is damaged if its file
    /// cannot hold them.
    func check(against limits: Limits, byteCount: Int) throws(JobResult.JobError) {
        guard pixels > limits.pixels else { return }
        guard format.canHold(pixels, in: byteCount) else {
            throw JobResult.JobError(
                .corrupt, "\(byteCount) bytes are too few for \(width)×\(height) pixels")
        }
        throw JobResult.JobError(
            .tooManyPixels, "\(width)×\(height) is more than \(limits.pixels) pixels")
    }
}
