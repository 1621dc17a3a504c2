import ImageFormats

/// Files of which only the end is missing.
///
/// Browsers show them, and so do most programs. A decoder that reads to the end of the result tells
/// whether pixels are missing; where it does not, this looks for the last of them.
enum FileRepair {
    /// The file with an end; nil if more is missing.
    static func repaired(_ bytes: UnsafeRawBufferPointer, _ format: ImageFormat) -> [UInt8]? {
        switch format {
        case .jpeg: jpeg(bytes)
        case .png: png(bytes)
        case .gif: gif(bytes)
        default: nil
        }
    }

    // MARK: - JPEG

    /// libjpeg warns if the pixels of a scan are not complete, but not about missing scans, nor with
    /// arithmetic coding.
    private static func jpeg(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        var components: Set<UInt8> = []
        // For each component, the bits that are missing in its 64 coefficients.
        var missing: [UInt8: [UInt8]] = [:]
        // libjpeg warns only once, so nothing harmless may come before the pixels.
        var result: [UInt8] = [0xFF, 0xD8]
        for segment in JPEGSegments(in: bytes) {
            result += bytes[segment.range]
            let content = Array(bytes[segment.range].dropFirst(4).prefix(200))
            switch segment.code {
            case 0xC0...0xC2 where content.count >= 6:
                for start in stride(from: 6, to: 6 + 3 * Int(content[5]), by: 3)
                where start < content.count {
                    components.insert(content[start])
                }
            case 0xDA where content.count > 4 + 2 * Int(content[0]):
                let count = Int(content[0])
                let (first, last) = (Int(content[2 * count + 1]), Int(content[2 * count + 2]))
                guard first <= last, last < 64 else { return nil }
                for start in stride(from: 1, through: 2 * count - 1, by: 2) {
                    var bits = missing[content[start]] ?? [UInt8](repeating: 255, count: 64)
                    for place in first...last { bits[place] = content[2 * count + 3] & 15 }
                    missing[content[start]] = bits
                }
            default: break
            }
        }
        let isWhole = components.allSatisfy { missing[$0]?.allSatisfy { $0 == 0 } == true }
        // A longer run of zeros stands for pixels that have not arrived.
        let zeros = bytes.reversed().prefix { $0 == 0 }.count
        let isStuffed = zeros > 0 && zeros < bytes.count && bytes[bytes.count - zeros - 1] == 0xFF
        guard !components.isEmpty, isWhole, zeros <= (isStuffed ? 3 : 2) else { return nil }
        return result + [0xFF, 0xD9]
    }

    // MARK: - PNG

    private static func png(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        var end = 8
        var names: Set<String> = []
        for chunk in PNGChunks(in: bytes) where chunk.name != "IEND" {
            end = chunk.range.upperBound
            names.insert(chunk.name)
        }
        guard end <= bytes.count, names.isSuperset(of: ["IHDR", "IDAT"]) else { return nil }
        let result = bytes[..<end] + PNGChunks.end
        // An animation may lack frames, or bytes of the last one.
        guard names.contains("acTL") else { return result }
        let parts = result.withUnsafeBytes { FileParts(of: $0, format: .png) }
        return end == bytes.count && parts.frameCount != nil ? result : nil
    }

    // MARK: - GIF

    /// libvips shows a frame without its last rows, so each must be whole.
    private static func gif(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        guard let blocks = GIFBlocks(in: bytes) else { return nil }
        var end: Int?
        for block in blocks {
            if block.kind == .frame, !block.isWhole { return nil }
            if block.kind == .frame || end != nil, block.isWhole { end = block.range.upperBound }
        }
        return end.map { bytes[..<$0] + [0x3B] }
    }
}
