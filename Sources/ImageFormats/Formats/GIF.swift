extension ImageFormat {
    /// GIF (versions 87a and 89a).
    package static let gif = Row(
        rawValue: "gif", phrase: "a GIF image", extensions: ["gif"], mediaTypes: ["image/gif"],
        signatures: [.text("GIF87a"), .text("GIF89a")], size: sizeOfGIF,
        decoder: Decoder("gifload_source", class: "VipsForeignLoadNsgif", hasFrames: true),
        encoder: Encoder(
            "gifsave_buffer", options: "",
            effortOptions: [.low: "effort=4", .normal: "effort=7", .high: "effort=10"],
            numbers: nil, longestSide: 65_535),
        isShownByBrowsers: true, isShownByReaders: true, canBeAnimated: true, isLossless: true,
        libraries: ["libcgif", "libimagequant", "libquantizr"]
    ).format
}

/// Reads the logical screen (GIF89a, section 18), on which all frames are drawn, and the first
/// frame (section 20), which enlarges it in browsers; unknown without a frame.
private let sizeOfGIF: ImageSize.Reader = { bytes in
    let fields = ByteFields(bytes)
    guard let width = fields.littleEndian(at: 6, count: 2),
        let height = fields.littleEndian(at: 8, count: 2),
        let flags = fields.bigEndian(at: 10, count: 1)
    else { return .undecided }
    func tableSize(_ flags: Int) -> Int { flags & 0x80 == 0 ? 0 : 3 << (flags & 7 + 1) }
    var position = 13 + tableSize(flags)
    // Extensions come before the frame: each is a chain of blocks, and length 0 ends the chain.
    while let kind = fields.bigEndian(at: position, count: 1) {
        if kind == 0x2C {
            let numbers = [1, 3, 5, 7].compactMap {
                fields.littleEndian(at: position + $0, count: 2)
            }
            guard numbers.count == 4, let flags = fields.bigEndian(at: position + 9, count: 1),
                let bits = fields.bigEndian(at: position + 10 + tableSize(flags), count: 1)
            else { return .undecided }
            guard (1...11).contains(bits) else { return .unknown }
            return .size(max(width, numbers[0] + numbers[2]), max(height, numbers[1] + numbers[3]))
        }
        guard kind == 0x21 else { return .unknown }
        position += 2
        while let length = fields.bigEndian(at: position, count: 1), length > 0 {
            position += 1 + length
        }
        position += 1
    }
    return .undecided
}
