import ImageFormats

extension FileParts {
    /// Reads the chunks in order: each has a length (4), a name (4), the data and a checksum (4).
    mutating func readPNG(_ file: borrowing SourceFile) {
        let bytes = file.buffer
        isComplete = false
        add(.image, 0..<min(8, bytes.count))
        var end = min(8, bytes.count)
        var announced = 0
        var controls = 0
        var colours = PNGColourChunks()
        var hasPixels = false
        var isAnnounced = false
        defer {
            colour = colours.colour
            isUnclearAnimation = isAnnounced && frameCount == nil
        }
        for chunk in PNGChunks(in: bytes) {
            if chunk.name == "acTL" {
                isAnnounced = true
                // Browsers ignore it after the pixels.
                if !hasPixels { announced = bytes[chunk.data.prefix(4)].bigEndianNumber }
            } else if chunk.name == "fcTL" {
                controls += 1
            }
            if chunk.name == "IDAT" { hasPixels = true }
            if !hasPixels { colours.read(chunk.name, bytes[chunk.data]) }
            add(PNGChunk.kind(of: chunk.name), chunk.range)
            end = chunk.range.upperBound
            isComplete = chunk.name == "IEND"
        }
        guard isComplete else { return add(.image, end..<bytes.count) }
        // Browsers do not agree on what to show if the numbers differ.
        if controls > 1, controls == announced { frameCount = controls }
    }
}

/// A chunk of a PNG.
enum PNGChunk {
    /// Ancillary chunks that affect how the pixels are shown, or that are harmless.
    private static let shown: Set<String> = [
        "tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "cICP", "mDCV", "mDCv", "cLLI", "cLLi", "sBIT",
        "bKGD", "pHYs", "hIST", "sPLT", "acTL", "fcTL", "fdAT",
    ]

    /// The kind of a chunk.
    ///
    /// If the first letter of its name is in lower case, the image can be shown without it.
    static func kind(of name: String) -> FileParts.Kind {
        if name == "eXIf" { return .exif }
        let isNeeded = name.first?.isUppercase == true || shown.contains(name)
        return isNeeded ? .image : .metadata
    }

    static func bytes(_ name: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(name.utf8) + data
        return bigEndian(UInt32(data.count)) + body + bigEndian(Deflate.checksum(body))
    }

    static func bigEndian(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
    }
}

/// The complete chunks of a PNG up to `IEND`, in order.
struct PNGChunks: Sequence, IteratorProtocol {
    struct Chunk {
        let name: String
        /// The place of the chunk with its length, name and checksum.
        let range: Range<Int>
        /// The place of its content.
        var data: Range<Int> { range.lowerBound + 8..<range.upperBound - 4 }
    }

    private let bytes: UnsafeRawBufferPointer
    private var offset = 8
    private var isAtEnd = false

    /// The bytes must stay valid while the chunks are read.
    init(in bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    mutating func next() -> Chunk? {
        guard !isAtEnd, offset + 12 <= bytes.count else { return nil }
        let length = bytes[offset..<offset + 4].bigEndianNumber
        let end = offset + 12 + length
        guard end <= bytes.count else { return nil }
        let name = String(decoding: bytes[offset + 4..<offset + 8], as: UTF8.self)
        defer { (offset, isAtEnd) = (end, name == "IEND") }
        return Chunk(name: name, range: offset..<end)
    }
}
