extension ImageFormat {
    /// JPEG (ITU-T T.81).
    package static let jpeg = Row(
        rawValue: "jpeg", phrase: "a JPEG image",
        extensions: ["jpg", "jpeg", "jfif", "pjpeg", "pjp", "jpe"],
        mediaTypes: ["image/jpeg", "image/jpg", "image/pjpeg"],
        signatures: [.bytes([0xFF, 0xD8, 0xFF])],
        size: sizeOfJPEG,
        // A block of 64 samples has at least one bit, and two pixels have at least one sample.
        mostPixelsPerByte: 1_024,
        decoder: Decoder("jpegload_source", class: "VipsForeignLoadJpeg"),
        encoder: Encoder(
            "jpegsave_buffer", options: "",
            effortOptions: [
                .normal: "optimize_coding=true", .high: "optimize_coding=true,interlace=true",
            ], colourOptions: "subsample_mode=off", numbers: Encoder.Numbers(60, 70, 80, 88),
            longestSide: 65_500),
        isShownByBrowsers: true, isShownByReaders: true, hasAlphaChannel: false,
        libraries: ["libjpeg"]
    ).format
}

/// Reads the frame header, which may follow long profiles and thumbnails (ITU-T T.81, section
/// B.2.2).
private let sizeOfJPEG: ImageSize.Reader = { bytes in
    let fields = ByteFields(bytes)
    var position = 2
    while let mark = fields.bigEndian(at: position, count: 1),
        let code = fields.bigEndian(at: position + 1, count: 1)
    {
        guard mark == 0xFF else { return .unknown }
        switch code {
        case 0xFF: position += 1
        case 0x01, 0xD0...0xD7: position += 2
        // A scan or the end before any frame.
        case 0xD8...0xDA: return .unknown
        case 0xC0...0xCF where ![0xC4, 0xC8, 0xCC].contains(code):
            guard let length = fields.bigEndian(at: position + 2, count: 2),
                let height = fields.bigEndian(at: position + 5, count: 2),
                let width = fields.bigEndian(at: position + 7, count: 2),
                let components = fields.bigEndian(at: position + 9, count: 1)
            else { return .undecided }
            guard length == 8 + 3 * components else { return .unknown }
            // The height may follow the first scan (section B.2.5).
            let isProgressive = [0xC2, 0xC6, 0xCA, 0xCE].contains(code)
            return height > 0 ? .size(width, height, isBuffered: isProgressive) : .unknown
        default:
            guard let length = fields.bigEndian(at: position + 2, count: 2) else {
                return .undecided
            }
            guard length >= 2 else { return .unknown }
            position += 2 + length
        }
    }
    return .undecided
}
