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
        if recipe.encoding.format.kind != .pixels { return try writeSource(to: output) }
        guard !isSourceWritten, let picture = try decodedUnlessFrameIsDamaged() else {
            return try writeSourceWhole(to: output)
        }
        if recipe.alternative == .onlySource && inspection.canKeepSource {
            return try writeSource(to: output, decoded: picture)
        }
        let limit = try kept()?.count ?? source.count
        let attachments = try attachments()
        if let image = try chosen(for: picture, attachments, limit: limit) {
            return try write(image, of: picture, to: output)
        }
        // A PNG as the other encoding does not count: a recipe has it only if the samples change.
        let isTried = attachments.isEmpty && recipe.encoding.format == .png
        return try writeSource(to: output, decoded: picture, isTriedAsPNG: isTried)
    }

    /// The bytes to use as those of the source; nil for all bytes of the file.
    private func kept() throws(JobResult.JobError) -> [UInt8]? {
        try inspection.kept(source, recipe.metadata) ?? inspection.replacement
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
    var mayKeepSource: Bool { recipe.alternative.isSource && inspection.canKeepSource }

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

    /// Whether the source's own bytes are used because its frames cannot be decoded to pixels at
    /// once, or not at all.
    private var isSourceWritten: Bool {
        if recipe.isStill { return false }
        return isTooLong || !inspection.isDecodable && !(isComposed && FrameCanvas.fits(header))
    }

    private func checkFormats() throws(JobResult.JobError) {
        let (from, to) = (header.format, recipe.encoding.format)
        let isDrawing = from.kind == .drawing && to.kind == .drawing
        guard to != from, !isDrawing, to.encoder == nil || from.decoder == nil else { return }
        throw JobResult.JobError(
            .unsupported, "\(from.rawValue) cannot be converted to \(to.rawValue)")
    }

    /// Writes the source's bytes after a check that the pixels are complete.
    ///
    /// Of an animated PNG, that is the default image: browsers show a file whose other frames are
    /// damaged.
    private func writeSourceWhole(
        to output: OutputFile
    ) throws(JobResult.JobError) -> JobResult.Variant {
        try ImageDecoder(of: header.format).decodeAll(of: source)
        return try writeSource(to: output)
    }

    /// Writes the source's bytes, without metadata, and for an SVG without unsafe parts.
    private func writeSource(to output: OutputFile) throws(JobResult.JobError) -> JobResult.Variant
    {
        try write(kept(), to: output)
    }

    /// Writes the bytes of a source that was decoded; a PNG is encoded anew if that is smaller.
    ///
    /// It cannot be if the same pixels are already known to need more bytes as a PNG.
    private func writeSource(
        to output: OutputFile, decoded picture: borrowing Picture, isTriedAsPNG: Bool = false
    ) throws(JobResult.JobError) -> JobResult.Variant {
        guard header.format == .png, !header.isAnimated,
            !(isTriedAsPNG && isUnchanged(picture)), let samples = try samples(of: picture)
        else { return try writeSource(to: output) }
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
