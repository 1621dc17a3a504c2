internal import CVips
import ImageFormats
import Recipes

/// The bytes of an encoded image, in memory of libvips, with a single owner.
struct EncodedImage: ~Copyable {
    /// Its quality is a number of the encoder.
    let encoding: Recipe.Encoding
    let count: Int
    /// Whether it has as many frames as the picture; encoders merge two identical frames.
    let hasAllFrames: Bool
    private let start: UnsafeMutableRawPointer

    /// Encodes `picture`, which must be upright and have 8 bits per sample.
    ///
    /// - Parameters:
    ///   - picture: The picture.
    ///   - encoding: The format and the quality.
    ///   - attachments: The blocks to add, as far as the format can hold them.
    ///   - exactnessOptions: The options of an encoding without loss, such as
    ///     ``ImageFormat/Encoder/quickLosslessOptions``; nil for
    ///     ``ImageFormat/Encoder/losslessOptions``.
    /// - Throws: ``JobResult/JobError``.
    init(
        of picture: borrowing Picture, as encoding: Recipe.Encoding,
        _ attachments: Attachments = Attachments(), exactnessOptions: String? = nil
    ) throws(JobResult.JobError) {
        if picture.hasAlpha && !encoding.format.hasAlphaChannel {
            let image = picture.image
            let opaque = try Picture.made(else: .output, "the image cannot be flattened") {
                cvips_flatten(image, $0)
            }
            try self.init(saving: opaque, as: encoding, attachments, exactnessOptions)
        } else if picture.hasAlpha && encoding.format == .gif && picture.frameCount > 1 {
            let image = picture.image
            // The encoder omits what did not change since the last frame, and takes a pixel that
            // turns from transparent to black for unchanged.
            let raised = try Picture.made(else: .output, "the colours cannot be changed") {
                cvips_raise_black(image, $0)
            }
            try self.init(saving: raised, as: encoding, attachments, exactnessOptions)
        } else {
            try self.init(saving: picture, as: encoding, attachments, exactnessOptions)
        }
    }

    private init(
        saving picture: borrowing Picture, as encoding: Recipe.Encoding,
        _ attachments: Attachments, _ exactnessOptions: String?
    ) throws(JobResult.JobError) {
        if encoding.format == .png, let samples = PNGSamples(picture),
            let file = PNGWriter(effort: encoding.effort).file(samples)
        {
            let bytes = attachments.added(to: file, format: .png)
            self.init(copying: bytes, as: encoding, hasAllFrames: true)
            return
        }
        let saved = try Self(savedByVips: picture, as: encoding, attachments, exactnessOptions)
        if attachments.isEmpty || encoding.format == .avif {
            self = saved
        } else {
            let bytes = Array(UnsafeRawBufferPointer(start: saved.start, count: saved.count))
            self.init(
                copying: attachments.added(to: bytes, format: encoding.format), as: encoding,
                hasAllFrames: saved.hasAllFrames)
        }
    }

    private init(copying bytes: [UInt8], as encoding: Recipe.Encoding, hasAllFrames: Bool) {
        let memory = g_malloc(gsize(bytes.count)).unsafelyUnwrapped
        memory.copyMemory(from: bytes, byteCount: bytes.count)
        self.encoding = encoding
        start = memory
        count = bytes.count
        self.hasAllFrames = hasAllFrames
    }

    private init(
        savedByVips picture: borrowing Picture, as encoding: Recipe.Encoding,
        _ attachments: Attachments, _ exactnessOptions: String?
    ) throws(JobResult.JobError) {
        var (encoding, options) = (encoding, exactnessOptions)
        if encoding.quality != nil, let encoder = encoding.format.encoder, encoder.numbers != nil {
            let detail = PictureDetail(of: picture)
            if case .level(let level) = encoding.quality {
                encoding.quality = encoder.number(of: level, isSmooth: detail.isSmooth)
                    .map { .number($0) }
            }
            options = detail.hasFineColours ? encoder.colourOptions : nil
        }
        var start: UnsafeMutableRawPointer?
        var count = 0
        // Items of an AVIF are difficult to add later, so libvips writes them.
        let keeps = encoding.format == .avif && !attachments.isEmpty
        if keeps { picture.set(attachments) }
        let code = Self.save(
            picture.image, encoding, options, keeps: keeps, &start, &count)
        guard code == 0, let start else {
            throw Self.failure(picture, encoding.format)
        }
        let buffer = UnsafeMutableRawBufferPointer(start: start, count: count)
        // If its encoder lacks memory, libheif reports no error and leaves the picture out.
        guard encoding.format != .avif || Self.hasSize(buffer, .avif) else {
            g_free(start)
            throw Self.tooLarge(picture, .avif)
        }
        self.encoding = encoding
        self.start = start
        // libvips 8.14 adds EXIF to every WebP, even with the option to strip it.
        self.count = keeps ? count : Self.strip(encoding.format, buffer)
        let wanted = encoding.format.canBeAnimated ? picture.frameCount : 1
        hasAllFrames = wanted == 1 || Self.frameCount(encoding, start, self.count) == wanted
    }

    /// Removes the metadata in place; returns the remaining length.
    private static func strip(
        _ format: ImageFormat, _ bytes: UnsafeMutableRawBufferPointer
    ) -> Int {
        let file = SourceFile(borrowing: UnsafeRawBufferPointer(bytes))
        let parts = FileParts(of: file.buffer, format: format)
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
        return try? ImageDecoder(of: encoding.format).header(of: file).frameCount
    }

    deinit { g_free(start) }

    func write(to output: OutputFile) throws(JobResult.JobError) {
        try output.write(UnsafeRawBufferPointer(start: start, count: count))
    }

    private static func failure(
        _ picture: borrowing Picture, _ format: ImageFormat
    ) -> JobResult.JobError {
        let name = format.rawValue.uppercased()
        let message = Vips.takeError()
        // libwebp reports a reason, such as a lack of memory or of room in its bit stream, but
        // libvips drops it. libvips itself may also lack the memory for it.
        if format == .webp,
            message.contains("unable to encode") || VipsMessage.speaksOfMemory(message)
        {
            return tooLarge(picture, format)
        }
        return Vips.failure(.output, "the image could not be encoded as \(name)", message)
    }

    private static func tooLarge(
        _ picture: borrowing Picture, _ format: ImageFormat
    ) -> JobResult.JobError {
        JobResult.JobError(
            .tooLargeForFormat,
            "\(picture.width)×\(picture.frameHeight) is too large to encode as "
                + format.rawValue.uppercased())
    }

    private static func hasSize(
        _ bytes: UnsafeMutableRawBufferPointer, _ format: ImageFormat
    ) -> Bool {
        if case .size = format.size(in: Array(bytes)) { true } else { false }
    }

    private static func save(
        _ image: UnsafeMutablePointer<VipsImage>, _ encoding: Recipe.Encoding,
        _ options: String?, keeps: Bool, _ start: inout UnsafeMutableRawPointer?,
        _ count: inout Int
    ) -> Int32 {
        guard let encoder = encoding.format.encoder else { return -1 }
        var all = [encoder.options, encoder.effortOptions[encoding.effort] ?? ""]
        if let number = encoding.number, encoder.numbers != nil {
            all += ["Q=\(number)", options ?? ""]
        } else {
            // The options of quick work give an effort again; libvips uses the last one.
            all.append(options ?? encoder.losslessOptions ?? "")
        }
        return cvips_save(
            encoder.operation, all.filter { !$0.isEmpty }.joined(separator: ","), image,
            keeps ? 1 : 0, &start, &count)
    }
}

extension Picture {
    /// Sets the fields that libvips writes to an AVIF.
    fileprivate func set(_ attachments: Attachments) {
        set(VIPS_META_EXIF_NAME, attachments.exif.map { Array("Exif\0\0".utf8) + $0 })
        set(VIPS_META_XMP_NAME, attachments.xmp)
    }
}
