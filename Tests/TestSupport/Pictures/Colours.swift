/// The colours of a picture in an 8 × 8 grid, from 0 to 255 per channel, with its colour profile
/// applied.
package struct Colours: Sendable {
    package let samples: [UInt8]

    package init(of bytes: [UInt8]) throws {
        let pixels = try Miniature(of: bytes, width: 8, height: 8)
        samples = pixels.samples
    }

    /// The mean difference per channel from the same cells of the other picture.
    package func distance(to other: Colours) -> Double {
        let differences = zip(samples, other.samples).map { abs(Int($0) - Int($1)) }
        return Double(differences.reduce(0, +)) / Double(max(1, differences.count))
    }
}
