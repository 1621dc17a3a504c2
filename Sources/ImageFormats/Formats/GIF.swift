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
    bytes.withUnsafeBytes { bytes in
        guard let blocks = GIFBlocks(in: bytes) else { return .undecided }
        var end = blocks.start
        for block in blocks {
            end = block.range.upperBound
            if block.kind == .end { return .unknown }
            guard block.kind == .frame else { continue }
            // The size of a code, in bits.
            guard let bits = bytes[block.data].first else { return .undecided }
            guard (1...11).contains(bits) else { return .unknown }
            return .size(
                max(blocks.screen.width, block.left + block.width),
                max(blocks.screen.height, block.top + block.height))
        }
        // The beginning of a block has up to eleven bytes.
        return end + 11 <= bytes.count ? .unknown : .undecided
    }
}
