extension Pictures {
    /// A scene that changes from frame to frame, each with its own display time.
    ///
    /// `delays` are milliseconds per frame, which a GIF rounds down to tens. `loop` is the number
    /// of times it is played: 0 for forever, otherwise at least 2. `format` is `gif` or `webp`, and
    /// only WebP can be lossless.
    package static func animation(
        width: Int = 80, height: Int = 60, delays: [Int] = [50, 100, 200], loop: Int = 0,
        seed: UInt64 = 1, as format: String = "gif", isLossless: Bool = false
    ) throws -> [UInt8] {
        let name = "animation \(width) \(height) \(delays.count) \(seed)"
        let options = "page-height=\(height)\(isLossless ? ",lossless" : "")"
        let bytes = try cached(name, as: "\(format)[\(options)]") { workspace in
            try workspace.save(roll(width: width, height: height, count: delays.count, seed: seed))
        }
        return format == "gif"
            ? timedGIF(bytes, delays: delays, loop: loop)
            : timedWebP(bytes, delays: delays, loop: loop)
    }

    /// A small GIF of equally sized black or white frames that change colour after every `run`
    /// frames.
    package static func longGIF(
        width: Int, height: Int, frameCount: Int, run: Int = 1
    ) throws -> [UInt8] {
        var bytes = gifHead(width, height)
        for frame in 0..<frameCount {
            bytes += [0x21, 0xF9, 4, 0, 4, 0, 0, 0]
            bytes += [0x2C, 0, 0, 0, 0] + littleEndian(width) + littleEndian(height) + [0]
            bytes += plainPixels(width * height, colour: UInt16(frame / run % 2))
        }
        return bytes + [0x3B]
    }

    /// A copy of an animated WebP without the frames after the first.
    package static func withoutLaterFrames(_ webp: [UInt8]) -> [UInt8] {
        let frames = places(of: Array("ANMF".utf8), in: webp)
        guard frames.count > 1 else { return webp }
        var bytes = Array(webp[..<frames[1]])
        let length = bytes.count - 8
        for byte in 0..<4 { bytes[4 + byte] = UInt8(truncatingIfNeeded: length >> (8 * byte)) }
        return bytes
    }

    /// A GIF of one frame in the upper left corner of its canvas.
    package static func gif(
        canvas: (width: Int, height: Int), frame: (width: Int, height: Int)
    ) -> [UInt8] {
        gifHead(canvas.width, canvas.height) + [0x2C, 0, 0, 0, 0] + littleEndian(frame.width)
            + littleEndian(frame.height) + [0] + plainPixels(frame.width * frame.height, colour: 1)
            + [0x3B]
    }

    /// A frame of a GIF in one of the colours black, white, red and green.
    package struct GIFFrame: Sendable {
        var left: Int
        var top: Int
        var width: Int
        var height: Int
        var colour: UInt16
        var disposal: UInt8
        var key: UInt8?

        package init(
            _ left: Int, _ top: Int, _ width: Int, _ height: Int, colour: UInt16,
            disposal: UInt8 = 0, key: UInt8? = nil
        ) {
            (self.left, self.top, self.width, self.height) = (left, top, width, height)
            (self.colour, self.disposal, self.key) = (colour, disposal, key)
        }
    }

    /// A GIF of plain frames, whose background is green.
    package static func gif(
        canvas: (width: Int, height: Int), frames: [GIFFrame]
    ) -> [UInt8] {
        var bytes = Array("GIF89a".utf8) + littleEndian(canvas.width) + littleEndian(canvas.height)
        bytes += [0x81, 3, 0, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 128, 0]
        for frame in frames {
            let flags = frame.disposal << 2 | (frame.key == nil ? 0 : 1)
            bytes += [0x21, 0xF9, 4, flags, 10, 0, frame.key ?? 0, 0, 0x2C]
            bytes += [frame.left, frame.top, frame.width, frame.height].flatMap(littleEndian) + [0]
            bytes += plainPixels(frame.width * frame.height, colour: frame.colour)
        }
        return bytes + [0x3B]
    }

    /// A transparent GIF of 40 × 30 pixels in which a black square appears, then a white one.
    ///
    /// `isGrey` tells whether all colours of its table are grey.
    package static func growingGIF(isGrey: Bool) -> [UInt8] {
        var bytes = Array("GIF89a".utf8) + littleEndian(40) + littleEndian(30)
        bytes += [0x81, 0, 0, 0, 0, 0, 255, 255, 255] + (isGrey ? [99, 99, 99] : [255, 0, 0])
        bytes += [9, 9, 9]
        for (x, side, colour) in [(0, 30, 3), (8, 6, 0), (20, 6, 1)] {
            // The colour 3 is transparent, and each frame stays.
            bytes += [0x21, 0xF9, 4, 5, 10, 0, 3, 0]
            bytes += [0x2C] + littleEndian(x) + littleEndian(0) + littleEndian(side)
            bytes += littleEndian(side) + [0] + plainPixels(side * side, colour: UInt16(colour))
        }
        return bytes + [0x3B]
    }

    /// The head of a GIF with a colour table of black and white.
    private static func gifHead(_ width: Int, _ height: Int) -> [UInt8] {
        Array("GIF89a".utf8) + littleEndian(width) + littleEndian(height)
            + [0x80, 0, 0, 0, 0, 0, 255, 255, 255]
    }

    private static func littleEndian(_ value: Int) -> [UInt8] {
        [UInt8(value & 0xFF), UInt8(value >> 8)]
    }

    /// Pixels of one colour in LZW: runs that grow by one pixel each, as an encoder finds them.
    private static func plainPixels(_ count: Int, colour: UInt16) -> [UInt8] {
        // Codes: 0 to 3 colours, 4 clear, 5 end, then one for each run of 2, 3, 4 … pixels.
        var bits: [UInt8] = []
        var pending = 0
        var pendingCount = 0
        func emit(_ code: Int, _ width: Int) {
            pending |= code << pendingCount
            pendingCount += width
            while pendingCount >= 8 {
                bits.append(UInt8(pending & 0xFF))
                pending >>= 8
                pendingCount -= 8
            }
        }
        var rest = count
        emit(4, 3)
        while rest > 0 {
            var (next, width, run) = (6, 3, 1)
            while rest > 0, next < 4095 {
                let length = min(run, rest)
                emit(length == 1 ? Int(colour) : 4 + length, width)
                rest -= length
                // The decoder adds a code with each code except the first.
                if run > 1 { next += 1 }
                if next == 1 << width, width < 12 { width += 1 }
                run += 1
            }
            emit(rest > 0 ? 4 : 5, width)
        }
        if count == 0 { emit(5, 3) }
        if pendingCount > 0 { bits.append(UInt8(pending & 0xFF)) }
        var blocks: [UInt8] = [2]
        for start in stride(from: 0, to: bits.count, by: 255) {
            let block = bits[start..<min(start + 255, bits.count)]
            blocks += [UInt8(block.count)] + block
        }
        return blocks + [0]
    }

    /// The frames one below the other, as libvips stores an animation.
    private static func roll(width: Int, height: Int, count: Int, seed: UInt64) -> Raster {
        var pixels: [UInt8] = []
        for frame in 0..<UInt64(count) {
            pixels +=
                Raster.scene(width: width, height: height, seed: seed + frame, bands: 3).pixels
        }
        return Raster(width: width, height: height * count, bands: 3, pixels: pixels)
    }

    /// Sets the delays in the graphic control extensions and the count in the Netscape extension.
    private static func timedGIF(_ bytes: [UInt8], delays: [Int], loop: Int) -> [UInt8] {
        var bytes = bytes
        for (start, delay) in zip(places(of: [0x21, 0xF9, 0x04], in: bytes), delays) {
            bytes[start + 4] = UInt8((delay / 10) & 0xFF)
            bytes[start + 5] = UInt8((delay / 10) >> 8)
        }
        // The extension counts repetitions, and 0 means forever.
        let repetitions = max(0, loop - 1)
        for start in places(of: Array("NETSCAPE2.0".utf8) + [3, 1], in: bytes) {
            bytes[start + 13] = UInt8(repetitions & 0xFF)
            bytes[start + 14] = UInt8(repetitions >> 8)
        }
        return bytes
    }

    /// Sets the durations in the ANMF chunks and the count in the ANIM chunk.
    private static func timedWebP(_ bytes: [UInt8], delays: [Int], loop: Int) -> [UInt8] {
        var bytes = bytes
        for (start, delay) in zip(places(of: Array("ANMF".utf8), in: bytes), delays) {
            for byte in 0..<3 { bytes[start + 8 + 12 + byte] = UInt8((delay >> (8 * byte)) & 0xFF) }
        }
        for start in places(of: Array("ANIM".utf8), in: bytes) {
            bytes[start + 12] = UInt8(loop & 0xFF)
            bytes[start + 13] = UInt8(loop >> 8)
        }
        return bytes
    }

    private static func places(of pattern: [UInt8], in bytes: [UInt8]) -> [Int] {
        bytes.indices.dropLast(pattern.count + 8).filter { start in
            bytes[start] == pattern[0] && bytes[start..<start + pattern.count] == pattern[...]
        }
    }
}
