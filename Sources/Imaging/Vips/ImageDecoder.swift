internal import CVips
import ImageFormats
import Recipes

/// Loads images of one format; libvips never selects the loader.
///
/// The decoder of JPEG leaves a factor of two to libvips, which scales the rest. If it scaled by
/// more itself, that would be faster and lose quality.
struct ImageDecoder {
    private let format: ImageFormat
    private let decoder: ImageFormat.Decoder

    /// - Throws: ``JobResult/JobError`` if there is no decoder for this format.
    init(of format: ImageFormat) throws(JobResult.JobError) {
        guard let decoder = format.decoder else {
            throw JobResult.JobError(.unsupported, "the file is \(format.phrase)")
        }
        guard AvailableFormats.canRead(format) else {
            throw JobResult.JobError(
                .noDecoder,
                "the file is \(format.phrase), for which the installed libvips has no decoder")
        }
        self.format = format
        self.decoder = decoder
    }

    /// Whether the decoder reports the number of frames.
    var hasFrames: Bool { decoder.hasFrames }

    /// The first frame of an image; only its header has been read.
    func header(of file: borrowing SourceFile) throws(JobResult.JobError) -> Picture {
        let isDrawing = format.kind == .drawing
        return try opened(
            file, frames: hasFrames ? 1 : 0,
            else: isDrawing ? "the SVG cannot be measured" : Self.damage)
    }

    /// An image whose pixels are decoded when they are needed; the file must exist as long.
    ///
    /// `frames` is the number of frames, -1 for all and 0 for a decoder without frames.
    private func opened(
        _ file: borrowing SourceFile, frames: Int32 = 0, else failure: String = Self.damage
    ) throws(JobResult.JobError) -> Picture {
        Vips.allowOnly(decoder)
        let source = try PictureSource(file)
        return try Picture.made(else: .corrupt, failure) { out in
            cvips_load(decoder.operation, source.source, frames, out)
        }
    }

    /// The image upright, at most `width` wide and in 8-bit sRGB or grey; an animated image has all
    /// frames, one below the other.
    ///
    /// It is scaled from the full size that `whole` keeps, of which `crop` takes a part; without it,
    /// decoders may scale while they read.
    func thumbnail(
        of file: borrowing SourceFile, width: Int, crop: Recipe.Crop? = nil, isAnimated: Bool,
        reading: Reading, whole: DecodedPictures? = nil
    ) throws(JobResult.JobError) -> Picture {
        let colour = reading.colour
        if decoder.hasLevels || colour.needsWholeImage || whole != nil {
            let pictures = whole ?? DecodedPictures(isShared: false)
            return try wholeThumbnail(file, width, crop, reading, pictures)
        }
        Vips.allowOnly(decoder)
        let source = try PictureSource(file)
        let options = isAnimated ? "fail_on=error,n=-1" : "fail_on=error"
        return try Picture.made(else: .corrupt, Self.damage) { out in
            cvips_thumbnail(
                source.source, Int32(width), options, colour.profile == nil ? nil : "srgb",
                colour.intent, reading.isUpright ? 1 : 0, out)
        }
    }

    /// How the samples of a file are to be read.
    struct Reading {
        var colour: SourceColour
        /// Whether a stated orientation does not count.
        var isUpright = false
    }

    private static let damage = "the image is damaged or cut short"

    /// A picture scaled to a width, made from the image in its full size in memory.
    private func wholeThumbnail(
        _ file: borrowing SourceFile, _ width: Int, _ crop: Recipe.Crop?, _ reading: Reading,
        _ pictures: DecodedPictures
    ) throws(JobResult.JobError) -> Picture {
        let colour = reading.colour
        var whole = try pictures.whole(in: colour) { () throws(JobResult.JobError) -> Picture in
            let promise = try opened(file)
            guard let memory = vips_image_copy_memory(promise.image) else {
                throw Vips.failure(.corrupt, Self.damage)
            }
            // Later variants do not decode the image again, and would not hear of it.
            try VipsMessage.checkForDamage()
            if reading.isUpright { vips_image_remove(memory, VIPS_META_ORIENTATION) }
            return try Self.prepared(Picture(owning: memory), colour)
        }
        if let crop {
            let image = whole.image
            whole = try Picture.made(else: .corrupt, Self.damage) { out in
                cvips_crop(image, Int32(crop.width), Int32(crop.height), out)
            }
        }
        return try Picture.made(else: .corrupt, Self.damage) { out in
            cvips_thumbnail_image(
                whole.image, Int32(width), whole.hasProfile && colour.profile != nil ? "srgb" : nil,
                colour.intent, out)
        }
    }

    /// The picture in a form in which libvips converts its colours as `colour` says.
    private static func prepared(
        _ picture: consuming Picture, _ colour: SourceColour
    ) throws(JobResult.JobError) -> Picture {
        let image = picture.image
        switch colour {
        case .embedded(let profile) where profile.space == .cmyk:
            return try Picture.made(else: .corrupt, damage) {
                cvips_standard(image, colour.intent, $0)
            }
        case .standard, .embedded, .unknown: return picture
        case .plainCMYK:
            return try Picture.made(else: .corrupt, damage) { cvips_plain_cmyk(image, $0) }
        case .attached(let profile):
            let inColour: Int32 = profile.needsColour(picture) ? 1 : 0
            return try Picture.made(else: .corrupt, damage) { out in
                profile.bytes.withUnsafeBytes { bytes in
                    cvips_attach_profile(image, bytes.baseAddress, bytes.count, inColour, out)
                }
            }
        }
    }

    /// The samples as they are stored, with a palette resolved; nil for a picture that ``PNGSamples``
    /// cannot hold or that is damaged.
    func samples(of file: borrowing SourceFile) throws(JobResult.JobError) -> PNGSamples? {
        try PNGSamples(opened(file))
    }

    /// The pixels in 8-bit RGB with alpha.
    func pixels(of file: borrowing SourceFile) throws(JobResult.JobError) -> [UInt8] {
        try opened(file).pixels()
    }

    /// Decodes all frames in order without keeping them.
    ///
    /// - Throws: ``JobResult/JobError`` if one of them is damaged.
    func decodeAll(of file: borrowing SourceFile) throws(JobResult.JobError) {
        let frames = try opened(file, frames: hasFrames ? -1 : 0)
        guard cvips_read(frames.image) == 0 else {
            throw Vips.failure(.corrupt, Self.damage)
        }
        try VipsMessage.checkForDamage()
    }

    /// An SVG drawn `width` pixels wide; nil draws one pixel for each user unit.
    ///
    /// - Throws: ``JobResult/JobError`` if that needs more pixels than the limit.
    func drawing(
        of file: borrowing SourceFile, width: Int?, limits: Limits
    ) throws(JobResult.JobError) -> Picture {
        let natural = try header(of: file)
        let scale = width.map { Double($0) / Double(natural.width) } ?? 1
        let pixels = Double(natural.width) * Double(natural.frameHeight) * scale * scale
        guard pixels <= Double(limits.pixels) else {
            throw JobResult.JobError(
                .tooManyPixels, "the drawing has more than \(limits.pixels) pixels")
        }
        let source = try PictureSource(file)
        return try Picture.made(else: .corrupt, "the SVG cannot be drawn") { out in
            cvips_load_svg(source.source, scale, out)
        }
    }
}

/// The bytes of a file in the form that libvips reads, with a single owner.
///
/// It must not outlive the file, and neither must images made from it.
private struct PictureSource: ~Copyable {
    let source: UnsafeMutablePointer<VipsSource>

    init(_ file: borrowing SourceFile) throws(JobResult.JobError) {
        guard let source = vips_source_new_from_memory(file.start, file.count) else {
            throw Vips.failure(.corrupt, "the file cannot be read")
        }
        self.source = source
    }

    deinit { cvips_unref_source(source) }
}

extension SourceColour {
    fileprivate var profile: ColourProfile? {
        switch self {
        case .embedded(let profile), .attached(let profile): profile
        case .standard, .plainCMYK, .unknown: nil
        }
    }

    /// Whether the pixels must be changed before libvips can scale them.
    fileprivate var needsWholeImage: Bool {
        switch self {
        case .attached, .plainCMYK: true
        case .embedded(let profile): profile.space == .cmyk
        case .standard, .unknown: false
        }
    }

    /// libvips ignores a profile without a table for the intent.
    fileprivate var intent: VipsIntent {
        profile?.isPerceptual == true ? VIPS_INTENT_PERCEPTUAL : VIPS_INTENT_RELATIVE
    }
}
