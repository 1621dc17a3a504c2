internal import CVips
internal import CZlib
import ImageFormats

/// Writes small PNG files with libvips, without the loss of a visible pixel.
///
/// It tries fewer channels and bits, a palette and filters of rows, and keeps the smallest file.
struct PNGWriter {
    /// How much work to do.
    let effort: Effort

    /// The samples up to which the best compression costs little time, in bytes.
    private static let fastSize = 1 << 18

    /// A file with the pixels of `samples`.
    ///
    /// - Parameters:
    ///   - samples: The samples.
    ///   - chunks: Complete chunks to put between `IHDR` and the pixels, such as `iCCP`.
    ///   - keepsModel: Whether grey and RGB stay as they are.
    /// - Returns: nil if there is not enough memory.
    func file(
        _ samples: PNGSamples, chunks: [UInt8] = [], keepsModel: Bool = false
    ) -> [UInt8]? {
        let reduced = samples.reduced(keepsModel: keepsModel)
        guard let picture = try? Picture(reduced) else { return nil }
        let effort = reduced.bytes.count <= Self.fastSize ? .high : effort
        let compression = ImageFormat.png.encoder?.effortOptions[effort] ?? ""
        var files = ["none", "all"].map { filter in
            saved(picture, "\(compression),filter=\(filter)", chunks)
        }
        // A palette counts as RGB, so a grey profile does not go with it.
        if !(keepsModel && reduced.isGrey), let count = reduced.colourCount {
            let bits = [1, 2, 4].first { count <= 1 << $0 } ?? 8
            let file = saved(
                picture, "\(compression),palette=true,Q=100,dither=0,bitdepth=\(bits)", chunks)
            // libvips chooses the colours, and nothing says that it chooses these.
            if let file, showsSamePixels(file, picture) { files.append(file) }
        }
        return files.compactMap(\.self).min { $0.count < $1.count }
    }

    /// The picture as a PNG with `chunks` after its header; nil if libvips cannot write it.
    private func saved(
        _ picture: borrowing Picture, _ options: String, _ chunks: [UInt8]
    ) -> [UInt8]? {
        var start: UnsafeMutableRawPointer?
        var count = 0
        guard cvips_save("pngsave_buffer", options, picture.image, 0, &start, &count) == 0,
            let start
        else {
            _ = Vips.takeError()
            return nil
        }
        defer { g_free(start) }
        let made = UnsafeRawBufferPointer(start: start, count: count)
        var file = PNGChunk.signature
        for chunk in PNGChunks(in: made) where Self.ofPixels.contains(chunk.name) {
            file += made[chunk.range]
            if chunk.name == "IHDR" { file += chunks }
        }
        return file
    }

    /// Whether `file` has the pixels of `picture`; one that is wholly transparent has no colour.
    private func showsSamePixels(_ file: [UInt8], _ picture: borrowing Picture) -> Bool {
        let source = SourceFile(file)
        guard let made = try? ImageDecoder(of: .png).pixels(of: source),
            let wanted = try? picture.pixels(), made.count == wanted.count
        else { return false }
        return made.withUnsafeBytes { made in
            wanted.withUnsafeBytes { wanted in
                let pairs = zip(
                    made.bindMemory(to: UInt32.self), wanted.bindMemory(to: UInt32.self))
                return pairs.allSatisfy { $0 == $1 || ($0 | $1).littleEndian >> 24 == 0 }
            }
        }
    }
}

extension PNGWriter {
    /// The still PNG `file` with the same pixels in fewer bytes; nil if it is not smaller.
    ///
    /// All chunks that affect how the pixels are shown, and all metadata, are kept.
    ///
    /// - Parameters:
    ///   - file: A complete PNG.
    ///   - samples: Its samples.
    /// - Returns: The file.
    func smaller(_ file: borrowing SourceFile, _ samples: PNGSamples) -> [UInt8]? {
        var chunks: [UInt8] = []
        var keepsModel = false
        for chunk in PNGChunks(in: file.buffer) {
            if Self.ofPixels.contains(chunk.name) || Self.ofForm.contains(chunk.name) { continue }
            if ["iCCP", "cICP"].contains(chunk.name) { keepsModel = true }
            chunks += file.buffer[chunk.range]
        }
        guard let made = self.file(samples, chunks: chunks, keepsModel: keepsModel),
            made.count < file.count
        else { return nil }
        return made
    }

    /// The chunks that hold the pixels.
    private static let ofPixels: Set<String> = ["IHDR", "PLTE", "tRNS", "IDAT", "IEND"]

    /// Chunks that depend on the form of the samples and that no browser uses.
    private static let ofForm: Set<String> = ["sBIT", "bKGD", "hIST", "sPLT"]
}

/// Makes chunks of a PNG.
enum PNGChunk {
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    static func bytes(_ name: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(name.utf8) + data
        let sum = Int(crc32(0, body, uInt(body.count)))
        return data.count.bigEndianBytes(4) + body + sum.bigEndianBytes(4)
    }
}
