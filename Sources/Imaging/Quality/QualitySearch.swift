internal import CVips
import ImageFormats
import Recipes

/// Finds the number of an encoder at which a picture reaches a score.
///
/// The picture is encoded with the number at which pictures reach the score on average. The score of
/// that encoding leads to the next number, up to three times. These attempts are made with low effort,
/// those of AVIF with high effort only if the image is. If the last one has the bytes that the
/// image would have, it is the image. Otherwise the image is encoded, and scored if it may look
/// different. If it misses the score, it is made as the attempt with the lowest number that reached it.
/// A picture whose colours need it goes through the same a second time, with colours in full size. All
/// of it depends on the pixels and the attachments, so equal pictures get equal numbers.
struct QualitySearch: ~Copyable {
    private let sample: QualitySample
    private let encoding: Recipe.Encoding
    private let goal: Double
    private let curve: QualityCurve

    /// Encodes a picture so that it reaches a score.
    ///
    /// - Parameters:
    ///   - picture: The picture.
    ///   - encoding: The format; its quality is not read.
    ///   - goal: The score.
    ///   - attachments: The blocks to add.
    /// - Returns: The image.
    /// - Throws: ``JobResult/JobError``.
    static func encoded(
        _ picture: borrowing Picture, as encoding: Recipe.Encoding, _ goal: Int,
        _ attachments: Attachments
    ) throws(JobResult.JobError) -> EncodedImage {
        var numbered = encoding
        numbered.quality = encoding.format.encoder?.defaultQuality.map { .number($0) }
        // Animations would take too long.
        if picture.frameCount == 1, let curve = QualityCurve.of(encoding.format) {
            if picture.width * picture.frameHeight > mostPixels {
                numbered = try EncodedImage(of: middle(of: picture), as: encoding).encoding
            } else if let sample = try QualitySample(of: picture) {
                let search = QualitySearch(
                    sample: sample, encoding: encoding, goal: Double(goal), curve: curve)
                return try search.encoded(picture, attachments)
            }
        }
        return try EncodedImage(scoreless: picture, as: numbered, attachments)
    }

    /// The number of pixels for which a number is searched; a larger picture gets that of its middle.
    private static let mostPixels = 6_000_000

    private static func middle(
        of picture: borrowing Picture
    ) throws(JobResult.JobError) -> Picture {
        let (width, height) = (picture.width, picture.frameHeight)
        let part = (Double(mostPixels) / Double(width * height)).squareRoot()
        let inner = (Int(Double(width) * part), Int(Double(height) * part))
        let image = picture.image
        return try Picture.made(else: .outOfMemory, "the image does not fit in memory") {
            cvips_crop(
                image, Int32((width - inner.0) / 2), Int32((height - inner.1) / 2),
                Int32(max(1, inner.0)), Int32(max(1, inner.1)), $0)
        }
    }

    private func encoded(
        _ picture: borrowing Picture, _ attachments: Attachments
    ) throws(JobResult.JobError) -> EncodedImage {
        var numbered = encoding
        var last: EncodedImage?
        var (attempts, byteCount) = try attempts(picture, as: numbered, &last)
        // WebP, JPEG and AVIF store colours in half of the size, which no number makes up for in
        // small coloured text.
        if attempts.best < goal - Self.tolerance {
            numbered.keepsColours = true
            (attempts, byteCount) = try self.attempts(picture, as: numbered, &last)
            if attempts.best < goal - Self.tolerance,
                encoding.format.encoder?.losslessOptions != nil
            {
                let nearlyExact = try roundedOrLossless(picture, attachments)
                if nearlyExact.count < Self.mostForNearlyExact * byteCount { return nearlyExact }
            }
        }
        if isAttemptFinal, attachments.isEmpty, last?.encoding.number == attempts.result,
            let image = last.take()
        {
            return image
        }
        numbered.quality = .number(attempts.result)
        let encoded = try EncodedImage(scoreless: picture, as: numbered, attachments)
        guard mayLookOtherwise(than: attempts),
            try sample.score(of: encoded) < min(goal, attempts.best) - Self.tolerance
        else { return encoded }
        numbered.quality = .number(attempts.proven)
        if encoding.format == .webp { numbered.effort = .low }
        return try EncodedImage(scoreless: picture, as: numbered, attachments)
    }

    /// Whether an image may look otherwise than all attempts.
    ///
    /// With high effort, WebP saves bytes where it blurs fine patterns.
    private func mayLookOtherwise(than attempts: QualityAttempts) -> Bool {
        encoding.format == .webp && !isAttemptFinal || !attempts.contain(attempts.result)
    }

    /// The effort of the attempts.
    ///
    /// More effort makes AVIF better at the same number.
    private var effortOfAttempts: Effort {
        encoding.format == .avif && encoding.effort == .high ? .high : .low
    }

    /// Whether an attempt has the bytes that the image with the same number would have without its
    /// attachments.
    private var isAttemptFinal: Bool {
        let options = encoding.format.encoder?.effortOptions
        return options?[effortOfAttempts] == options?[encoding.effort]
    }

    /// How far below the goal a score still counts as reached.
    private static let tolerance = 3.0

    /// Encodes the picture with one number after the other.
    ///
    /// - Parameters:
    ///   - picture: The picture.
    ///   - encoding: The format and how colours are stored; its quality is not read.
    ///   - last: Set to the last encoding.
    /// - Returns: The scores, and the bytes of the largest encoding.
    /// - Throws: ``JobResult/JobError``.
    private func attempts(
        _ picture: borrowing Picture, as encoding: Recipe.Encoding, _ last: inout EncodedImage?
    ) throws(JobResult.JobError) -> (QualityAttempts, byteCount: Int) {
        let curve = encoding.keepsColours ? curve.keepingColours : curve
        var attempts = QualityAttempts(goal: goal, curve: curve)
        var byteCount = 0
        var quick = encoding
        quick.effort = effortOfAttempts
        while let number = attempts.next {
            quick.quality = .number(number)
            let encoded = try EncodedImage(scoreless: picture, as: quick)
            attempts.add(number, try sample.score(of: encoded))
            byteCount = max(byteCount, encoded.count)
            last = consume encoded
        }
        return (attempts, byteCount)
    }

    /// How many times the bytes of the largest attempt an encoding without a number may have, if no
    /// attempt reaches the goal.
    private static let mostForNearlyExact = 4

    /// The picture with rounded colours, as coarse as the goal allows, or without loss.
    ///
    /// WebP calls the rounding `near_lossless`.
    private func roundedOrLossless(
        _ picture: borrowing Picture, _ attachments: Attachments
    ) throws(JobResult.JobError) -> EncodedImage {
        for rounded in encoding.format.encoder?.roundedOptions ?? [] {
            let encoded = try EncodedImage(
                scoreless: picture, as: encoding.lossless, attachments,
                exactnessOptions: rounded)
            if try sample.score(of: encoded) >= goal { return encoded }
        }
        return try EncodedImage(scoreless: picture, as: encoding.lossless, attachments)
    }
}
