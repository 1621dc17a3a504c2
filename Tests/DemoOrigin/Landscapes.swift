import Foundation

/// Landscapes as SVG, the images of the demo.
enum Landscapes {
    /// Ridges behind ridges under a sky, each paler than the one before it.
    static func ridges(
        width: Int, height: Int, sky: (String, String), near: Colour, far: Colour, sun: String,
        seed: Double = 1
    ) -> String {
        let count = 7
        let layers = (0..<count).map { index in
            let depth = Double(index) / Double(count - 1)
            let base = Double(height) * (0.42 + 0.5 * depth)
            return """
                <path fill="\(far.mixed(with: near, depth).text)" d="\(outline(
                    width: width, height: height, base: base, depth: depth, seed: seed))"/>
                """
        }
        return svg(
            width, height,
            """
            <defs><linearGradient id="sky" x2="0" y2="1">
            <stop stop-color="\(sky.0)"/><stop offset="0.6" stop-color="\(sky.1)"/>
            </linearGradient></defs>
            <rect width="100%" height="100%" fill="url(#sky)"/>
            <circle cx="\(width * 7 / 10)" cy="\(height * 3 / 10)" r="\(height / 12)"
             fill="\(sun)" opacity="0.9"/>
            \(layers.joined(separator: "\n"))
            """)
    }

    /// A moon that waxes and wanes, its frames one below the other.
    static func moons(size: Int, frameCount: Int) -> String {
        let radius = size * 3 / 10
        let frames = (0..<frameCount).map { frame in
            let phase = Double(frame) / Double(frameCount) * 2 - 1
            return """
                <svg y="\(frame * size)" width="\(size)" height="\(size)">
                <circle cx="50%" cy="50%" r="\(radius)" fill="#f4ecd0"/>
                <circle cx="\(Double(size) * (0.5 + phase * 0.62))" cy="50%" r="\(radius)"
                 fill="#101a2e"/></svg>
                """
        }
        let night = "<rect width=\"100%\" height=\"100%\" fill=\"#101a2e\"/>"
        return svg(size, size * frameCount, night + frames.joined())
    }

    /// A tile of flecks, mostly transparent.
    static let paper = svg(
        120, 120,
        (0..<60).map { index in
            let x = (index * 73) % 120
            let y = (index * 41 + index * index) % 120
            return "<circle cx=\"\(x)\" cy=\"\(y)\" r=\"1\" fill=\"#8a7\" opacity=\"0.25\"/>"
        }.joined())

    static let logo = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="64" height="64">
        <title>Field notes</title><rect width="64" height="64" rx="12" fill="#d8a657"/>
        <path d="M8 50 24 22l10 16 8-11 14 23z" fill="#31423f"/></svg>
        """

    private static func outline(
        width: Int, height: Int, base: Double, depth: Double, seed: Double
    ) -> String {
        let step = max(width / 160, 1)
        let points = stride(from: 0, through: width + step, by: step).map { x in
            let t = Double(x) / Double(width) * (6 + 5 * (1 - depth)) + seed * 10 * (depth + 1)
            let wave = sin(t) * 0.5 + sin(t * 2.3 + seed) * 0.3 + sin(t * 5.1) * 0.12
            return "\(x) \(Int(base - wave * Double(height) * (0.06 + 0.07 * depth)))"
        }
        return "M0 \(height)L\(points.joined(separator: "L"))V\(height)z"
    }

    private static func svg(_ width: Int, _ height: Int, _ body: String) -> String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
        viewBox="0 0 \(width) \(height)">\(body)</svg>
        """
    }
}

/// A colour that can be mixed with another.
struct Colour {
    var red: Double
    var green: Double
    var blue: Double

    init(_ hex: Int) {
        red = Double(hex >> 16 & 255)
        green = Double(hex >> 8 & 255)
        blue = Double(hex & 255)
    }

    func mixed(with other: Colour, _ share: Double) -> Colour {
        var mixed = self
        mixed.red += (other.red - red) * share
        mixed.green += (other.green - green) * share
        mixed.blue += (other.blue - blue) * share
        return mixed
    }

    var text: String { "rgb(\(Int(red)),\(Int(green)),\(Int(blue)))" }
}
