internal import CVips
import ImageFormats
import Recipes

/// Decodes the frames of a GIF: each by libvips, and then drawn onto the canvas.
struct FrameDecoder {
    private let animation: GIFFile
    private let loader: ImageDecoder

    init(of animation: GIFFile) throws(JobResult.JobError) {
        self.animation = animation
        loader = try ImageDecoder(of: .gif)
    }

    /// All frames, `width` pixels wide, in 8-bit sRGB, one below the other.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - width: The width of the picture in pixels.
    ///   - limit: The maximum number of frames to draw.
    /// - Returns: The frames as one picture.
    /// - Throws: ``JobResult/JobError``, for example if a frame is damaged.
    func frames(
        of file: borrowing SourceFile, width: Int, limit: Int = .max
    ) throws(JobResult.JobError) -> Picture {
        var canvas = FrameCanvas(width: animation.width, height: animation.height)
        var roll: FrameRoll?
        let frames = animation.frames.prefix(limit)
        for (number, frame) in frames.enumerated() {
            if frame.width > 0, frame.height > 0 {
                let pixels = try loader.pixels(of: animation.still(number, of: file))
                guard pixels.count == frame.width * frame.height * 4 else {
                    throw FrameRoll.corrupt("a frame has the wrong size")
                }
                canvas.draw(pixels, frame)
            }
            let shown = try scaled(
                Picture(pixels: canvas.pixels, width: canvas.width, height: canvas.height),
                width: width)
            if roll == nil {
                roll = try FrameRoll(
                    width: shown.width, height: shown.frameHeight, count: frames.count)
            }
            try roll?.add(shown)
            canvas.dispose(frame)
        }
        guard let roll else { throw FrameRoll.corrupt("it has no frames") }
        return roll.picture(delays: frames.map(\.delay), plays: animation.plays)
    }

    private func scaled(
        _ picture: consuming Picture, width: Int
    ) throws(JobResult.JobError) -> Picture {
        if width >= animation.width { return picture }
        let image = picture.image
        return try Picture.made(else: .corrupt, "the image cannot be scaled") { out in
            cvips_thumbnail_image(image, Int32(width), nil, VIPS_INTENT_RELATIVE, out)
        }
    }
}

/// Frames of one size in one image, one below the other, as libvips keeps an animation.
private final class FrameRoll {
    private let image: UnsafeMutablePointer<VipsImage>
    private let frameSize: Int
    private let count: Int
    private let height: Int
    private var added = 0

    /// - Throws: ``JobResult/JobError`` if there is not enough memory.
    init(width: Int, height: Int, count: Int) throws(JobResult.JobError) {
        let (rows, isTooLong) = height.multipliedReportingOverflow(by: count)
        guard !isTooLong, rows < Int(VIPS_MAX_COORD),
            let image = cvips_canvas(Int32(width), Int32(rows), 4, 0)
        else { throw Vips.failure(.outOfMemory, "the animation does not fit in memory") }
        self.image = image
        self.height = height
        self.count = count
        frameSize = width * height * 4
    }

    deinit { cvips_unref_image(image) }

    static func corrupt(_ detail: String) -> JobResult.JobError {
        JobResult.JobError(.corrupt, "the animation is damaged (\(detail))")
    }

    func add(_ picture: borrowing Picture) throws(JobResult.JobError) {
        guard added < count else { throw Self.corrupt("it has too many frames") }
        let pixels = try picture.bytes()
        guard pixels.count == frameSize, let start = vips_image_get_data(image) else {
            throw Self.corrupt("a frame has the wrong size")
        }
        (UnsafeMutableRawPointer(mutating: start) + added * frameSize)
            .copyMemory(from: pixels, byteCount: frameSize)
        added += 1
    }

    /// The frames with their delays in milliseconds and the number of plays.
    func picture(delays: [Int], plays: Int) -> Picture {
        var delays = delays.map { Int32(clamping: $0) }
        vips_image_set_array_int(image, "delay", &delays, Int32(delays.count))
        vips_image_set_int(image, "loop", Int32(clamping: plays))
        vips_image_set_int(image, "page-height", Int32(height))
        vips_image_set_int(image, "n-pages", Int32(count))
        g_object_ref(image)
        return Picture(owning: image)
    }
}
