import ImageFormats
import Recipes

extension ImageTransform {
    /// The encoding to use; nil for the source's own bytes.
    ///
    /// - Parameters:
    ///   - picture: The pixels.
    ///   - attachments: The blocks that an encoding gets.
    ///   - limit: The number of the source's own bytes.
    /// - Returns: The image in one of the encodings of the recipe.
    /// - Throws: ``JobResult/JobError``.
    func chosen(
        for picture: borrowing Picture, _ attachments: Attachments, limit: Int
    ) throws(JobResult.JobError) -> EncodedImage? {
        let encodings = try encodings(for: picture)
        guard let first = encodings.preferred else { return nil }
        guard let encoded = try preferred(picture, first, attachments) else {
            if mayKeepSource { return nil }
            return try EncodedImage(of: picture, as: encodings.other ?? first, attachments)
        }
        if isEnough(encoded, limit: limit) { return encoded }
        if let second = encodings.other {
            let other = try EncodedImage(of: picture, as: second, attachments)
            if isBetter(other, than: encoded, limit: limit) {
                return try smaller(other, first, attachments, of: picture, limit: limit)
            }
        }
        if mayKeepSource { return nil }
        return try smaller(encoded, first, attachments, of: picture, limit: limit)
    }

    /// Whether no alternative to an image is needed.
    private func isEnough(_ image: borrowing EncodedImage, limit: Int) -> Bool {
        image.count < limit && image.hasAllFrames || !recipe.alternative.hasChoice
    }

    /// Whether the other encoding is used instead of the preferred one.
    private func isBetter(
        _ other: borrowing EncodedImage, than preferred: borrowing EncodedImage, limit: Int
    ) -> Bool {
        guard other.hasAllFrames, other.count < limit || !mayKeepSource else { return false }
        return other.count < preferred.count || !preferred.hasAllFrames
    }

    /// The picture in its preferred encoding: lossless for a graphic; nil if it is too large for
    /// the encoder.
    private func preferred(
        _ picture: borrowing Picture, _ encoding: Recipe.Encoding, _ attachments: Attachments
    ) throws(JobResult.JobError) -> EncodedImage? {
        let lossless = encoding.lossless
        guard recipe.keepsGraphics, encoding != lossless,
            encoding.format.encoder?.losslessOptions != nil
        else { return try encodedIfItFits(picture, as: encoding, attachments) }
        let content = PictureContent(of: picture)
        switch content {
        case .graphic: return try encodedIfItFits(picture, as: lossless, attachments)
        case .photograph: return try encodedIfItFits(picture, as: encoding, attachments)
        case .textured, .mixed: break
        }
        guard let lossy = try encodedIfItFits(picture, as: encoding, attachments) else {
            return try encodedIfItFits(picture, as: lossless, attachments)
        }
        if content == .textured, try isMuchSmaller(lossy, than: lossless, of: picture) {
            return lossy
        }
        guard let exact = try encodedIfItFits(picture, as: lossless, attachments) else {
            return lossy
        }
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
        guard let options = lossless.format.encoder?.quickLosslessOptions else { return false }
        guard
            let quick = try encodedIfItFits(
                picture, as: lossless, Attachments(), exactnessOptions: options)
        else {
            // One with more work would not fit either.
            return true
        }
        return lossy.count * 5 < quick.count
    }

    /// `image`, or if it exceeds the limit the picture in the lossy `encoding` if that is smaller.
    private func smaller(
        _ image: consuming EncodedImage, _ encoding: Recipe.Encoding, _ attachments: Attachments,
        of picture: borrowing Picture, limit: Int
    ) throws(JobResult.JobError) -> EncodedImage {
        if recipe.keepsGraphics, image.count >= limit, !inspection.canKeepSource {
            let lossy = try EncodedImage(of: picture, as: encoding, attachments)
            if lossy.count < image.count { return lossy }
        }
        return image
    }

    /// The encoded picture; nil if it is too large for the encoder.
    private func encodedIfItFits(
        _ picture: borrowing Picture, as encoding: Recipe.Encoding, _ attachments: Attachments,
        exactnessOptions: String? = nil
    ) throws(JobResult.JobError) -> EncodedImage? {
        do throws(JobResult.JobError) {
            return try EncodedImage(
                of: picture, as: encoding, attachments, exactnessOptions: exactnessOptions)
        } catch {
            if error.code == .tooLargeForFormat { return nil }
            throw error
        }
    }

    /// The encodings to try; both nil to use the source itself.
    ///
    /// An encoding whose format cannot hold the picture is excluded in advance.
    private func encodings(
        for picture: borrowing Picture
    ) throws(JobResult.JobError) -> (preferred: Recipe.Encoding?, other: Recipe.Encoding?) {
        let isAnimated = picture.frameCount > 1
        let side = max(picture.width, picture.frameHeight)
        let first = recipe.encoding
        let isFirstFit = side <= first.format.longestSide
        if let other = recipe.alternative.encoding, side <= other.format.longestSide,
            !isAnimated || other.format.canBeAnimated
        {
            if isFirstFit { return (first, other) }
            return (other, nil)
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
