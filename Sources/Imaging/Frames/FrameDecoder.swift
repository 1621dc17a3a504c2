internal import CVips
import ImageFormats
import Recipes

/// Decodes the frames of a file: each by libvips, and then drawn onto the canvas.
struct FrameDecoder {
    private let animation: any FramedFile
    private let loader: ImageDecoder

    init(of animation: any FramedFile) throws(JobResult.JobError) {
        self.animation = animation
        loader = try ImageDecoder(of: animation.format)
    }

    /// All frames upright and `width` pixels wide, in 8-bit sRGB, one below the other.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - width: The width of the upright picture in pixels.
    ///   - orientation: The orientation from the EXIF of the file, from 1 to 8.
    ///   - limit: The maximum number of frames to draw.
    /// - Returns: The frames as one picture.
    /// - Throws: ``JobResult/JobError``, for example if a frame is damaged.
    func frames(
        of file: borrowing SourceFile, width: Int, orientation: Int, limit: Int = .max
    ) throws(JobResult.JobError) -> Picture {
        var canvas = FrameCanvas(width: animation.width, height: animation.height)
        var roll: FrameRoll?
        let frames = animation.frames.prefix(limit)
        for (number, frame) in frames.enumerated() {
            var profile: [UInt8]?
            if frame.width > 0, frame.height > 0 {
                let still = animation.still(number, of: file, orientation: 1)
                let decoded = try loader.pixels(of: still)
                guard decoded.bytes.count == frame.width * frame.height * 4 else {
                    throw APNGFile.corrupt("a frame has the wrong size")
                }
                canvas.draw(decoded.bytes, frame)
                profile = decoded.profile
            }
            let picture = try Picture(
                pixels: canvas.pixels, width: canvas.width, height: canvas.height)
            picture.set(profile: profile, orientation: orientation)
            let shown = try scaled(
                picture, width: width, isTurned: orientation >= 5,
                mayKeep: orientation == 1 && profile == nil, hasProfile: profile != nil)
            if roll == nil {
                roll = try FrameRoll(
                    width: shown.width, height: shown.frameHeight, count: frames.count)
            }
            try roll?.add(shown)
            canvas.dispose(frame)
        }
        guard let roll else { throw APNGFile.corrupt("it has no frames") }
        return roll.picture(delays: frames.map(\.delay), plays: animation.plays)
    }

    private func scaled(
        _ picture: consuming Picture, width: Int, isTurned: Bool, mayKeep: Bool, hasProfile: Bool
    ) throws(JobResult.JobError) -> Picture {
        if mayKeep, width >= animation.width { return picture }
        let image = picture.image
        let width = min(width, isTurned ? animation.height : animation.width)
        let promise = try Picture.made(else: .corrupt, "the image cannot be scaled") { out in
            cvips_thumbnail_image(
                image, Int32(width), hasProfile ? "srgb" : nil, VIPS_INTENT_RELATIVE, out)
        }
        return promise
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
            let image = cvips_canvas(Int32(width), Int32(rows))
        else { throw Vips.failure(.outOfMemory, "the animation does not fit in memory") }
        self.image = image
        self.height = height
        self.count = count
        frameSize = width * height * 4
    }

    deinit { cvips_unref_image(image) }

    func add(_ picture: borrowing Picture) throws(JobResult.JobError) {
        guard added < count else { throw APNGFile.corrupt("it has too many frames") }
        let pixels = try picture.bytes()
        guard pixels.count == frameSize, let start = vips_image_get_data(image) else {
            throw APNGFile.corrupt("a frame has the wrong size")
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

/// A file whose frames are drawn onto a canvas, one after the other.
protocol FramedFile {
    var format: ImageFormat { get }
    /// The size of the canvas.
    var width: Int { get }
    var height: Int { get }
    var frames: [CanvasFrame] { get }
    /// The number of times the animation is played; 0 for forever.
    var plays: Int { get }

    /// A file of one frame alone, with an orientation from 1 to 8.
    func still(_ number: Int, of file: borrowing SourceFile, orientation: Int) -> SourceFile
}

/// A frame and the way in which it changes the canvas.
struct CanvasFrame {
    /// How the canvas changes after the frame was shown.
    enum Disposal: UInt8 {
        case none, background, previous

        /// The same for the frame that comes after `count` others; there is nothing before the first.
        func after(_ count: Int) -> Disposal {
            count == 0 && self == .previous ? .background : self
        }
    }

    let width: Int
    let height: Int
    let left: Int
    let top: Int
    /// In milliseconds.
    let delay: Int
    let disposal: Disposal
    /// Whether the pixels are drawn over the canvas; if not, they replace it.
    let isBlended: Bool
    /// The places of the compressed pixels in the file.
    var data: [Range<Int>] = []
}
