internal import CVips
import ImageFormats
import Recipes

/// The bytes of an encoded image, as libvips hands them over, with a single owner.
struct EncodedImage: ~Copyable {
    let encoding: Recipe.Encoding
    let count: Int
    private let start: UnsafeMutableRawPointer

    /// Encodes `picture`, which must be upright and in 8-bit sRGB or grey.
    init(of picture: borrowing Picture, as encoding: Recipe.Encoding) throws(Answer.Failure) {
        if picture.hasAlpha && !encoding.format.hasAlphaChannel {
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
            let name = encoding.format.rawValue.uppercased()
            throw Vips.failure(.output, "it could not be encoded as \(name)")
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

    private static func save(
        _ image: UnsafeMutablePointer<VipsImage>, _ encoding: Recipe.Encoding,
        _ start: inout UnsafeMutableRawPointer?, _ count: inout Int
    ) -> Int32 {
        guard let encoder = encoding.format.encoder else { return -1 }
        var options = encoder.options.isEmpty ? [] : [encoder.options]
        if encoding.quality == nil, let lossless = encoder.losslessOptions {
            options.append(lossless)
        } else if let standard = encoder.defaultQuality {
            options.append("Q=\(encoding.quality ?? standard)")
        }
        return cvips_save(
            encoder.operation, options.joined(separator: ","), image, &start, &count)
    }
}
