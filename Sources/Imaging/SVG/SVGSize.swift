/// The size of an SVG from its own lengths, in CSS pixels.
///
/// librsvg, as libvips calls it, counts 72 pixels per inch. Browsers count 96, and many programs
/// write points or millimetres.
struct SVGSize: Equatable {
    let width: Int
    let height: Int

    /// Returns nil unless both lengths are stated, or one is and the `viewBox` gives the other.
    init?(of root: SVGRoot) {
        // A percentage refers to the container outside the file, so it gives no size.
        switch (root.width, root.height, root.ratio) {
        case (.pixels(let across), .pixels(let down), _): self.init(across, down)
        case (.pixels(let across), .automatic, let ratio?): self.init(across, across / ratio)
        case (.automatic, .pixels(let down), let ratio?): self.init(down * ratio, down)
        default: return nil
        }
    }

    /// The size at which to draw an SVG for which librsvg would choose another size than browsers;
    /// nil if it would not.
    ///
    /// The default is 300 × 150 (CSS Images 3, section 4.3), where librsvg takes the drawn area.
    static func frame(of root: SVGRoot) -> SVGSize? {
        if root.hasFontUnits { return SVGSize(of: root) }
        guard root.ratio == nil else { return nil }
        switch (root.width, root.height) {
        case (.automatic, .automatic): return SVGSize(300, 150)
        case (.pixels(let across), .automatic): return SVGSize(across, 150)
        case (.automatic, .pixels(let down)): return SVGSize(300, down)
        default: return nil
        }
    }

    private init?(_ width: Double, _ height: Double) {
        guard width > 0, height > 0, width < 1e9, height < 1e9 else { return nil }
        self.width = max(1, Int(width.rounded()))
        self.height = max(1, Int(height.rounded()))
    }

    /// The document with this size in its root element.
    func framed(_ document: SVGSanitiser) -> [UInt8] {
        var bytes = document.output
        let lengths = " width=\"\(width)\" height=\"\(height)\""
        bytes.insert(contentsOf: lengths.utf8, at: document.rootEnd)
        for range in document.rootLengths.reversed() { bytes.removeSubrange(range) }
        return bytes
    }
}

/// The attributes of the root element of an SVG that decide its size.
struct SVGRoot {
    enum Length: Equatable {
        /// In CSS pixels.
        case pixels(Double)
        /// None, or one that depends on the container.
        case automatic
        /// In a unit that is not known here, or not a length.
        case unknown
    }

    let width: Length
    let height: Length
    /// The width of the `viewBox` divided by its height.
    let ratio: Double?
    /// Whether a length is in a unit that depends on the font.
    let hasFontUnits: Bool

    /// - Parameter attributes: The attributes by their names.
    init(_ attributes: [String: String]) {
        let size = attributes["font-size"].map { Self.length($0, fontSize: Self.mediumFontSize) }
        let fontSize = if case .pixels(let size) = size { size } else { Self.mediumFontSize }
        width = Self.length(attributes["width"], fontSize: fontSize)
        height = Self.length(attributes["height"], fontSize: fontSize)
        ratio = attributes["viewBox"].flatMap(Self.ratio)
        hasFontUnits = ["width", "height"].contains { name in
            attributes[name].map { Self.usesFont(Self.spelling($0)) } == true
        }
    }

    private static let mediumFontSize = 16.0

    private static let units: [(name: String, pixels: Double)] = [
        ("px", 1), ("in", 96), ("cm", 96 / 2.54), ("mm", 96 / 25.4), ("pt", 96 / 72.0), ("pc", 16),
        ("q", 96 / 101.6),
    ]

    /// The units with the number of font sizes each; a name comes before its endings.
    ///
    /// Half of the font size stands for `ex` and `ch` where the font is not known (CSS Values 4,
    /// section 6.1.1).
    private static let fontUnits: [(name: String, sizes: Double)] = [
        ("rem", 1), ("em", 1), ("ex", 0.5), ("ch", 0.5),
    ]

    private static func spelling(_ length: String) -> String {
        length.filter { !$0.isWhitespace }.lowercased()
    }

    private static func usesFont(_ length: String) -> Bool {
        fontUnits.contains { length.hasSuffix($0.name) }
    }

    private static func length(_ text: String?, fontSize: Double) -> Length {
        guard let text = text.map(spelling), text != "auto", !text.hasSuffix("%") else {
            return .automatic
        }
        let units = units + fontUnits.map { ($0.name, $0.sizes * fontSize) }
        let unit = units.first { text.hasSuffix($0.name) } ?? ("", 1)
        guard let number = Double(text.dropLast(unit.name.count)) else { return .unknown }
        return .pixels(number * unit.pixels)
    }

    private static func ratio(_ viewBox: String) -> Double? {
        let numbers = viewBox.split { $0.isWhitespace || $0 == "," }.compactMap { Double($0) }
        guard numbers.count == 4, numbers[2] > 0, numbers[3] > 0 else { return nil }
        return numbers[2] / numbers[3]
    }
}
