import ImageFormats
import Recipes

/// An estimate of the memory that a worker needs for a job, so that the jobs of all workers
/// together fit into memory.
///
/// The figures were measured with libvips 8.14 on an image of 12 megapixels.
struct MemoryEstimate {
    let source: FileFacts
    let limits: Limits

    /// A worker without a job, with the buffers of a small one.
    static let base = 48 << 20

    /// The memory of a job in bytes: one picture for all variants, or two if the next one may use
    /// the last one, and the encoder that needs the most.
    func bytes(for job: Job) -> Int {
        guard !job.variants.isEmpty, source.format?.kind != .unchanged else { return Self.base }
        let pictures = job.variants.count > 1 ? 2 : 1
        let variants = job.variants.map { options in
            let shown = shownPixels(options.maximumWidth)
            let frames = options.frames == .first ? 1 : frames
            let encoding =
                options.possibleFormats(of: source.format).map(\.bytesToEncode).max() ?? 0
            return shown * frames * 4 * pictures + shown * encoding
        }
        let decoding =
            source.format?.bytesToDecode(isBuffered: source.size?.isBuffered ?? true) ?? 16
        let isWhole =
            job.variants.contains { $0.crop != nil }
            || job.variants.contains(where: \.isOneOfSeveral)
                && pixels <= ImageHeader.mostWholePixels
        // The whole image is held besides what its decoder needs.
        return Self.base + pixels * (decoding + (isWhole ? 4 : 0)) + (variants.max() ?? 0)
    }

    /// The pixels of one frame after it is scaled to a width.
    private func shownPixels(_ width: Int?) -> Int {
        guard let size = source.size, let width, size.width > width, size.width > 0 else {
            return pixels
        }
        // An EXIF orientation may exchange width and height.
        let scale = Double(width) / Double(min(size.width, max(size.height, width)))
        return Int(Double(pixels) * min(1, scale) * min(1, scale))
    }

    /// The pixels of one frame.
    private var pixels: Int {
        if let size = source.size { return min(size.pixels, limits.pixels) }
        // A drawing may be drawn in any size, and a file without a known size be any image.
        return min(limits.pixels, max(4_000_000, source.byteCount * 4))
    }

    /// The number of frames that are held at once, at most: a frame has more than one bit per pixel.
    private var frames: Int {
        guard source.format?.canBeAnimated == true else { return 1 }
        let pixels = max(1, pixels)
        return max(1, min(source.byteCount * 8 / pixels, limits.pixels / pixels))
    }
}

extension VariantOptions {
    /// The formats that a plan with these options may encode to.
    fileprivate func possibleFormats(of source: ImageFormat?) -> [ImageFormat] {
        switch format {
        case .auto: [.webp, source ?? .webp]
        case .keep: [source ?? .webp]
        case .webp, .avif, .jpeg, .png: [ImageFormat(rawValue: format.rawValue) ?? .webp]
        }
    }
}

extension ImageFormat {
    /// The bytes for each pixel of the source that its decoder holds at once.
    ///
    /// - Parameter isBuffered: Whether the image is progressive or interlaced. Otherwise, JPEG and
    ///   PNG are decoded line by line.
    /// - Returns: The number of bytes.
    fileprivate func bytesToDecode(isBuffered: Bool) -> Int {
        switch self {
        case .jpeg, .png: isBuffered ? 4 : 0
        case .gif, .webp, .svg, .svgz: 4
        case .avif, .heic, .tiff: 8
        default: 16
        }
    }

    /// The bytes for each pixel of the result that its encoder holds at once.
    fileprivate var bytesToEncode: Int {
        switch self {
        case .avif: 22
        case .webp: 7
        case .gif: 4
        default: 1
        }
    }
}
