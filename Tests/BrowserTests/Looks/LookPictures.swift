import Foundation
import TestSupport

/// The images of the cases, drawn on the first request.
///
/// `/WIDTHxHEIGHT-SEED.EXT` is a picture of that size and format; the same seed is the same picture
/// at another size where the ratio is the same. All other images have fixed names. Another folder
/// name gives other images.
enum LookPictures {
    /// Starts a server with all images, which allows other sites to use them in masks and shapes.
    static func serve() async throws -> Origin {
        let origin = try await Origin.start()
        origin.handleRest { request in
            guard let picture = try? draw(request.path) else { return .status(404) }
            let fileExtension = request.path.split(separator: ".").last ?? ""
            var route = OriginRoute(
                picture, contentType: mediaTypes[String(fileExtension)],
                cacheControl: "max-age=3600")
            route.headers = [("Access-Control-Allow-Origin", "*")]
            return route
        }
        return origin
    }

    /// Draws the images that texts name in advance, so that no request waits for a drawing.
    static func prepare(for texts: [String], of origin: Origin) async throws {
        let paths = Set(
            texts.flatMap { text in
                text.components(separatedBy: origin.url).dropFirst().map { rest in
                    String(rest.prefix { !" \n\"',)>#".contains($0) })
                }
            })
        try await withThrowingTaskGroup { group in
            for path in paths { group.addTask { _ = try draw(path) } }
            try await group.waitForAll()
        }
    }

    private static func draw(_ path: String) throws -> [UInt8]? {
        let parts = path.split(separator: "/")
        let name = String(parts.last ?? "")
        let folder = parts.count > 1 ? parts[0].utf8.reduce(1) { $0 * 31 % 9973 + UInt64($1) } : 0
        if let drawing = drawings[name] { return Array(drawing.utf8) }
        switch name {
        case "transparent.png": return try Pictures.scene(channels: .colourAlpha, as: "png")
        case "animated.gif": return try Pictures.animation()
        case "unordered.png": return try animation { $0 == "fcTL" ? $1[..<3] + [9] + $1[4...] : $1 }
        case "frameless.png":
            return try animation { $0 == "fcTL" ? $1[..<9] + [9] + $1[10...] : $1 }
        case "deep.png": return try Pictures.sixteenBit()
        case "p3.jpg": return try Pictures.displayP3()
        case "cmyk.jpg": return try Pictures.cmyk()
        case "plain-cmyk.jpg": return try Pictures.cmyk(hasProfile: false)
        case "gamma.png": return try gamma(100_000)
        case "primaries.png":
            let primaries = [31_270, 32_900, 64_000, 33_000, 21_000, 71_000, 15_000, 6000]
            return try Pictures.addingChunk(
                "cHRM", primaries.flatMap { bigEndian($0) }, to: gamma(45_455))
        case "no-profile.jpg":
            return try Pictures.addingProfile(Array("profile".utf8), to: Pictures.scene())
        case "icon.ico": return try Pictures.icon()
        case "turned.webp": return try Pictures.orientedWebP(6)
        case "turned.jpg": return try Pictures.oriented(6, width: 240, height: 160)
        case "dense.jpg": return try Pictures.dense(width: 320, height: 240)
        default: return try spots(name, folder)
        }
    }

    /// An animated PNG whose second frame is changed, so that browsers show only the first.
    private static func animation(
        _ change: (_ name: String, _ data: [UInt8]) -> [UInt8]
    ) throws -> [UInt8] {
        let frames = try (0..<3).map { number in
            let drawing = try Pictures.drawn(
                width: 40, height: 30, channels: .colourAlpha, as: "png[strip]"
            ) { x, y in [UInt8(x * 6), UInt8(y * 8), UInt8(number * 100), 255] }
            return APNGFrame(drawing)
        }
        return Pictures.animatedPNG(frames) { $1 == 1 ? change($0, $2) : $2 }
    }

    private static func gamma(_ value: Int) throws -> [UInt8] {
        try Pictures.addingChunk("gAMA", bigEndian(value), to: Pictures.scene(as: "png[strip]"))
    }

    private static func bigEndian(_ value: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
    }

    private static func spots(_ name: String, _ folder: UInt64) throws -> [UInt8]? {
        let parts = name.split { "x-.".contains($0) }
        guard parts.count == 4, let width = Int(parts[0]), let height = Int(parts[1]),
            let seed = UInt64(parts[2])
        else { return nil }
        return try Pictures.spots(
            width: width, height: height, seed: folder * 100 + seed, as: String(parts[3]))
    }

    private static let mediaTypes = [
        "jpg": "image/jpeg", "png": "image/png", "gif": "image/gif", "webp": "image/webp",
        "avif": "image/avif", "tif": "image/tiff", "svg": "image/svg+xml", "ico": "image/x-icon",
    ]

    private static let drawings = [
        "drawing.svg": svg("width='120' height='80' viewBox='0 0 120 80'"),
        "ratio.svg": svg("viewBox='0 0 120 80'"),
        "sizeless.svg": svg(""),
        "scheme.svg": svg(
            "width='120' height='80'",
            "<style>@media (prefers-color-scheme: dark) { circle { fill: gold } }</style>"),
    ]

    private static func svg(_ attributes: String, _ style: String = "") -> String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" \(attributes)>\(style)
        <rect width="100%" height="100%" fill="teal"/><circle cx="40" cy="40" r="30" fill="navy"/>
        </svg>
        """
    }
}
