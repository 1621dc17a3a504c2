import Recipes

/// The canvas of an animated PNG or of a GIF: 8-bit RGBA, at first transparent.
struct FrameCanvas {
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

    /// Draws the pixels of `frame`, as far as they are on the canvas.
    mutating func draw(_ new: [UInt8], _ frame: CanvasFrame) {
        let (columns, rows) = visible(frame)
        if frame.disposal == .previous { previous = pixels }
        new.withUnsafeBufferPointer { new in
            pixels.withUnsafeMutableBufferPointer { pixels in
                for row in 0..<rows {
                    let start = ((frame.top + row) * width + frame.left) * 4
                    for column in 0..<columns {
                        let source = (row * frame.width + column) * 4
                        Self.put(
                            new, source, pixels, start + column * 4, isBlended: frame.isBlended)
                    }
                }
            }
        }
    }

    /// Prepares the canvas for the frame after `frame`.
    mutating func dispose(_ frame: CanvasFrame) {
        switch frame.disposal {
        case .none: break
        case .previous: swap(&pixels, &previous)
        case .background:
            let (columns, rows) = visible(frame)
            for row in frame.top..<frame.top + rows {
                let start = (row * width + frame.left) * 4
                for index in start..<start + columns * 4 { pixels[index] = 0 }
            }
        }
    }

    /// The size of the part of a frame that is on the canvas.
    private func visible(_ frame: CanvasFrame) -> (columns: Int, rows: Int) {
        (
            max(0, min(frame.width, width - frame.left)),
            frame.left < width ? max(0, min(frame.height, height - frame.top)) : 0
        )
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
