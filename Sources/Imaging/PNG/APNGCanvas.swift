import Recipes

/// The canvas of an animated PNG: 8-bit RGBA, at first transparent.
struct APNGCanvas {
    let width: Int
    let height: Int
    private(set) var pixels: [UInt8]
    /// The pixels below the last frame, if it is to be taken back.
    private var previous: [UInt8] = []

    /// Whether there is enough memory for the canvas, a copy of it, and a frame in several forms.
    static func fits(_ header: ImageHeader) -> Bool {
        Memory.isAvailable(6 * 4 * header.width * header.height)
    }

    init(width: Int, height: Int) {
        (self.width, self.height) = (width, height)
        pixels = [UInt8](repeating: 0, count: width * height * 4)
    }

    /// Draws the pixels of `frame`, whose size was checked.
    mutating func draw(_ new: [UInt8], _ frame: APNGFile.Frame) {
        if frame.disposal == .previous { previous = pixels }
        new.withUnsafeBufferPointer { new in
            pixels.withUnsafeMutableBufferPointer { pixels in
                for row in 0..<frame.height {
                    let start = ((frame.top + row) * width + frame.left) * 4
                    for column in 0..<frame.width {
                        let source = (row * frame.width + column) * 4
                        Self.put(
                            new, source, pixels, start + column * 4, isBlended: frame.isBlended)
                    }
                }
            }
        }
    }

    /// Prepares the canvas for the frame after `frame`.
    mutating func dispose(_ frame: APNGFile.Frame) {
        switch frame.disposal {
        case .none: break
        case .previous: swap(&pixels, &previous)
        case .background:
            for row in frame.top..<frame.top + frame.height {
                let start = (row * width + frame.left) * 4
                for index in start..<start + frame.width * 4 { pixels[index] = 0 }
            }
        }
    }

    /// One pixel, by the formula of the PNG specification for samples that are not premultiplied.
    @inline(__always)
    private static func put(
        _ new: UnsafeBufferPointer<UInt8>, _ source: Int,
        _ pixels: UnsafeMutableBufferPointer<UInt8>, _ target: Int, isBlended: Bool
    ) {
        let above = Int(new[source + 3])
        let below = Int(pixels[target + 3])
        guard isBlended, above < 255, below > 0 else {
            // A transparent pixel over another one changes nothing.
            if isBlended, above == 0, below > 0 { return }
            for channel in 0..<4 { pixels[target + channel] = new[source + channel] }
            return
        }
        if above == 0 { return }
        let (first, second) = (above * 255, (255 - above) * below)
        let sum = first + second
        for channel in 0..<3 {
            let mixed =
                Int(new[source + channel]) * first + Int(pixels[target + channel]) * second
            pixels[target + channel] = UInt8((mixed + sum / 2) / sum)
        }
        pixels[target + 3] = UInt8((sum + 127) / 255)
    }
}
