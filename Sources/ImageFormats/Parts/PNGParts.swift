extension FileParts {
    /// Reads the chunks in order.
    mutating func readPNG(_ bytes: UnsafeRawBufferPointer) {
        isComplete = false
        var end = min(8, bytes.count)
        add(.image, 0..<end)
        var announced = 0
        var controls = 0
        var hasPixels = false
        var isAnnounced = false
        for chunk in PNGChunks(in: bytes) {
            switch chunk.name {
            case "acTL":
                isAnnounced = true
                // Browsers ignore it after the pixels.
                if !hasPixels { announced = bytes[chunk.data.prefix(4)].bigEndianNumber }
            case "fcTL": controls += 1
            case "IDAT": hasPixels = true
            default: break
            }
            add(Self.kind(ofChunk: chunk.name), chunk.range)
            end = chunk.range.upperBound
            isComplete = bytes[chunk.range].elementsEqual(PNGChunks.end)
        }
        // Browsers do not agree on what to show if the numbers differ.
        if controls > 1, controls == announced { frameCount = controls }
        isUnclearAnimation = isAnnounced && frameCount == nil
        if !isComplete { add(.image, end..<bytes.count) }
    }

    /// The chunks of the picture, and those that affect how it is shown.
    private static let shown: Set<String> = [
        "IHDR", "PLTE", "IDAT", "IEND", "tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "cICP", "mDCV",
        "mDCv", "cLLI", "cLLi", "sBIT", "bKGD", "pHYs", "acTL", "fcTL", "fdAT",
    ]

    private static func kind(ofChunk name: String) -> Kind {
        if name == "eXIf" { return .exif }
        return shown.contains(name) ? .image : .metadata
    }
}

/// The complete chunks of a PNG up to `IEND`, in order: each has a length (4), a name (4), the data
/// and a checksum (4).
package struct PNGChunks: Sequence, IteratorProtocol {
    package struct Chunk {
        package let name: String
        /// The place of the chunk with its length, name and checksum.
        package let range: Range<Int>
        /// The place of its content.
        package var data: Range<Int> { range.lowerBound + 8..<range.upperBound - 4 }
    }

    /// The chunk `IEND`, which has no data.
    package static let end: [UInt8] =
        [0, 0, 0, 0] + Array("IEND".utf8) + [0xAE, 0x42, 0x60, 0x82]

    private let bytes: UnsafeRawBufferPointer
    private var offset = 8
    private var isAtEnd = false

    /// The bytes must stay valid while the chunks are read.
    package init(in bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    package mutating func next() -> Chunk? {
        guard !isAtEnd, offset + 12 <= bytes.count else { return nil }
        let length = bytes[offset..<offset + 4].bigEndianNumber
        let end = offset + 12 + length
        guard end <= bytes.count else { return nil }
        let name = String(decoding: bytes[offset + 4..<offset + 8], as: UTF8.self)
        defer { (offset, isAtEnd) = (end, name == "IEND") }
        return Chunk(name: name, range: offset..<end)
    }
}
