import Glibc

/// The colours of a picture as ssimulacra2 compares them: red against green, brightness, and blue
/// (XYB of JPEG XL, shifted so that no value is negative).
final class OpponentColours {
    let channels: [Plane]
    /// Red, green and blue, linear in light, from 0 to 1.
    private let linear: [Plane]
    private let width: Int
    private let height: Int

    init(width: Int, height: Int) {
        (self.width, self.height) = (width, height)
        channels = (0..<3).map { _ in Plane(width, height) }
        linear = (0..<3).map { _ in Plane(width, height) }
    }

    /// Calls `use` with the colours in the full size, in half of it, and so on.
    ///
    /// - Parameters:
    ///   - pixels: A picture of this size, as ``VisualScore`` has it.
    ///   - count: How many sizes there are.
    ///   - use: Gets the number of the scale from 0 on, and its channels, which are valid until it
    ///     returns.
    func forEachScale(of pixels: [UInt8], count: Int, _ use: (Int, [Plane]) -> Void) {
        read(pixels)
        for scale in 0..<count {
            if scale > 0 { linear.forEach { $0.halve() } }
            setChannels()
            use(scale, channels)
        }
    }

    private func read(_ pixels: [UInt8]) {
        for plane in linear { plane.resize(width, height) }
        let (red, green, blue) = (linear[0].values, linear[1].values, linear[2].values)
        Self.light.withUnsafeBufferPointer { light in
            pixels.withUnsafeBufferPointer { pixels in
                for index in 0..<width * height {
                    let alpha = Int(pixels[4 * index + 3])
                    let hidden = 128 * (255 - alpha)
                    func shown(_ channel: Int) -> Float {
                        let value = Int(pixels[4 * index + channel])
                        return light[alpha == 255 ? value : (value * alpha + hidden) / 255]
                    }
                    (red[index], green[index], blue[index]) = (shown(0), shown(1), shown(2))
                }
            }
        }
    }

    /// The light of each sample of sRGB (IEC 61966-2-1).
    private static let light: [Float] = (0..<256).map { sample in
        let value = Double(sample) / 255
        return Float(value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4))
    }

    private func setChannels() {
        for channel in channels { channel.resize(linear[0].width, linear[0].height) }
        let (red, green, blue) = (linear[0].values, linear[1].values, linear[2].values)
        let (x, y, b) = (channels[0].values, channels[1].values, channels[2].values)
        let bias: Float = 0.003_793_073_255_275_449_3
        let root = cbrtf(bias)
        for index in stride(from: 0, to: channels[0].count, by: 8) {
            let (r, g, u) = (red.lanes(index), green.lanes(index), blue.lanes(index))
            let long = Self.cubeRoot(0.30 * r + 0.622 * g + 0.078 * u + bias) - root
            let middle = Self.cubeRoot(0.23 * r + 0.692 * g + 0.078 * u + bias) - root
            let violet = 0.243_422_689_245_478_19 * r + 0.204_767_444_244_968_21 * g
            let short = Self.cubeRoot(violet + 0.551_809_866_509_553_6 * u + bias) - root
            let bright = 0.5 * (long + middle)
            x.store(7 * (long - middle) + 0.42, index)
            y.store(bright + 0.01, index)
            b.store(short - bright + 0.55, index)
        }
    }

    /// The cube roots of positive numbers, to one part in a million.
    @inline(__always)
    private static func cubeRoot(_ value: Lanes) -> Lanes {
        // A third of the exponent is a first guess; each step of Halley triples its digits. A third
        // is the sum of 1/4, 1/16, 1/64 and so on.
        var third = value.bits
        third = (third &>> 2) &+ (third &>> 4)
        third = third &+ (third &>> 4)
        third = third &+ (third &>> 8)
        var root = Lanes(bits: third &+ 0x2A51_37A0)
        for _ in 0..<2 {
            let cube = root * root * root
            root *= (cube + 2 * value) / (2 * cube + value)
        }
        return root
    }
}
