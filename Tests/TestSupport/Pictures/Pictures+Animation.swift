extension Pictures {
    /// A scene that changes from frame to frame, each shown for its own time.
    ///
    /// `delays` are milliseconds, one a frame, in a GIF rounded down to tens; `loop` says how often
    /// it is played, 0 for ever, else at least 2; `format` is `gif` or `webp`.
    package static func animation(
        width: Int = 80, height: Int = 60, delays: [Int] = [50, 100, 200], loop: Int = 0,
        seed: UInt64 = 1, as format: String = "gif"
    ) throws -> [UInt8] {
        let name = "animation \(width) \(height) \(delays.count) \(seed)"
        let bytes = try cached(name, as: "\(format)[page-height=\(height)]") { desk in
            try desk.save(roll(width: width, height: height, count: delays.count, seed: seed))
        }
        return format == "gif"
            ? timedGIF(bytes, delays: delays, loop: loop)
            : timedWebP(bytes, delays: delays, loop: loop)
    }

    /// The frames one below the other, as libvips holds an animation.
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
        // The extension counts repetitions, and 0 of them means for ever.
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
