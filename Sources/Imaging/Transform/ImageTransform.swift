internal import CVips
import ImageFormats
import Recipes

/// One recipe applied to one source.
struct ImageTransform: ~Copyable {
    let source: SourceFile
    let inspection: Inspection
    let recipe: Recipe
    let limits: Limits

    private var header: ImageHeader { inspection.header }

    /// Makes the variant, and writes it to `output` unless the source itself is it.
    func write(to output: OutputFile) throws(Answer.Failure) -> Answer.Variant {
        try checkFormats()
        if recipe.encoding.format.isPassedOn { return try passOn(to: output) }
        if isTooLong || !inspection.isDecodable {
            try ImageLoader(of: header.format).decodeAll(of: source)
            return try passOn(to: output)
        }
        let picture = try decoded()
        if recipe.alternative == .onlySource && inspection.canKeepSource {
            return try passOn(to: output)
        }
        let kept = inspection.stripped(source)
        let limit = kept?.count ?? source.count
        let (first, second) = try encodings(for: picture)
        guard let first else { return try passOn(to: output) }
        guard let encoded = try encoded(picture, as: first) else {
            if mayKeepSource { return try passOn(to: output) }
            return try write(
                EncodedImage(of: picture, as: second ?? first), of: picture, to: output)
        }
        if encoded.count < limit && encoded.hasAllFrames || !recipe.alternative.hasChoice {
            return try write(encoded, of: picture, to: output)
        }
        if let second {
            let other = try EncodedImage(of: picture, as: second)
            let isFit = other.hasAllFrames && (other.count < encoded.count || !encoded.hasAllFrames)
            if isFit && (other.count < limit || !mayKeepSource) {
                return try write(other, of: picture, to: output)
            }
        }
        if mayKeepSource { return try passOn(to: output) }
        return try write(encoded, of: picture, to: output)
    }

    /// The picture encoded; nil if it is too large for the encoder.
    private func encoded(
        _ picture: borrowing Picture, as encoding: Recipe.Encoding
    ) throws(Answer.Failure) -> EncodedImage? {
        do throws(Answer.Failure) {
            return try EncodedImage(of: picture, as: encoding)
        } catch {
            if error.code == .tooLargeForFormat { return nil }
            throw error
        }
    }

    /// Whether the source's own bytes are the variant where no encoding is smaller.
    private var mayKeepSource: Bool { recipe.alternative.isSource && inspection.canKeepSource }

    /// Whether an animation has too many pixels to hold all of its frames at once.
    ///
    /// It is decoded frame by frame, to prove that it is whole, and stays as it is.
    private var isTooLong: Bool {
        inspection.canKeepSource && header.isAnimated
            && header.isMore(than: limits.pixels, frames: header.frameCount)
    }

    private func checkFormats() throws(Answer.Failure) {
        let (from, to) = (header.format, recipe.encoding.format)
        let isDrawing = from.kind == .drawing && to.kind == .drawing
        guard to != from, !isDrawing, to.encoder == nil || from.decoder == nil else { return }
        throw Answer.Failure(.unsupported, "\(from.rawValue) cannot be made into \(to.rawValue)")
    }

    /// Takes the source's bytes: without metadata, and of an SVG without what is not safe.
    private func passOn(to output: OutputFile) throws(Answer.Failure) -> Answer.Variant {
        let bytes = inspection.replacement ?? inspection.stripped(source)
        if let bytes { try output.write(bytes) }
        let format = header.format == .svgz ? .svg : header.format
        return Answer.Variant(
            format: format, width: header.width, height: header.height,
            isSource: bytes == nil)
    }

    private func write(
        _ image: borrowing EncodedImage, of picture: borrowing Picture, to output: OutputFile
    ) throws(Answer.Failure) -> Answer.Variant {
        try image.write(to: output)
        return Answer.Variant(
            format: image.encoding.format, width: picture.width, height: picture.frameHeight,
            isSource: false)
    }
}

// MARK: - Decoding

extension ImageTransform {
    /// The source's pixels as they are to be encoded, all computed.
    ///
    /// They are held in memory at their final size, so that an error in them is no error of the
    /// encoder, two encodings cost one decoding, and the peaks of both do not add up.
    private func decoded() throws(Answer.Failure) -> Picture {
        let loader = try ImageLoader(of: header.format)
        let isAnimated =
            header.isAnimated && loader.hasFrames && recipe.encoding.format.canBeAnimated
        let promise =
            header.format.kind == .drawing
            ? try loader.drawing(of: source, width: drawnWidth, limits: limits)
            : try loader.thumbnail(
                of: source, width: min(recipe.width ?? header.width, header.width),
                isAnimated: isAnimated, hasProfile: inspection.hasProfile)
        let picture = try promise.computed(isAnimated: isAnimated)
        if let damage = VipsMessage.jpegDamage(in: Vips.takeError()) {
            throw Answer.Failure(.corrupt, "the image is damaged (\(damage))")
        }
        return picture
    }
}

extension ImageTransform {
    /// The width to draw an SVG at; nil for the one that its `viewBox` gives, if it gives itself none.
    private var drawnWidth: Int? {
        header.width == 0 ? recipe.width : min(recipe.width ?? header.width, header.width)
    }
}

// MARK: - Choosing

extension ImageTransform {
    /// The encodings to try, the preferred one first; none means the source itself.
    ///
    /// One whose format cannot hold the picture drops out before it is tried.
    private func encodings(
        for picture: borrowing Picture
    ) throws(Answer.Failure) -> (Recipe.Encoding?, Recipe.Encoding?) {
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
            throw Answer.Failure(
                .tooLargeForFormat,
                "\(picture.width)×\(picture.frameHeight) is more than the "
                    + "\(first.format.longestSide) pixels a side that \(name) can hold")
        }
        return (first, nil)
    }
}
