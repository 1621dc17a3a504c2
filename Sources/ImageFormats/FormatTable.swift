/// The table of formats.
extension ImageFormat {
    /// All formats, in the order in which their signatures are tested.
    package static let all: [ImageFormat] = [
        .jpeg, .png, .gif, .webp, .avif, .svg, .ico,
        .bmp, .cursor, .heic, .jpeg2000, .jpegXL, .svgz, .tiff,
    ]

    /// JPEG (ITU-T T.81).
    package static let jpeg = ImageFormat(
        FormatRow(
            name: "jpeg", phrase: "a JPEG image",
            extensions: ["jpg", "jpeg", "jfif", "pjpeg", "pjp", "jpe"],
            mediaTypes: ["image/jpeg", "image/jpg", "image/pjpeg"],
            signatures: [.bytes([0xFF, 0xD8, 0xFF])],
            sizeReader: ImageSize.ofJPEG,
            // A block of 64 samples has at least one bit, and two pixels have at least one sample.
            mostPixelsPerByte: 1_024,
            decoder: Decoder(operation: "jpegload_source", className: "VipsForeignLoadJpeg"),
            encoder: Encoder(
                operation: "jpegsave_buffer",
                effortOptions: [
                    .normal: "optimize_coding=true", .high: "optimize_coding=true,interlace=true",
                ], colourOptions: "subsample_mode=off",
                numbers: Encoder.Numbers(low: 60, medium: 70, high: 80, highest: 88),
                longestSide: 65_500),
            isShownByBrowsers: true, isShownByReaders: true, hasAlphaChannel: false,
            libraries: ["libjpeg"]
        ))

    /// PNG (third edition).
    package static let png = ImageFormat(
        FormatRow(
            name: "png", phrase: "a PNG image", extensions: ["png", "apng"],
            mediaTypes: ["image/png", "image/x-png"],
            signatures: [.bytes([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])],
            sizeReader: ImageSize.ofPNG,
            // Deflate makes at most 1032 bytes of one, and each has up to eight pixels.
            mostPixelsPerByte: 8 * 1_032,
            decoder: Decoder(operation: "pngload_source", className: "VipsForeignLoadPng"),
            encoder: Encoder(
                operation: "pngsave_buffer",
                effortOptions: [
                    .normal: "compression=6", .high: "compression=9",
                ], numbers: nil, longestSide: Int(Int32.max)),
            isShownByBrowsers: true, isShownByReaders: true, mayBeAnimated: true, isLossless: true,
            libraries: ["libimagequant", "libpng", "libspng", "libz.", "libz-ng"]
        ))

    /// GIF (versions 87a and 89a).
    package static let gif = ImageFormat(
        FormatRow(
            name: "gif", phrase: "a GIF image", extensions: ["gif"], mediaTypes: ["image/gif"],
            signatures: [.text("GIF87a"), .text("GIF89a")], sizeReader: ImageSize.ofGIF,
            decoder: Decoder(
                operation: "gifload_source", className: "VipsForeignLoadNsgif", hasFrames: true),
            encoder: Encoder(
                operation: "gifsave_buffer",
                effortOptions: [.normal: "effort=7", .high: "effort=10"],
                numbers: nil, longestSide: 65_535),
            isShownByBrowsers: true, isShownByReaders: true, mayBeAnimated: true,
            canBeAnimated: true, isLossless: true,
            libraries: ["libcgif", "libimagequant", "libquantizr"]
        ))

    /// WebP (RFC 9649).
    package static let webp = ImageFormat(
        FormatRow(
            name: "webp", phrase: "a WebP image", extensions: ["webp"],
            mediaTypes: ["image/webp"],
            signatures: [.bytes(Array("RIFF".utf8) + [nil, nil, nil, nil] + Array("WEBPVP".utf8))],
            sizeReader: ImageSize.ofWebP,
            decoder: Decoder(
                operation: "webpload_source", className: "VipsForeignLoadWebp", hasFrames: true),
            encoder: Encoder(
                operation: "webpsave_buffer",
                // Method 4 takes twice the time of 2 for 3 % fewer bytes; 1 adds 10 %.
                effortOptions: [.normal: "effort=2", .high: "effort=6"],
                losslessOptions: "lossless=true", quickLosslessOptions: "lossless=true,effort=0",
                colourOptions: "smart_subsample=true",
                numbers: Encoder.Numbers(low: 65, medium: 75, high: 87, highest: 93),
                longestSide: 16_383),
            isShownByBrowsers: true, mayBeAnimated: true, canBeAnimated: true,
            libraries: ["libsharpyuv", "libwebp"]
        ))

    /// AVIF (AV1 Image File Format 1.1), a HEIF file with AV1 in it.
    package static let avif = ImageFormat(
        FormatRow(
            name: "avif", phrase: "an AVIF image", extensions: ["avif", "avifs"],
            mediaTypes: ["image/avif"],
            signatures: [.brands(["avif", "avis"])], sizeReader: ImageSize.ofHEIF,
            decoder: Decoder(
                operation: "heifload_source", className: "VipsForeignLoadHeif",
                module: "vips-heif.so"),
            encoder: Encoder(
                operation: "heifsave_buffer", options: "compression=av1,bitdepth=8",
                effortOptions: [.normal: "effort=2", .high: "effort=4"],
                colourOptions: "subsample_mode=off",
                numbers: Encoder.Numbers(low: 48, medium: 57, high: 72, highest: 82),
                longestSide: 65_536),
            isShownByBrowsers: true,
            mayBeAnimated: true, heifCodec: 4,
            libraries: ["libSvtAv1", "libaom", "libdav1d", "libheif", "librav1e", "vips-heif"]
        ))

    /// SVG (version 2).
    package static let svg = ImageFormat(
        FormatRow(
            name: "svg", phrase: "an SVG image", extensions: ["svg"],
            mediaTypes: ["image/svg+xml"],
            signatures: [],
            decoder: Decoder(operation: "svgload_source", className: "VipsForeignLoadSvg"),
            kind: .drawing,
            isShownByBrowsers: true, isShownByReaders: true, libraries: ["libcairo.", "librsvg"]
        ))

    /// A Windows icon, which holds several images.
    package static let ico = ImageFormat(
        FormatRow(
            name: "ico", phrase: "an icon", extensions: ["ico"],
            mediaTypes: ["image/x-icon", "image/vnd.microsoft.icon", "image/ico"],
            signatures: [.bytes([0, 0, 1, 0])], sizeReader: ImageSize.ofIcon, kind: .unchanged,
            isShownByBrowsers: true, isShownByReaders: true
        ))

    /// A Windows bitmap.
    package static let bmp = ImageFormat(
        FormatRow(
            name: "bmp", phrase: "a BMP image", extensions: ["bmp", "dib"],
            mediaTypes: ["image/bmp", "image/x-ms-bmp"],
            signatures: [.text("BM")], sizeReader: ImageSize.ofBMP, kind: .unchanged,
            isShownByBrowsers: true, isLossless: true
        ))

    /// A Windows cursor: like an icon, with a hot spot.
    package static let cursor = ImageFormat(
        FormatRow(
            name: "cur", phrase: "a cursor", extensions: ["cur"], mediaTypes: ["image/x-icon"],
            signatures: [.bytes([0, 0, 2, 0])], sizeReader: ImageSize.ofIcon, kind: .unchanged,
            isShownByBrowsers: true
        ))

    /// HEIC, a HEIF file (ISO/IEC 23008-12) with HEVC in it.
    package static let heic = ImageFormat(
        FormatRow(
            name: "heic", phrase: "a HEIC image", extensions: ["heic", "heif"],
            mediaTypes: ["image/heic", "image/heif"],
            signatures: [
                .brands(["heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1"])
            ],
            sizeReader: ImageSize.ofHEIF,
            decoder: Decoder(
                operation: "heifload_source", className: "VipsForeignLoadHeif", hasLevels: true,
                module: "vips-heif.so"
            ),
            heifCodec: 1, libraries: ["libde265"]
        ))

    /// JPEG 2000 (ISO/IEC 15444-1).
    package static let jpeg2000 = ImageFormat(
        FormatRow(
            name: "jp2", phrase: "a JPEG 2000 image", extensions: ["jp2", "j2k", "jpf", "jpx"],
            mediaTypes: ["image/jp2"],
            signatures: [
                .bytes([0, 0, 0, 12] + Array("jP  ".utf8)),
                // A bare codestream.
                .bytes([0xFF, 0x4F, 0xFF, 0x51]),
            ],
            decoder: Decoder(
                operation: "jp2kload_source", className: "VipsForeignLoadJp2k", hasLevels: true),
            libraries: ["libopenjp2"]
        ))

    /// JPEG XL (ISO/IEC 18181), bare or in a container.
    package static let jpegXL = ImageFormat(
        FormatRow(
            name: "jxl", phrase: "a JPEG XL image", extensions: ["jxl"],
            mediaTypes: ["image/jxl"],
            signatures: [
                .bytes([0xFF, 0x0A]),
                .bytes([0, 0, 0, 12] + Array("JXL ".utf8) + [0x0D, 0x0A, 0x87, 0x0A]),
            ],
            decoder: Decoder(
                operation: "jxlload_source", className: "VipsForeignLoadJxl", module: "vips-jxl.so"),
            libraries: ["libbrotli", "libjxl", "vips-jxl"]
        ))

    /// SVG compressed by gzip (RFC 1952); ``ImageSniffer`` looks at the compressed document.
    package static let svgz = ImageFormat(
        FormatRow(
            name: "svgz", phrase: "an SVG image compressed by gzip", extensions: ["svgz"],
            mediaTypes: ["image/svg+xml"], signatures: [],
            decoder: Decoder(operation: "svgload_source", className: "VipsForeignLoadSvg"),
            kind: .drawing
        ))

    /// TIFF (version 6.0) and BigTIFF.
    package static let tiff = ImageFormat(
        FormatRow(
            name: "tiff", phrase: "a TIFF image", extensions: ["tif", "tiff"],
            mediaTypes: ["image/tiff"],
            signatures: [.text("II*\0"), .text("MM\0*"), .text("II+\0"), .text("MM\0+")],
            sizeReader: ImageSize.ofTIFF,
            decoder: Decoder(
                operation: "tiffload_source", className: "VipsForeignLoadTiff", hasLevels: true),
            isLossless: true,
            libraries: ["libtiff"]
        ))

    /// The formats of other files in an image folder.
    package static let others: [ImageFormat] = [css, script] + fonts + media

    /// A style sheet (CSS 2.2 and later); it has no signature.
    package static let css = other(.style, "css", "a style sheet", "text/css", [])

    /// A script (ECMAScript); it has no signature.
    package static let script = other(.script, "js", "a script", "text/javascript", [])

    /// Fonts that browsers load or have loaded: WOFF2, WOFF, TrueType, OpenType, collections of both.
    private static let fonts: [ImageFormat] = [
        other(.font, "woff2", "a WOFF2 font", "font/woff2", [.text("wOF2")]),
        other(.font, "woff", "a WOFF font", "font/woff", [.text("wOFF")]),
        other(
            .font, "ttf", "a TrueType font", "font/ttf", [.bytes([0, 1, 0, 0, 0]), .text("true")]),
        other(.font, "otf", "an OpenType font", "font/otf", [.text("OTTO")]),
        other(.font, "ttc", "a collection of fonts", "font/collection", [.text("ttcf")]),
    ]

    /// Video, audio and texts for them that browsers play and show (MIME Sniffing, section 6.2).
    ///
    /// The first row with a signature counts: an audio file is an ISO base media file, too.
    private static let media: [ImageFormat] = [
        other(.media, "m4a", "an MPEG-4 audio file", "audio/mp4", [.brands(["M4A ", "M4B "])]),
        other(
            .media, "mp4", "an MPEG-4 file", "video/mp4",
            [.bytes([nil, nil, nil, nil] + Array("ftyp".utf8))]),
        other(
            .media, "webm", "a WebM file", "video/webm", [.bytes([0x1A, 0x45, 0xDF, 0xA3])]),
        other(.media, "ogg", "an Ogg file", "audio/ogg", [.text("OggS\0")]),
        other(
            .media, "wav", "a WAVE file", "audio/wav",
            [.bytes(Array("RIFF".utf8) + [nil, nil, nil, nil] + Array("WAVE".utf8))]),
        other(.media, "flac", "a FLAC file", "audio/flac", [.text("fLaC")]),
        other(
            .media, "aac", "an AAC file", "audio/aac",
            [.bytes([0xFF, 0xF1]), .bytes([0xFF, 0xF9])]
        ),
        other(
            .media, "mp3", "an MP3 file", "audio/mpeg",
            [.text("ID3")] + [0xFB, 0xFA, 0xF3, 0xF2].map { .bytes([0xFF, $0]) }),
        other(
            .media, "vtt", "a WebVTT file", "text/vtt",
            [.text("WEBVTT"), .bytes([0xEF, 0xBB, 0xBF] + Array("WEBVTT".utf8))]),
    ]

    private static func other(
        _ kind: Kind, _ name: String, _ phrase: String, _ mediaType: String,
        _ signatures: [Signature]
    ) -> ImageFormat {
        ImageFormat(
            FormatRow(
                name: name, phrase: phrase, extensions: [name], mediaTypes: [mediaType],
                signatures: signatures, kind: kind, isShownByBrowsers: true))
    }
}
