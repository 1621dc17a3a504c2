import ImageFormats

/// Blocks that an image file holds beside its pixels.
struct Attachments {
    /// EXIF, from the TIFF header on.
    var exif: [UInt8]?
    /// An XMP packet.
    var xmp: [UInt8]?
    /// IPTC in the form of a JPEG segment, from `Photoshop 3.0` on.
    var iptc: [UInt8]?

    var isEmpty: Bool { exif == nil && xmp == nil && iptc == nil }

    /// `file` with these blocks.
    ///
    /// AVIF and GIF files are returned unchanged; libvips writes the blocks of a new AVIF, and a
    /// kept one has ``MetadataItem``s.
    ///
    /// - Parameters:
    ///   - file: A complete file that has none of these blocks.
    ///   - format: Its format.
    /// - Returns: The new file.
    func added(to file: [UInt8], format: ImageFormat) -> [UInt8] {
        guard !isEmpty else { return file }
        switch format {
        case .jpeg: return addedToJPEG(file)
        case .png: return addedToPNG(file)
        case .webp: return addedToWebP(file)
        default: return file
        }
    }

    static let exifName = Array("Exif\0\0".utf8)
    private static let xmpName = Array("http://ns.adobe.com/xap/1.0/\0".utf8)

    // MARK: - JPEG

    /// The segments follow the start mark and JFIF.
    private func addedToJPEG(_ file: [UInt8]) -> [UInt8] {
        var segments: [UInt8] = []
        if let exif { segments += Self.segment(0xE1, Self.exifName + exif) }
        if let xmp { segments += Self.segment(0xE1, Self.xmpName + xmp) }
        if let iptc { segments += Self.segment(0xED, iptc) }
        var place = 2
        if file.count > 6, file[2] == 0xFF, file[3] == 0xE0 {
            place = 4 + file[4..<6].bigEndianNumber
        }
        guard place <= file.count else { return file }
        return file[..<place] + segments + file[place...]
    }

    /// A segment; empty if the content is too long for one.
    static func segment(_ mark: UInt8, _ content: [UInt8]) -> [UInt8] {
        let length = content.count + 2
        guard length <= 65_535 else { return [] }
        return [0xFF, mark] + length.bigEndianBytes(2) + content
    }

    // MARK: - PNG

    /// The chunks follow `IHDR`.
    private func addedToPNG(_ file: [UInt8]) -> [UInt8] {
        guard file.count > 33 else { return file }
        return file[..<33] + pngChunks + file[33...]
    }

    private var pngChunks: [UInt8] {
        var chunks: [UInt8] = []
        if let exif { chunks += PNGChunk.bytes("eXIf", exif) }
        if let xmp {
            let head = Array("XML:com.adobe.xmp\0\0\0\0\0".utf8)
            chunks += PNGChunk.bytes("iTXt", head + xmp)
        }
        return chunks
    }

    // MARK: - WebP

    /// EXIF and XMP follow the pixels (RFC 9649, section 2.7).
    private func addedToWebP(_ file: [UInt8]) -> [UInt8] {
        guard file.count >= 30, let head = WebPHeader.extended(file) else { return file }
        let rest = file[12..<16].elementsEqual("VP8X".utf8) ? file[30...] : file[12...]
        var flags = head[8]
        if exif != nil { flags |= 0x08 }
        if xmp != nil { flags |= 0x04 }
        var result = file[..<12] + head[..<8] + [flags] + head[9...]
        result += rest
        if let exif { result += Self.webPChunk("EXIF", exif) }
        if let xmp { result += Self.webPChunk("XMP ", xmp) }
        result.replaceSubrange(4..<8, with: (result.count - 8).littleEndianBytes(4))
        return Array(result)
    }

    static func webPChunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        let padding: [UInt8] = data.count % 2 == 1 ? [0] : []
        return Array(name.utf8) + data.count.littleEndianBytes(4) + data + padding
    }
}

extension WebPHeader {
    /// The chunk `VP8X` of a file, or a new one for a file that has none; nil if the first chunk is
    /// not known.
    fileprivate static func extended(_ file: [UInt8]) -> [UInt8]? {
        let data = Array(file[20..<30])
        let size: (width: Int, height: Int)
        var flags: UInt8 = 0
        switch String(decoding: file[12..<16], as: UTF8.self) {
        case "VP8X": return Array(file[12..<30])
        case "VP8L":
            // A signature byte, 14 bits each for the size less 1, then a bit for alpha.
            let bits = data[1..<5].littleEndianNumber
            size = (bits & 0x3FFF, bits >> 14 & 0x3FFF)
            if bits >> 28 & 1 == 1 { flags = 0x10 }
        case "VP8 ":
            size = (
                (data[6..<8].littleEndianNumber & 0x3FFF) - 1,
                (data[8..<10].littleEndianNumber & 0x3FFF) - 1
            )
        default: return nil
        }
        let sides = size.width.littleEndianBytes(3) + size.height.littleEndianBytes(3)
        return Array("VP8X".utf8) + [10, 0, 0, 0, flags, 0, 0, 0] + sides
    }
}

extension MetadataItem {
    /// The bytes of `attachments` for this item, padded to its length; nil if there are none, or if
    /// they are longer.
    func filled(with attachments: Attachments) -> [UInt8]? {
        switch kind {
        case .exif:
            // The block follows the offset of its TIFF header (ISO/IEC 23008-12, A.2.1).
            attachments.exif.flatMap { padded([0, 0, 0, 0] + $0, with: 0) }
        case .xmp: attachments.xmp.flatMap { padded($0, with: UInt8(ascii: " ")) }
        }
    }

    private func padded(_ block: [UInt8], with filler: UInt8) -> [UInt8]? {
        let rest = content.count - block.count
        return rest < 0 ? nil : block + [UInt8](repeating: filler, count: rest)
    }
}

extension FileParts {
    /// ``patches``, but with the blocks of `attachments` in the first item for each of them.
    func patches(keeping attachments: Attachments) -> [(range: Range<Int>, bytes: [UInt8])] {
        var patches = patches
        for kind in [MetadataItem.Kind.exif, .xmp] {
            guard let item = items.first(where: { $0.kind == kind }),
                let bytes = item.filled(with: attachments)
            else { continue }
            patches.removeAll { $0.range == item.type || $0.range == item.content }
            patches.append((item.content, bytes))
        }
        return patches
    }
}
