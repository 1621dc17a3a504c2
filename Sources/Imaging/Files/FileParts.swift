import ImageFormats
import Recipes

/// The parts of a file by its outer structure, found without decoding pixels.
///
/// They provide facts that libvips does not: whether the file is complete up to its end mark, the
/// place of that mark, and the parts that can be removed without changing a pixel.
struct FileParts {
    enum Kind {
        /// Pixels, or data that affects how they are shown.
        case image
        /// EXIF, which may hold the orientation.
        case exif
        /// Text, a comment, XMP or other metadata.
        case metadata
    }

    struct Part {
        let kind: Kind
        let range: Range<Int>
    }

    /// The parts in order, from the first byte on; bytes after the last part do not belong to the
    /// image.
    private(set) var parts: [Part] = []
    /// Replacements for metadata that cannot be removed: the same number of bytes without content.
    var patches: [(range: Range<Int>, bytes: [UInt8])] = []
    /// The places of metadata that cannot be removed, but replaced by less.
    var items: [MetadataItem] = []
    /// Whether the file is complete up to its end mark.
    var isComplete = true
    /// The number of frames, if libvips does not count them.
    var frameCount: Int?
    /// Whether the pixels are stored without loss; nil if the format alone decides that.
    var isLossless: Bool?
    /// The colours by parts that libvips may not read.
    var colour = Colour.unstated
    /// Whether it states an animation, but in a way that not every browser shows.
    var isUnclearAnimation = false
    /// The size at which browsers show the image, if libvips may report another.
    var canvas: (width: Int, height: Int)?

    /// Reads the parts of `file`; a format without a reader here has a single part.
    init(of file: borrowing SourceFile, format: ImageFormat) {
        switch format {
        case .avif: readAVIF(file)
        case .gif: readGIF(file)
        case .jpeg: readJPEG(file)
        case .png: readPNG(file)
        case .webp: readWebP(file)
        default: add(.image, 0..<file.count)
        }
    }

    var hasMetadata: Bool { !patches.isEmpty || parts.contains { $0.kind != .image } }

    var end: Int { parts.last?.range.upperBound ?? 0 }

    /// Adds the part after the last one; two adjacent parts of the same kind become one.
    mutating func add(_ kind: Kind, _ range: Range<Int>) {
        guard !range.isEmpty else { return }
        if let last = parts.last, last.kind == kind, kind != .exif {
            parts[parts.count - 1] = Part(
                kind: kind, range: last.range.lowerBound..<range.upperBound)
        } else {
            parts.append(Part(kind: kind, range: range))
        }
    }
}

// MARK: - Leaving metadata out

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
    /// - Returns: The bytes, no more than those of the file.
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
        return bytes.count < file.count || !patches.isEmpty ? bytes : nil
    }

    /// The file without trailing bytes; nil if it has none.
    func trimmed(_ file: borrowing SourceFile) -> [UInt8]? {
        end < file.count ? file.bytes(at: 0, limit: end) : nil
    }

    /// A part of a file with EXIF that contains only an orientation.
    static func exif(orientation: Int, in format: ImageFormat) -> [UInt8] {
        // TIFF: big-endian, a directory of one entry at 8, tag 0x112, one SHORT.
        let tiff: [UInt8] = [
            0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0,
            UInt8(orientation), 0, 0, 0, 0, 0, 0,
        ]
        switch format {
        case .jpeg:
            let payload = Array("Exif\0\0".utf8) + tiff
            return [0xFF, 0xE1, 0, UInt8(payload.count + 2)] + payload
        case .png: return PNGChunk.bytes("eXIf", tiff)
        case .webp: return Array("EXIF".utf8) + [UInt8(tiff.count), 0, 0, 0] + tiff
        default: return []
        }
    }
}
