/// The size of an SVG from its own absolute lengths, in CSS pixels.
///
/// librsvg, as libvips calls it, counts 72 pixels per inch. Browsers count 96, and many programs
/// write points or millimetres.
struct SVGSize: Equatable {
    let width: Int
    let height: Int

    /// Returns nil unless both lengths are absolute, or one is and the `viewBox` gives the other.
    init?(width: String?, height: String?, viewBox: String?) {
        let (across, down) = (width.flatMap(Self.pixels), height.flatMap(Self.pixels))
        // A percentage refers to the container outside the file, so it gives no size.
        let ratio = viewBox.flatMap(Self.ratio)
        switch (across, down, ratio) {
        case (let across?, let down?, _): self.init(across, down)
        case (let across?, nil, let ratio?) where height == nil: self.init(across, across / ratio)
        case (nil, let down?, let ratio?) where width == nil: self.init(down * ratio, down)
        default: return nil
        }
    }

    private init?(_ width: Double, _ height: Double) {
        guard width > 0, height > 0, width < 1e9, height < 1e9 else { return nil }
        self.width = max(1, Int(width.rounded()))
        self.height = max(1, Int(height.rounded()))
    }

    private static let units: [(name: String, pixels: Double)] = [
        ("px", 1), ("in", 96), ("cm", 96 / 2.54), ("mm", 96 / 25.4), ("pt", 96 / 72.0), ("pc", 16),
    ]

    private static func pixels(_ length: String) -> Double? {
        let length = length.filter { !$0.isWhitespace }.lowercased()
        for unit in units where length.hasSuffix(unit.name) {
            return Double(length.dropLast(unit.name.count)).map { $0 * unit.pixels }
        }
        return Double(length)
    }

    private static func ratio(_ viewBox: String) -> Double? {
        let numbers = viewBox.split { $0.isWhitespace || $0 == "," }.compactMap { Double($0) }
        guard numbers.count == 4, numbers[2] > 0, numbers[3] > 0 else { return nil }
        return numbers[2] / numbers[3]
    }
}
