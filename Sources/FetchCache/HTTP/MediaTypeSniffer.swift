/// Tells what a body is from its first bytes: the image patterns of the WHATWG MIME Sniffing
/// standard, section 6.1, and the image formats that are newer than it.
enum MediaTypeSniffer {
    enum Verdict: Hashable {
        case image(MediaType)
        /// What the bytes are instead, fit to follow "the answer is".
        case other(String)
        /// More bytes are needed to tell.
        case undecided
    }

    /// How many bytes are looked at; whatever is undecided then is no image.
    static let longestPrefix = 65_536

    /// What the bytes are; `isWhole` says that no more will come.
    static func verdict(on bytes: [UInt8], isWhole: Bool) -> Verdict {
        for (type, pattern) in patterns where matches(pattern, bytes) { return .image(type) }
        if let type = boxedType(bytes) { return .image(type) }
        let mayGrow = !isWhole && bytes.count < longestPrefix
        // Every pattern ends within the first 16 bytes.
        if mayGrow, bytes.count < 16 { return .undecided }
        switch MarkupSniffer.root(of: bytes) {
        case .undecided where mayGrow: return .undecided
        case .element("svg"): return .image(.svg)
        case .element("html"): return .other("an HTML page, not an image")
        case .element(let name): return .other("an XML document (\(name)), not an image")
        default: return .other("not an image")
        }
    }

    /// The image type of a file; nil if it is no image, or cannot be read.
    static func type(ofFileAt path: String) -> MediaType? {
        guard let bytes = try? FileSystem.bytes(of: path, count: longestPrefix),
            case .image(let type) = verdict(on: bytes, isWhole: true)
        else { return nil }
        return type
    }

    private static func matches(_ pattern: [UInt8?], _ bytes: [UInt8]) -> Bool {
        bytes.count >= pattern.count && zip(pattern, bytes).allSatisfy { $0 == nil || $0 == $1 }
    }

    /// The types with a pattern of fixed bytes; nil stands for any byte.
    private static let patterns: [(MediaType, [UInt8?])] = [
        (.jpeg, [0xFF, 0xD8, 0xFF]),
        (.png, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
        (.gif, Array("GIF87a".utf8)),
        (.gif, Array("GIF89a".utf8)),
        (.webp, Array("RIFF".utf8) + [nil, nil, nil, nil] + Array("WEBPVP".utf8)),
        (.ico, [0, 0, 1, 0]),
        (.ico, [0, 0, 2, 0]),
        (.tiff, Array("II*\0".utf8)),
        (.tiff, Array("MM\0*".utf8)),
        (.tiff, Array("II+\0".utf8)),
        (.tiff, Array("MM\0+".utf8)),
        (.jpegXL, [0xFF, 0x0A]),
        (.jpegXL, [0, 0, 0, 12] + Array("JXL ".utf8) + [0x0D, 0x0A, 0x87, 0x0A]),
        (.bmp, Array("BM".utf8)),
    ]

    /// AVIF and HEIC: an ISO base media file whose first box names its brands.
    private static func boxedType(_ bytes: [UInt8]) -> MediaType? {
        guard bytes.count >= 16, bytes[4..<8].elementsEqual("ftyp".utf8) else { return nil }
        let size = bytes[0..<4].reduce(0) { $0 << 8 | Int($1) }
        let end = min(bytes.count, max(size, 16))
        var brands = [String(decoding: bytes[8..<12], as: UTF8.self)]
        for start in stride(from: 16, to: end - 3, by: 4) {
            brands.append(String(decoding: bytes[start..<(start + 4)], as: UTF8.self))
        }
        if brands.contains(where: { ["avif", "avis"].contains($0) }) { return .avif }
        let heif: Set = ["heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1"]
        return brands.contains(where: heif.contains) ? .heic : nil
    }
}
