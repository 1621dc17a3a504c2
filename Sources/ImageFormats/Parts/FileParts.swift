/// The parts of a file by its outer structure, found without decoding pixels.
///
/// They provide facts that decoders do not: whether the file is complete up to its end mark, the
/// place of that mark, and the parts that can be removed without changing a pixel.
package struct FileParts {
    package enum Kind {
        /// Pixels, or data that affects how they are shown.
        case image
        /// EXIF, which may hold the orientation.
        case exif
        /// Text, a comment, XMP or other metadata, and bytes that belong to nothing.
        case metadata
    }

    package struct Part {
        package let kind: Kind
        package let range: Range<Int>
    }

    /// The parts in order, from the first byte on; bytes after the last part do not belong to the
    /// image.
    package private(set) var parts: [Part] = []
    /// Replacements for metadata that cannot be removed: the same number of bytes without content.
    package internal(set) var patches: [(range: Range<Int>, bytes: [UInt8])] = []
    /// The places of metadata that cannot be removed, but replaced by less.
    package internal(set) var items: [MetadataItem] = []
    /// The items of an AVIF or HEIC.
    package internal(set) var heif: HEIFItems?
    /// Whether the file is complete up to its end mark.
    package internal(set) var isComplete = true
    /// The number of frames, if libvips does not count them.
    package internal(set) var frameCount: Int?
    /// Whether the pixels are stored without loss; nil if the format alone decides that.
    package internal(set) var isLossless: Bool?
    /// Whether it is an animated WebP, even one with a single frame.
    package internal(set) var isAnimatedWebP = false
    /// Whether it states an animation, but in a way that not every browser shows.
    package internal(set) var isUnclearAnimation = false
    /// Whether no frame of a GIF covers a part of its canvas that libvips paints and browsers do not.
    package internal(set) var hasGaps = false
    /// The size at which browsers show the image, if libvips may report another.
    package internal(set) var canvas: (width: Int, height: Int)?

    /// Reads the parts of a file; a format without a reader here has a single part.
    package init(of bytes: UnsafeRawBufferPointer, format: ImageFormat) {
        switch format {
        case .avif: readAVIF(bytes)
        case .bmp: readBMP(bytes)
        case .heic: readHEIC(bytes)
        case .gif: readGIF(bytes)
        case .jpeg: readJPEG(bytes)
        case .png: readPNG(bytes)
        case .webp: readWebP(bytes)
        default: add(.image, 0..<bytes.count)
        }
    }

    package var hasMetadata: Bool { !patches.isEmpty || parts.contains { $0.kind != .image } }

    package var end: Int { parts.last?.range.upperBound ?? 0 }

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

    /// EXIF with nothing but an orientation: a TIFF with a directory of one entry at 8.
    package static func exif(orientation: Int) -> [UInt8] {
        [
            0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0,
            UInt8(orientation), 0, 0, 0, 0, 0, 0,
        ]
    }
}

/// How much a file holds besides its picture; each case includes those before it.
package enum FileContent: Int, Comparable, Sendable {
    /// Nothing.
    case picture
    /// The orientation of the picture.
    case orientation
    /// Blocks of metadata.
    case metadata
    /// Bytes that belong to nothing, such as another file behind its end; or no end at all.
    case foreign

    package static func < (one: FileContent, other: FileContent) -> Bool {
        one.rawValue < other.rawValue
    }

    /// Looks at all bytes of a file; the text of a drawing is judged elsewhere.
    package init(of bytes: UnsafeRawBufferPointer, format: ImageFormat) {
        if format == .ico || format == .cursor {
            let isCompact = IconDirectory(of: bytes).map { $0.compact(bytes) == nil } == true
            self = isCompact ? .picture : .foreign
            return
        }
        let parts = FileParts(of: bytes, format: format)
        let others = parts.parts.filter { $0.kind != .image }
        if !parts.isComplete || parts.end != bytes.count {
            self = .foreign
        } else if !parts.patches.isEmpty || others.count > 1 {
            self = .metadata
        } else if let other = others.first {
            let isOrientation =
                other.kind == .exif && other.range.count < 50
                && (2...8).contains {
                    Array(bytes[other.range]).contains(FileParts.exif(orientation: $0))
                }
            self = isOrientation ? .orientation : .metadata
        } else {
            self = .picture
        }
    }
}

/// An item of an AVIF with EXIF or XMP, which can be replaced by a block that is not longer.
package struct MetadataItem {
    package enum Kind { case exif, xmp }

    package let kind: Kind
    /// The place of the item's type.
    package let type: Range<Int>
    /// The place of its content.
    package let content: Range<Int>
}
