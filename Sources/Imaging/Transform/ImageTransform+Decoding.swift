import ImageFormats
import Recipes

extension ImageTransform {
    /// The source's pixels; nil for an animated PNG with a damaged frame, or with a first frame
    /// that cannot be drawn in its colours.
    func decodedUnlessFrameIsDamaged() throws(JobResult.JobError) -> Picture? {
        if isFirstFrameComposed, !inspection.colour.isReadByLibvips { return nil }
        if let picture = try pictures.copy(for: decoding) { return picture }
        do throws(JobResult.JobError) {
            return try pictures.keep(try decoded(), for: decoding)
        } catch {
            guard isComposed, error.code == .corrupt, !inspection.isRepaired else { throw error }
            return nil
        }
    }

    /// Everything in the recipe that decides the pixels, as opposed to their encoding.
    private var decoding: DecodedPictures.Decoding {
        DecodedPictures.Decoding(
            width: recipe.width, isStill: recipe.isStill,
            isAnimated: recipe.encoding.format.canBeAnimated, isComposed: isComposed,
            keepsProfile: keptProfile != nil, isScaledFromWhole: recipe.isScaledFromWhole)
    }

    /// The source's pixels in the form to encode, completely computed.
    ///
    /// They are kept in memory at their final size. So an error in them is not reported as an error
    /// of the encoder, two encodings need one decoding, and the memory peaks of both do not add up.
    private func decoded() throws(JobResult.JobError) -> Picture {
        let width = min(recipe.width ?? header.width, header.width)
        if isComposed, let animation = inspection.animation {
            return try FrameDecoder(of: animation).frames(
                of: source, width: width, orientation: inspection.orientation)
        }
        if let gif = inspection.uncoveredGIF {
            let isAnimated = !recipe.isStill && recipe.encoding.format.canBeAnimated
            return try FrameDecoder(of: gif).frames(
                of: source, width: width, orientation: 1, limit: isAnimated ? .max : 1)
        }
        if recipe.isStill, let animation = inspection.animation, animation.hidesDefaultImage {
            return try firstFrame(of: animation, width: width)
        }
        if let framed = inspection.framedDrawing {
            return try decoded(SourceFile(framed), width: width)
        }
        return try decoded(source, width: width)
    }

    /// The first frame of an animated PNG whose default image browsers do not show.
    private func firstFrame(
        of animation: APNGFile, width: Int
    ) throws(JobResult.JobError) -> Picture {
        if isFirstFrameComposed {
            return try FrameDecoder(of: animation).frames(
                of: source, width: width, orientation: inspection.orientation, limit: 1)
        }
        let still = animation.still(0, of: source, orientation: inspection.orientation)
        return try decoded(still, width: width)
    }

    /// The pixels of `file`: the source, or bytes that were derived from it.
    private func decoded(
        _ file: borrowing SourceFile, width: Int
    ) throws(JobResult.JobError) -> Picture {
        let loader = try ImageDecoder(of: header.format)
        let kept = keptProfile
        let isAnimated =
            header.isAnimated && !recipe.isStill && loader.hasFrames
            && recipe.encoding.format.canBeAnimated
        let promise =
            header.format.kind == .drawing
            ? try loader.drawing(of: file, width: drawnWidth, limits: limits)
            : try loader.thumbnail(
                of: file, width: width, isAnimated: isAnimated,
                reading: ImageDecoder.Reading(
                    colour: kept == nil ? inspection.colour : .standard,
                    change: inspection.change, isUpright: inspection.orientation == 1),
                whole: recipe.isScaledFromWhole ? pictures : nil)
        let picture = try promise.computed(isAnimated: isAnimated)
        if let damage = VipsMessage.jpegDamage(in: Vips.takeError()) {
            throw JobResult.JobError(.corrupt, "the image is damaged (\(damage))")
        }
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
