import Glibc

/// The colours of a picture as ssimulacra2 compares them: red against green, brightness, and blue
/// (XYB of JPEG XL, shifted so that no value is negative).
struct OpponentColours {
    let channels: [Plane]

    /// - Parameter linear: Red, green and blue, linear in light, from 0 to 1.
    init(_ linear: [Plane]) {
        let (width, height) = (linear[0].width, linear[0].height)
        channels = (0..<3).map { _ in Plane(width, height) }
        let (red, green, blue) = (linear[0].values, linear[1].values, linear[2].values)
        let (x, y, b) = (channels[0].values, channels[1].values, channels[2].values)
        let bias: Float = 0.003_793_073_255_275_449_3
        let root = cbrtf(bias)
        for index in 0..<width * height {
            let (r, g, u) = (red[index], green[index], blue[index])
            let long = Self.cubeRoot(0.30 * r + 0.622 * g + 0.078 * u + bias) - root
            let middle = Self.cubeRoot(0.23 * r + 0.692 * g + 0.078 * u + bias) - root
            let short =
                Self.cubeRoot(
                    0.243_422_689_245_478_19 * r + 0.204_767_444_244_968_21 * g
                        + 0.551_809_866_509_553_6 * u + bias) - root
            let bright = 0.5 * (long + middle)
            x[index] = 7 * (long - middle) + 0.42
            y[index] = bright + 0.01
            b[index] = short - bright + 0.55
        }
    }

    /// The cube root of a positive number, to one part in a million.
    @inline(__always)
    private static func cubeRoot(_ value: Float) -> Float {
        // A third of the exponent is a first guess; each step of Halley triples its digits.
        var root = Float(bitPattern: value.bitPattern / 3 &+ 0x2A51_37A0)
        for _ in 0..<2 {
            let cube = root * root * root
            root *= (cube + 2 * value) / (2 * cube + value)
        }
        return root
    }
}
