internal import CVips
import Recipes

/// The picture that the last variant of a job was encoded from.
///
/// Variants of one image that differ in their encoding only, such as WebP and AVIF of one width,
/// share it. Another width is scaled from the whole image if the recipe says so, and that image is
/// kept too. Otherwise it is decoded again: the decoders of JPEG and WebP scale while they read,
/// which is faster than to scale the whole image. The pixels of a variant never depend on the other
/// variants of its job.
final class DecodedPictures {
    /// Everything that decides the decoded pixels of a source.
    struct Decoding: Hashable {
        var width: Int?
        var crop: Recipe.Crop?
        var isStill: Bool
        var isAnimated: Bool
        var isScaledFromWhole: Bool
    }

    private let isShared: Bool
    private var decoding: Decoding?
    private var picture: Picture?
    /// The source in its full size.
    private var whole: Picture?
    private var wholeColour: SourceColour?

    /// - Parameter isShared: Whether a picture is kept for the next variant.
    init(isShared: Bool) { self.isShared = isShared }

    /// The source in its full size, with its colours described; it is made by the first call.
    func whole(
        in colour: SourceColour, _ make: () throws(JobResult.JobError) -> Picture
    ) throws(JobResult.JobError) -> Picture {
        if wholeColour == colour, let image = whole?.image { return try Self.copy(of: image) }
        let picture = try make()
        if isShared, wholeColour == nil {
            whole = try Self.copy(of: picture.image)
            wholeColour = colour
        }
        return picture
    }

    /// A copy of the kept picture, which shares its pixels; nil if another one is kept.
    func copy(for decoding: Decoding) throws(JobResult.JobError) -> Picture? {
        guard decoding == self.decoding, let image = picture?.image else { return nil }
        return try Self.copy(of: image)
    }

    /// Keeps `picture` if pictures are shared, and forgets the one before.
    func keep(
        _ picture: consuming Picture, for decoding: Decoding
    ) throws(JobResult.JobError) -> Picture {
        guard isShared else { return picture }
        self.picture = try Self.copy(of: picture.image)
        self.decoding = decoding
        return picture
    }

    /// An image with the same pixels and with fields of its own.
    private static func copy(
        of image: UnsafeMutablePointer<VipsImage>
    ) throws(JobResult.JobError) -> Picture {
        try Picture.made(else: .outOfMemory, "the image does not fit in memory") {
            cvips_copy(image, $0)
        }
    }
}
