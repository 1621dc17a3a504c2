internal import CVips
import ImageFormats
import Recipes

/// One recipe applied to one source.
struct ImageTransform: ~Copyable {
    let source: SourceFile
    let inspection: Inspection
    let recipe: Recipe
    let limits: Limits
    let pictures: DecodedPictures

    var header: ImageHeader { inspection.header }

    /// Makes the variant and writes it to `output`, unless the source itself is the variant.
    func write(to output: OutputFile) throws(JobResult.JobError) -> JobResult.Variant {
        try checkFormats()
        if recipe.isPlaceholder { return try writePlaceholder(to: output) }
        if recipe.encoding.format.kind != .pixels { return try passOn(to: output) }
        if !recipe.isStill,
            isTooLong || !inspection.isDecodable && !(isComposed && APNGCanvas.fits(header))
        {
            return try passOnWhole(to: output)
        }
        guard let picture = try decodedUnlessFrameIsDamaged() else {
            return try passOnWhole(to: output)
        }
        if recipe.alternative == .onlySource && inspection.canKeepSource {
            return try passOn(to: output, decoded: picture)
        }
        let limit = try kept()?.count ?? source.count
        let attachments = try attachments()
        let (first, second) = try encodings(for: picture)
        guard let first else { return try passOn(to: output, decoded: picture) }
        guard let encoded = try preferred(picture, first, attachments) else {
            if mayKeepSource { return try passOn(to: output, decoded: picture) }
            return try write(
                EncodedImage(of: picture, as: second ?? first, attachments), of: picture,
                to: output)
        }
        if encoded.count < limit && encoded.hasAllFrames || !recipe.alternative.hasChoice {
            return try write(encoded, of: picture, to: output)
        }
        if let second {
            let other = try EncodedImage(of: picture, as: second, attachments)
            let isFit = other.hasAllFrames && (other.count < encoded.count || !encoded.hasAllFrames)
            if isFit && (other.count < limit || !mayKeepSource) {
                return try writeSmaller(other, first, attachments, of: picture, limit, to: output)
            }
        }
        if mayKeepSource {
            let isTried = attachments.isEmpty && [first, second].contains { $0?.format == .png }
            return try passOn(to: output, decoded: picture, isTriedAsPNG: isTried)
        }
        return try writeSmaller(encoded, first, attachments, of: picture, limit, to: output)
    }

    /// The picture in its preferred encoding: lossless for a graphic; nil if it is too large for
    /// the encoder.
    private func preferred(
        _ picture: borrowing Picture, _ encoding: Recipe.Encoding, _ attachments: Attachments
    ) throws(JobResult.JobError) -> EncodedImage? {
        let lossless = encoding.lossless
        guard recipe.keepsGraphics, encoding != lossless,
            encoding.format.encoder?.losslessOptions != nil
        else { return try encoded(picture, as: encoding, attachments) }
        let content = PictureContent(of: picture)
        switch content {
        case .graphic: return try encoded(picture, as: lossless, attachments)
        case .photograph: return try encoded(picture, as: encoding, attachments)
        case .textured, .mixed: break
        }
        guard let lossy = try encoded(picture, as: encoding, attachments) else {
            return try encoded(picture, as: lossless, attachments)
        }
        if content == .textured, try isMuchSmaller(lossy, than: lossless, of: picture) {
            return lossy
        }
        guard let exact = try encoded(picture, as: lossless, attachments) else { return lossy }
        return lossy.count * 3 < exact.count ? lossy : exact
    }

    /// Whether the lossless encoding has more than three times the bytes of `lossy`, as far as one
    /// with little work shows.
    ///
    /// That one takes a third of the time. It is at most 1.6 times as large for textured pictures.
    private func isMuchSmaller(
        _ lossy: borrowing EncodedImage, than lossless: Recipe.Encoding,
        of picture: borrowing Picture
    ) throws(JobResult.JobError) -> Bool {
        guard let quick = lossless.format.encoder?.quickLosslessOptions else { return false }
        do throws(JobResult.JobError) {
            let exact = try EncodedImage(numbered: picture, as: lossless, lossless: quick)
            return lossy.count * 5 < exact.count
        } catch {
            // One with more work would not fit either.
            if error.code == .tooLargeForFormat { return true }
            throw error
        }
    }

    /// Writes `image`, or if it exceeds the limit the lossy `encoding` if that is smaller.
    private func writeSmaller(
        _ image: borrowing EncodedImage, _ encoding: Recipe.Encoding, _ attachments: Attachments,
        of picture: borrowing Picture, _ limit: Int, to output: OutputFile
    ) throws(JobResult.JobError) -> JobResult.Variant {
        if recipe.keepsGraphics, image.count >= limit, !inspection.canKeepSource {
            let lossy = try EncodedImage(of: picture, as: encoding, attachments)
            if lossy.count < image.count { return try write(lossy, of: picture, to: output) }
        }
        return try write(image, of: picture, to: output)
    }

    /// The encoded picture; nil if it is too large for the encoder.
    private func encoded(
        _ picture: borrowing Picture, as encoding: Recipe.Encoding, _ attachments: Attachments
    ) throws(JobResult.JobError) -> EncodedImage? {
        do throws(JobResult.JobError) {
            return try EncodedImage(of: picture, as: encoding, attachments)
        } catch {
            if error.code == .tooLargeForFormat { return nil }
            throw error
        }
    }

    /// The source's own bytes with the metadata that the recipe keeps; nil if nothing changes.
    private func kept() throws(JobResult.JobError) -> [UInt8]? {
        try inspection.kept(source, recipe.metadata)
    }

    /// The blocks that an encoding gets.
    private func attachments() throws(JobResult.JobError) -> Attachments {
        var attachments = try inspection.attachments(source, recipe.metadata)
        attachments.profile = keptProfile
        return attachments
    }

    /// The profile of the decoded samples; nil for sRGB.
    var keptProfile: [UInt8]? {
        // A GIF holds no profile.
        let formats = [recipe.encoding.format, recipe.alternative.encoding?.format]
        guard recipe.colour == .keep, !isComposed, !isFirstFrameComposed, !formats.contains(.gif)
        else { return nil }
        return inspection.keptProfile
    }

    /// Whether the source's own bytes are used if no encoding is smaller.
    private var mayKeepSource: Bool { recipe.alternative.isSource && inspection.canKeepSource }

    /// Whether the frames of an animated PNG are to be drawn.
    var isComposed: Bool {
        inspection.animation != nil && inspection.colour.isReadByLibvips
            && recipe.encoding.format.canBeAnimated
            && recipe.alternative != .onlySource && !recipe.isStill
    }

    /// Whether the first frame of an animated PNG is to be drawn, which covers a part of the canvas.
    var isFirstFrameComposed: Bool {
        guard recipe.isStill, let animation = inspection.animation else { return false }
        return animation.hidesDefaultImage && !animation.isFirstWhole
    }

    /// Whether an animation has too many pixels to keep all of its frames in memory.
    ///
    /// It is then decoded frame by frame to check that it is complete, and its own bytes are used.
    private var isTooLong: Bool {
        inspection.canKeepSource && header.isAnimated
            && header.isMore(than: limits.pixels, frames: header.frameCount)
    }

    private func checkFormats() throws(JobResult.JobError) {
        let (from, to) = (header.format, recipe.encoding.format)
        let isDrawing = from.kind == .drawing && to.kind == .drawing
        guard to != from, !isDrawing, to.encoder == nil || from.decoder == nil else { return }
        throw JobResult.JobError(
            .unsupported, "\(from.rawValue) cannot be converted to \(to.rawValue)")
    }

    /// Uses the source's bytes after a check that the pixels are complete.
    ///
    /// Of an animated PNG, that is the default image: browsers show a file whose other frames are
    /// damaged.
    private func passOnWhole(
        to output: OutputFile
    ) throws(JobResult.JobError) -> JobResult.Variant {
        try ImageDecoder(of: header.format).decodeAll(of: source)
        return try passOn(to: output)
    }

    /// Uses the source's bytes, without metadata, and for an SVG without unsafe parts.
    private func passOn(to output: OutputFile) throws(JobResult.JobError) -> JobResult.Variant {
        if let replacement = inspection.replacement {
            return try write(replacement, to: output)
        }
        return try write(kept(), to: output)
    }

    /// Uses the bytes of a source that was decoded; a PNG is written anew if that is smaller.
    ///
    /// It cannot be if the same pixels are already known to need more bytes as a PNG.
    private func passOn(
        to output: OutputFile, decoded picture: borrowing Picture, isTriedAsPNG: Bool = false
    ) throws(JobResult.JobError) -> JobResult.Variant {
        guard header.format == .png, !header.isAnimated,
            !(isTriedAsPNG && isUnchanged(picture)), let samples = try samples(of: picture)
        else { return try passOn(to: output) }
        let kept = try kept()
        let writer = PNGWriter(recipe.encoding.effort)
        let smaller =
            if let kept { writer.smaller(SourceFile(kept), samples) } else {
                writer.smaller(source, samples)
            }
        return try write(smaller ?? kept, to: output)
    }

    /// The samples of the source; those of `picture` if it is the source unchanged.
    private func samples(of picture: borrowing Picture) throws(JobResult.JobError) -> PNGSamples? {
        isUnchanged(picture)
            ? PNGSamples(picture) : try ImageDecoder(of: header.format).samples(of: source)
    }

    /// Whether a picture has the samples of the source.
    private func isUnchanged(_ picture: borrowing Picture) -> Bool {
        header.isStandardColour && !header.isReoriented && picture.width == header.width
    }

    /// Writes `bytes`; nil leaves the file unwritten, for the caller to use the source's own bytes.
    private func write(
        _ bytes: [UInt8]?, to output: OutputFile
    ) throws(JobResult.JobError) -> JobResult.Variant {
        if let bytes { try output.write(bytes) }
        let format = header.format == .svgz ? .svg : header.format
        return JobResult.Variant(
            format: format, width: header.width, height: header.height,
            isSource: bytes == nil)
    }

    func write(
        _ image: borrowing EncodedImage, of picture: borrowing Picture, to output: OutputFile
    ) throws(JobResult.JobError) -> JobResult.Variant {
        try image.write(to: output)
        var variant = JobResult.Variant(
            format: image.encoding.format, width: picture.width, height: picture.frameHeight,
            isSource: false)
        variant.quality = image.encoding.number
        return variant
    }
}

// MARK: - Choosing

extension ImageTransform {
    /// The encodings to try, the preferred one first; both nil to use the source itself.
    ///
    /// An encoding whose format cannot hold the picture is excluded in advance.
    private func encodings(
        for picture: borrowing Picture
    ) throws(JobResult.JobError) -> (Recipe.Encoding?, Recipe.Encoding?) {
        let isAnimated = picture.frameCount > 1
        let side = max(picture.width, picture.frameHeight)
        let first = recipe.encoding
        let isFirstFit = side <= first.format.longestSide
        if let other = recipe.alternative.encoding, side <= other.format.longestSide,
            !isAnimated || other.format.canBeAnimated
        {
            return isFirstFit ? (first, other) : (other, nil)
        }
        if !isFirstFit && mayKeepSource { return (nil, nil) }
        guard isFirstFit else {
            let name = first.format.rawValue.uppercased()
            throw JobResult.JobError(
                .tooLargeForFormat,
                "\(picture.width)×\(picture.frameHeight) is more than the "
                    + "\(first.format.longestSide) pixels a side that \(name) can hold")
        }
        return (first, nil)
    }
}
