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
        if recipe.encoding.format.kind != .pixels { return try writeSource(to: output) }
        if isSourceWritten { return try writeSourceWhole(to: output) }
        let picture = try decodedOnce()
        if recipe.alternative == .onlySource && inspection.canKeepSource {
            return try writeSource(to: output, decoded: picture)
        }
        let limit = try kept()?.count ?? source.count
        let attachments = try inspection.attachments(source, recipe.metadata)
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

    /// Whether the source's own bytes are used if no encoding is smaller.
    var mayKeepSource: Bool { recipe.alternative.isSource && inspection.canKeepSource }

    /// Whether an animation has too many pixels to keep all of its frames in memory.
    ///
    /// It is then decoded frame by frame to check that it is complete, and its own bytes are used.
    private var isTooLong: Bool {
        let (pixels, isHuge) = header.pixels.multipliedReportingOverflow(by: header.frameCount)
        return inspection.canKeepSource && header.isAnimated && (isHuge || pixels > limits.pixels)
    }

    /// Whether the source's own bytes are used because its frames cannot be decoded to pixels at
    /// once, or not at all.
    private var isSourceWritten: Bool {
        if recipe.isStill { return false }
        return isTooLong || !inspection.isDecodable
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
        let writer = PNGWriter(effort: recipe.encoding.effort)
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

extension ImageTransform {
    /// Writes the picture that stands for the image while it loads.
    func writePlaceholder(to output: OutputFile) throws(JobResult.JobError) -> JobResult.Variant {
        let picture = try decodedOnce()
        let number = recipe.encoding.number ?? 1
        for quality in [number, number / 2, number / 8, 1] {
            let encoding = Recipe.Encoding(
                format: recipe.encoding.format, quality: .number(max(1, quality)))
            let image = try EncodedImage(of: picture, as: encoding)
            if image.count > LoadingPlaceholder.mostBytes { continue }
            var variant = try write(image, of: picture, to: output)
            variant.colour = DominantColour.of(
                try picture.bytes(), bands: Int(vips_image_get_bands(picture.image)))
            return variant
        }
        throw JobResult.JobError(.output, "the placeholder has too many bytes")
    }
}

/// The colour that most pixels of a picture have, more or less.
enum DominantColour {
    /// - Parameters:
    ///   - samples: The samples of all pixels, of 8 bits each.
    ///   - bands: The number of samples of a pixel: grey or sRGB, with alpha or without.
    /// - Returns: The colour as `0xRRGGBB`.
    static func of(_ samples: [UInt8], bands: Int) -> Int {
        // Each has the colours that agree in the first three bits.
        var groups = [(count: Int, red: Int, green: Int, blue: Int)](
            repeating: (0, 0, 0, 0), count: 512)
        for start in stride(from: 0, through: samples.count - bands, by: bands) {
            let red = Int(samples[start])
            let green = bands < 3 ? red : Int(samples[start + 1])
            let blue = bands < 3 ? red : Int(samples[start + 2])
            let index = (red >> 5) << 6 | (green >> 5) << 3 | blue >> 5
            groups[index].count += 1
            groups[index].red += red
            groups[index].green += green
            groups[index].blue += blue
        }
        var best = groups[0]
        for group in groups where group.count > best.count { best = group }
        if best.count == 0 { return 0 }
        func mean(_ sum: Int) -> Int { (sum + best.count / 2) / best.count }
        return mean(best.red) << 16 | mean(best.green) << 8 | mean(best.blue)
    }
}

extension ImageTransform {
    /// The pixels of the source, which another variant may have decoded.
    func decodedOnce() throws(JobResult.JobError) -> Picture {
        if let picture = try pictures.copy(for: decoding) { return picture }
        return try pictures.keep(try decoded(), for: decoding)
    }

    /// Everything in the recipe that decides the pixels, as opposed to their encoding.
    private var decoding: DecodedPictures.Decoding {
        DecodedPictures.Decoding(
            width: recipe.width, crop: recipe.crop, isStill: recipe.isStill,
            isAnimated: recipe.encoding.format.canBeAnimated,
            isScaledFromWhole: recipe.isScaledFromWhole)
    }

    /// The source's pixels in the form to encode, completely computed.
    ///
    /// They are kept in memory at their final size. So an error in them is not reported as an error
    /// of the encoder, two encodings need one decoding, and the memory peaks of both do not add up.
    private func decoded() throws(JobResult.JobError) -> Picture {
        let own = recipe.crop?.width ?? header.width
        let width = min(recipe.width ?? own, own)
        guard inspection.drawsFrames else {
            throw JobResult.JobError(
                .unsupported, "its frames leave a part of the GIF empty, so none can stand alone")
        }
        if let framed = inspection.framedDrawing {
            return try decoded(SourceFile(framed), width: width)
        }
        return try decoded(source, width: width)
    }

    /// The pixels of `file`: the source, or bytes that were derived from it.
    private func decoded(
        _ file: borrowing SourceFile, width: Int
    ) throws(JobResult.JobError) -> Picture {
        let loader = try ImageDecoder(of: header.format)
        let isAnimated =
            header.isAnimated && !recipe.isStill && loader.hasFrames
            && recipe.encoding.format.canBeAnimated
        let promise =
            header.format.kind == .drawing
            ? try loader.drawing(of: file, width: drawnWidth, limits: limits)
            : try loader.thumbnail(
                of: file, width: width, crop: recipe.crop, isAnimated: isAnimated,
                reading: ImageDecoder.Reading(
                    colour: inspection.colour,
                    isUpright: inspection.orientation == 1),
                whole: recipe.isScaledFromWhole ? pictures : nil)
        let picture = try promise.computed(isAnimated: isAnimated)
        try VipsMessage.checkForDamage()
        return picture
    }
}

extension ImageTransform {
    /// The width at which to draw an SVG; nil for the width of its `viewBox`, if it has no size.
    private var drawnWidth: Int? {
        let own = header.width > 0 ? header.width : inspection.frame?.width
        guard let own else { return recipe.width }
        return min(recipe.width ?? own, own)
    }
}
