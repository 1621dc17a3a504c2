/// The colours of a picture in 8 × 8 places, from 0 to 255 a channel, after its colour profile is
/// applied if it has one.
package struct Colours: Sendable {
    package let samples: [UInt8]

    package init(of bytes: [UInt8]) throws {
        let pixels = try Miniature(of: bytes, width: 8, height: 8)
        samples = pixels.samples
    }

    /// How far, on average, a channel of a place is from the same in the other picture.
    package func distance(to other: Colours) -> Double {
        let differences = zip(samples, other.samples).map { abs(Int($0) - Int($1)) }
        return Double(differences.reduce(0, +)) / Double(max(1, differences.count))
    }
}
