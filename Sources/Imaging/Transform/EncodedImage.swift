internal import CVips
import ImageFormats
import Recipes

/// The bytes of an encoded image, allocated by libvips, with a single owner.
struct EncodedImage: ~Copyable {
    let encoding: Recipe.Encoding
    let count: Int
    /// Whether it has as many frames as the picture; encoders merge two identical frames.
    let hasAllFrames: Bool
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
        if encoding.format == .png, let samples = PNGSamples(picture),
            let file = PNGWriter.file(samples)
        {
            self.init(copying: file, as: encoding)
        } else {
            try self.init(savedByVips: picture, as: encoding)
        }
    }

    private init(copying bytes: [UInt8], as encoding: Recipe.Encoding) {
        let memory = g_malloc(gsize(bytes.count)).unsafelyUnwrapped
        memory.copyMemory(from: bytes, byteCount: bytes.count)
        self.encoding = encoding
        start = memory
        count = bytes.count
        hasAllFrames = true
    }

    private init(
        savedByVips picture: borrowing Picture, as encoding: Recipe.Encoding
    ) throws(Answer.Failure) {
        var start: UnsafeMutableRawPointer?
        var count = 0
        let code = Self.save(picture.image, encoding, &start, &count)
        guard code == 0, let start else {
            throw Self.failure(picture, encoding.format)
        }
        self.encoding = encoding
        self.start = start
        // libvips 8.14 adds EXIF to every WebP, even with the option to strip it.
        self.count = Self.strip(
            encoding.format, UnsafeMutableRawBufferPointer(start: start, count: count))
        let wanted = encoding.format.canBeAnimated ? picture.frameCount : 1
        hasAllFrames = wanted == 1 || Self.frameCount(encoding, start, self.count) == wanted
    }

    /// Removes the metadata in place; returns the remaining length.
    private static func strip(
        _ format: ImageFormat, _ bytes: UnsafeMutableRawBufferPointer
    ) -> Int {
        let file = SourceFile(borrowing: UnsafeRawBufferPointer(bytes))
        let parts = FileParts(of: file, format: format)
        guard let stripped = parts.stripped(file, format: format, orientation: 1) else {
            return bytes.count
        }
        bytes.copyBytes(from: stripped)
        return stripped.count
    }

    /// The number of frames; nil if the bytes cannot be read.
    private static func frameCount(
        _ encoding: Recipe.Encoding, _ start: UnsafeMutableRawPointer, _ count: Int
    ) -> Int? {
        let file = SourceFile(borrowing: UnsafeRawBufferPointer(start: start, count: count))
        return try? ImageLoader(of: encoding.format).header(of: file).frameCount
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
        // libwebp reports a reason, such as a lack of memory or of room in its bit stream, but
        // libvips drops it.
        if format == .webp, message.contains("unable to encode") {
            return Answer.Failure(
                .tooLargeForFormat,
                "\(picture.width)×\(picture.frameHeight) is too large to encode as \(name)")
        }
        return Vips.failure(.output, "the image could not be encoded as \(name)", message)
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
