import ImageFormats
import Recipes

extension FileParts {
    /// The file without its metadata and without trailing bytes; nil if it has neither.
    ///
    /// No pixel changes, and the image is shown as before: colour profiles are kept, and an
    /// orientation is kept in EXIF that contains nothing else.
    ///
    /// - Parameters:
    ///   - file: The file of the parts.
    ///   - format: Its format.
    ///   - orientation: The orientation from its EXIF, from 1 to 8.
    ///   - attachments: The blocks to write into ``items``, as far as they fit.
    /// - Returns: The bytes.
    func stripped(
        _ file: borrowing SourceFile, format: ImageFormat, orientation: Int,
        keeping attachments: Attachments = Attachments()
    ) -> [UInt8]? {
        guard hasMetadata || end < file.count else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(end)
        var isOriented = orientation <= 1
        for part in parts {
            switch part.kind {
            case .image:
                bytes += file.bytes(at: part.range.lowerBound, limit: part.range.count)
            case .exif where !isOriented:
                bytes += Self.exif(orientation: orientation, in: format)
                isOriented = true
            case .exif, .metadata: break
            }
        }
        if format == .webp { WebPHeader.correct(&bytes, hasEXIF: orientation > 1) }
        // Formats with patches consist of one part, so all offsets are unchanged.
        for patch in patches(keeping: attachments) where patch.range.upperBound <= bytes.count {
            bytes.replaceSubrange(patch.range, with: patch.bytes)
        }
        return bytes.elementsEqual(file.buffer) ? nil : bytes
    }

    /// The file without trailing bytes; nil if it has none.
    func trimmed(_ file: borrowing SourceFile) -> [UInt8]? {
        end < file.count ? file.bytes(at: 0, limit: end) : nil
    }

    /// A part of a file with EXIF that contains only an orientation.
    static func exif(orientation: Int, in format: ImageFormat) -> [UInt8] {
        let tiff = exif(orientation: orientation)
        switch format {
        case .jpeg: return Attachments.segment(0xE1, Attachments.exifName + tiff)
        case .png: return PNGChunk.bytes("eXIf", tiff)
        case .webp: return Attachments.webPChunk("EXIF", tiff)
        default: return []
        }
    }
}

/// The header of a WebP file from which chunks were removed.
enum WebPHeader {
    /// Corrects the length and the flags.
    static func correct(_ bytes: inout [UInt8], hasEXIF: Bool) {
        let isExtended = bytes.count >= 30 && bytes[12..<16].elementsEqual("VP8X".utf8)
        if isExtended {
            bytes[20] &= ~(WebPFlag.xmp | WebPFlag.exif)
            if hasEXIF { bytes[20] |= WebPFlag.exif }
            // Without any flag, the chunk adds no information to the picture.
            if bytes[20] == 0 { bytes.removeSubrange(12..<30) }
        }
        bytes.replaceSubrange(4..<8, with: (bytes.count - 8).littleEndianBytes(4))
    }
}
