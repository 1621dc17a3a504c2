internal import CVips
import Recipes

/// The bytes of an encoded image, as libvips hands them over, with a single owner.
struct EncodedImage: ~Copyable {
    let encoding: Recipe.Encoding
    let count: Int
    private let start: UnsafeMutableRawPointer

    /// Encodes `picture`, which must be upright and in 8-bit sRGB or grey.
    init(of picture: borrowing Picture, as encoding: Recipe.Encoding) throws(Answer.Failure) {
        if encoding.format == .jpeg && picture.hasAlpha {
            let image = picture.image
            let opaque = try Picture.made(else: .output, "the image cannot be flattened") {
                cvips_flatten(image, $0)
            }
            try self.init(saving: opaque, as: encoding)
        } else {
            try self.init(saving: picture, as: encoding)
        }
    }

    private init(
        saving picture: borrowing Picture, as encoding: Recipe.Encoding
    ) throws(Answer.Failure) {
        var start: UnsafeMutableRawPointer?
        var count = 0
        let code = Self.save(picture.image, encoding, &start, &count)
        guard code == 0, let start else {
            throw Self.failure(picture, encoding.format)
        }
        self.encoding = encoding
        self.start = start
        // libvips 8.14 adds EXIF to every WebP, whatever it is told.
        let bytes = UnsafeMutableRawBufferPointer(start: start, count: count)
        self.count = encoding.format == .webp ? WebPContainer.strip(bytes) : count
    }

    deinit { g_free(start) }

    func write(to output: OutputFile) throws(Answer.Failure) {
        try output.write(UnsafeRawBufferPointer(start: start, count: count))
    }

    private static func failure(
        _ picture: borrowing Picture, _ format: ImageFormat
    ) -> Answer.Failure {
        let name = format.rawValue.uppercased()
        let message = Vips.takeError()
        // libwebp has its reasons, a lack of memory or of room in its bit stream, and libvips drops them.
        if format == .webp, message.contains("unable to encode") {
            return Answer.Failure(
                .tooLargeForFormat,
                "\(picture.width)×\(picture.frameHeight) is more than can be encoded as \(name)")
        }
        return Vips.failure(.output, "it could not be encoded as \(name)", message)
    }

    private static func save(
        _ image: UnsafeMutablePointer<VipsImage>, _ encoding: Recipe.Encoding,
        _ start: inout UnsafeMutableRawPointer?, _ count: inout Int
    ) -> Int32 {
        let quality = Int32(encoding.quality ?? 80)
        switch encoding.format {
        case .avif: return cvips_save_avif(image, quality, 2, &start, &count)
        case .gif: return cvips_save_gif(image, &start, &count)
        case .jpeg: return cvips_save_jpeg(image, quality, &start, &count)
        case .png: return cvips_save_png(image, 6, &start, &count)
        case .webp: return cvips_save_webp(image, quality, 4, &start, &count)
        case .ico, .svg: return -1
        }
    }
}
