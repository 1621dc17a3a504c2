/// The canvas of a GIF: 8-bit RGBA, at first transparent.
struct FrameCanvas {
    let width: Int
    let height: Int
    private(set) var pixels: [UInt8]
    /// The pixels below the last frame, if it is to be taken back.
    private var previous: [UInt8] = []

    init(width: Int, height: Int) {
        (self.width, self.height) = (width, height)
        pixels = [UInt8](repeating: 0, count: width * height * 4)
    }

    /// Draws the pixels of `frame` that are not transparent, as far as they are on the canvas.
    mutating func draw(_ new: [UInt8], _ frame: CanvasFrame) {
        let (columns, rows) = visible(frame)
        if frame.disposal == .previous { previous = pixels }
        new.withUnsafeBufferPointer { new in
            pixels.withUnsafeMutableBufferPointer { pixels in
                for row in 0..<rows {
                    let target = ((frame.top + row) * width + frame.left) * 4
                    let start = row * frame.width * 4
                    for place in stride(from: 0, to: columns * 4, by: 4)
                    where new[start + place + 3] > 0 {
                        for channel in 0..<4 {
                            pixels[target + place + channel] = new[start + place + channel]
                        }
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
}

/// A frame and the way in which it changes the canvas.
struct CanvasFrame {
    /// How the canvas changes after the frame was shown.
    enum Disposal { case none, background, previous }

    let width: Int
    let height: Int
    let left: Int
    let top: Int
    /// In milliseconds.
    let delay: Int
    let disposal: Disposal
    /// The place of the compressed pixels in the file.
    let data: Range<Int>
}
