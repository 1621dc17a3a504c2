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
        case .webp: webP(bytes)
        case .avif: avif(bytes)
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
        guard end <= bytes.count else { return nil }
        var last: [UInt8] = []
        let tail = Array(bytes[end...])
        if tail.count > 8, tail[4..<8].elementsEqual("IDAT".utf8) {
            names.insert("IDAT")
            last = PNGChunk.bytes("IDAT", Array(tail[8...].prefix(tail[..<4].bigEndianNumber)))
        }
        guard names.isSuperset(of: ["IHDR", "IDAT"]) else { return nil }
        let result = bytes[..<end] + last + PNGChunks.end
        // An animation may lack frames, or bytes of the last one.
        guard names.contains("acTL") else { return result }
        let parts = result.withUnsafeBytes { FileParts(of: $0, format: .png) }
        return tail.isEmpty && parts.frameCount != nil ? result : nil
    }

    // MARK: - GIF

    /// libvips shows a frame without its last rows.
    private static func gif(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        guard let blocks = GIFBlocks(in: bytes) else { return nil }
        var result: [UInt8] = []
        var end = 0
        for block in blocks {
            if block.kind == .frame, !block.isWhole {
                var position = block.data.lowerBound + 1
                var codes: [UInt8] = []
                result = Array(bytes[..<min(position, bytes.count)])
                while position < bytes.count {
                    let part = bytes[(position + 1)...].prefix(Int(bytes[position]))
                    if !part.isEmpty { result += [UInt8(part.count)] + part }
                    codes += part
                    position += 1 + max(1, part.count)
                }
                guard !block.data.isEmpty,
                    LZWLength.pixels(codes, bits: Int(bytes[block.data.lowerBound]))
                        >= block.width * block.height
                else { return nil }
                return result + [0, 0x3B]
            }
            if block.isWhole {
                end = block.range.upperBound
                if block.kind == .frame { result = [0] }
            }
        }
        return result.isEmpty ? nil : bytes[..<end] + [0x3B]
    }

    // MARK: - WebP

    /// The last chunk gets the length of its bytes that are there.
    private static func webP(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        guard bytes.count >= 20 else { return nil }
        let stated = 8 + bytes[4..<8].littleEndianNumber
        var result = Array(bytes)
        var offset = 12
        var names: [String] = []
        while offset + 8 <= bytes.count {
            let length = bytes[offset + 4..<offset + 8].littleEndianNumber
            let end = offset + 8 + length + length % 2
            let name = String(decoding: bytes[offset..<offset + 4], as: UTF8.self)
            names.append(name)
            if end > bytes.count {
                let isLast = end >= stated
                guard isLast || !names.contains("ANIM") else { return nil }
                let present = bytes.count - offset - 8
                write(min(length, present), to: &result, at: offset + 4)
                // A frame has a chunk in it, after 16 bytes.
                if name == "ANMF" { shorten(&result, from: offset + 24) }
                if result.count % 2 == 1 { result.append(0) }
            }
            offset = end
        }
        let isBetweenFrames = offset == bytes.count && names.contains("ANIM")
        guard !isBetweenFrames, names.contains(where: { $0.hasPrefix("VP8") || $0 == "ANMF" })
        else { return nil }
        result = Array(result.prefix(max(offset, bytes.count + bytes.count % 2)))
        write(result.count - 8, to: &result, at: 4)
        return result
    }

    private static func shorten(_ bytes: inout [UInt8], from start: Int) {
        var offset = start
        while offset + 8 <= bytes.count {
            let length = bytes[offset + 4..<offset + 8].littleEndianNumber
            write(min(length, bytes.count - offset - 8), to: &bytes, at: offset + 4)
            offset += 8 + length + length % 2
        }
    }

    private static func write(_ value: Int, to bytes: inout [UInt8], at place: Int) {
        for byte in 0..<4 { bytes[place + byte] = UInt8(truncatingIfNeeded: value >> (8 * byte)) }
    }

    // MARK: - AVIF

    /// The last box gets the length of its bytes that are there.
    private static func avif(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        var offset = 0
        while let box = ISOBox(bytes, at: offset, end: bytes.count) {
            offset = box.range.upperBound
            // The frames of an animation are not looked for.
            if box.name == "moov" { return nil }
        }
        guard offset + 8 < bytes.count, bytes[offset + 4..<offset + 8].elementsEqual("mdat".utf8),
            bytes[offset] != 0 || bytes[offset + 1] != 0 || bytes[offset + 2] != 0
                || bytes[offset + 3] > 1
        else { return nil }
        var result = Array(bytes)
        for byte in 0..<4 {
            result[offset + byte] = UInt8(
                truncatingIfNeeded: (bytes.count - offset) >> (24 - 8 * byte))
        }
        return result
    }
}

/// Counts the pixels of compressed data of a GIF, without their colours.
enum LZWLength {
    /// - Parameters:
    ///   - codes: The bytes of all sub-blocks.
    ///   - bits: The bits of a colour.
    /// - Returns: The number, up to the end of the data.
    static func pixels(_ codes: [UInt8], bits: Int) -> Int {
        guard (1...11).contains(bits) else { return 0 }
        let clear = 1 << bits
        var (width, pending, count, sum) = (bits + 1, 0, 0, 0)
        // The length of the pixels that a code stands for.
        var lengths: [Int] = []
        var last: Int?
        for byte in codes {
            pending |= Int(byte) << count
            count += 8
            while count >= width {
                let code = pending & ((1 << width) - 1)
                pending >>= width
                count -= width
                if code == clear {
                    (width, lengths, last) = (bits + 1, [], nil)
                    continue
                }
                if code == clear + 1 { return sum }
                if let last, lengths.count < 4096 - clear - 2 { lengths.append(last + 1) }
                let index = code - clear - 2
                guard index < lengths.count else { return sum }
                let length = index < 0 ? 1 : lengths[index]
                (sum, last) = (sum + length, length)
                if lengths.count + clear + 2 >= 1 << width, width < 12 { width += 1 }
            }
        }
        return sum
    }
}
