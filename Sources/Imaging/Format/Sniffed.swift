import Recipes

/// What the first bytes of a file say that it is; its name says nothing.
enum Sniffed: Equatable {
    case image(ImageFormat)
    /// No format that is handled here: what it is instead, to follow "the file is".
    case other(String)

    /// How many bytes are looked at.
    static let length = 1024

    init(_ bytes: [UInt8]) {
        self = Self.fixed(bytes) ?? Self.container(bytes) ?? Self.markup(bytes)
    }

    /// Formats that begin with bytes of their own.
    private static func fixed(_ bytes: [UInt8]) -> Sniffed? {
        if bytes.isEmpty { return .other("empty") }
        return signatures.first { bytes.starts(with: $0.bytes) }?.meaning
    }

    private static let signatures: [(bytes: [UInt8], meaning: Sniffed)] = [
        ([0xFF, 0xD8, 0xFF], .image(.jpeg)),
        ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], .image(.png)),
        (Array("GIF87a".utf8), .image(.gif)),
        (Array("GIF89a".utf8), .image(.gif)),
        ([0, 0, 1, 0], .image(.ico)),
        ([0, 0, 2, 0], .other("a cursor")),
        (Array("II*\0".utf8), .other("a TIFF image")),
        (Array("MM\0*".utf8), .other("a TIFF image")),
        (Array("II+\0".utf8), .other("a TIFF image")),
        (Array("MM\0+".utf8), .other("a TIFF image")),
        (Array("BM".utf8), .other("a BMP image")),
        (Array("8BPS".utf8), .other("a Photoshop document")),
        (Array("%PDF-".utf8), .other("a PDF document")),
        (Array("%!PS".utf8), .other("a PostScript document")),
        ([0xFF, 0x0A], .other("a JPEG XL image")),
        ([0, 0, 0, 12] + Array("JXL ".utf8), .other("a JPEG XL image")),
        ([0, 0, 0, 12] + Array("jP  ".utf8), .other("a JPEG 2000 image")),
        ([0x1F, 0x8B], .other("compressed by gzip, which no browser opens as an image")),
    ]

    /// Formats that name themselves behind a length: WebP and the family of HEIF.
    private static func container(_ bytes: [UInt8]) -> Sniffed? {
        guard bytes.count >= 12 else { return nil }
        let name = String(decoding: bytes[4..<8], as: UTF8.self)
        let brand = String(decoding: bytes[8..<12], as: UTF8.self)
        if bytes.starts(with: Array("RIFF".utf8)) {
            return brand == "WEBP" ? .image(.webp) : .other("a RIFF file of kind \(brand)")
        }
        guard name == "ftyp" else { return nil }
        return fileType(brand, compatible: compatibleBrands(bytes))
    }

    private static func fileType(_ brand: String, compatible: [String]) -> Sniffed {
        switch brand {
        case "avif": return .image(.avif)
        case "avis": return .other("an animated AVIF, which cannot be decoded here")
        case "mif1", "miaf":
            return compatible.contains("avif") ? .image(.avif) : .other("a HEIF image")
        case "heic", "heix", "heim", "heis", "hevc", "hevx", "msf1": return .other("a HEIC image")
        default: return .other("a film or another file of kind \(brand)")
        }
    }

    private static func compatibleBrands(_ bytes: [UInt8]) -> [String] {
        let end = min(bytes.count, Int(bytes[2]) << 8 | Int(bytes[3]))
        guard bytes[0] == 0, bytes[1] == 0, end > 16 else { return [] }
        return stride(from: 16, through: end - 4, by: 4).map { start in
            String(decoding: bytes[start..<start + 4], as: UTF8.self)
        }
    }

    /// What is written with angle brackets.
    ///
    /// The root of an XML document may stand behind any number of comments, so whether it is an
    /// SVG is found out by the parser.
    private static func markup(_ bytes: [UInt8]) -> Sniffed {
        let blanks: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        let start = String(decoding: text.drop { blanks.contains($0) }.prefix(64), as: UTF8.self)
            .lowercased()
        if start.hasPrefix("<!doctype html") || start.hasPrefix("<html") {
            return .other("an HTML page")
        }
        return start.hasPrefix("<") ? .image(.svg) : .other("no image of a known format")
    }
}
