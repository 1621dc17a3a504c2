import Foundation
import TestSupport

/// Serves the pictures of `examples/site` on loopback: `demo-origin PORT`.
@main
enum DemoOrigin {
    static func main() async throws {
        guard CommandLine.arguments.count == 2, let port = Int(CommandLine.arguments[1]) else {
            FileHandle.standardError.write(Data("usage: demo-origin PORT\n".utf8))
            exit(2)
        }
        let origin = try await Origin.start(port: port)
        for (path, picture) in try pictures() {
            var route = picture
            route.etag = "\"demo-\(route.body.count)\""
            route.cacheControl = "max-age=600"
            origin[path] = route
        }
        origin["/moved/night"] = .redirect(to: "/photos/night.webp")
        FileHandle.standardOutput.write(Data("listening on \(origin.url)\n".utf8))
        try await Task.sleep(for: .seconds(24 * 3600))
    }

    private static func pictures() throws -> [String: OriginRoute] {
        let dawn = { (width: Int) in
            Landscapes.ridges(
                width: width, height: width * 9 / 16, sky: ("#4a6fa5", "#f7c59f"),
                near: Colour(0x1F2D2B), far: Colour(0xC7A6A0), sun: "#fff1d0")
        }
        let coast = { (width: Int) in
            Landscapes.ridges(
                width: width, height: width * 2 / 3, sky: ("#9fd3e6", "#eef6f2"),
                near: Colour(0x1C5D6B), far: Colour(0xB7DAD3), sun: "#ffffff", seed: 2.6)
        }
        let dusk = Landscapes.ridges(
            width: 1200, height: 900, sky: ("#6b3f5e", "#f2a65a"), near: Colour(0x241426),
            far: Colour(0xB5656B), sun: "#ffe2a8", seed: 3.3)
        let night = Landscapes.ridges(
            width: 1800, height: 900, sky: ("#050a1a", "#2b3a67"), near: Colour(0x05070F),
            far: Colour(0x3B4A77), sun: "#f4ecd0", seed: 4.2)
        return [
            "/photos/ridge.jpg": .init(try Pictures.drawing(dawn(3000), as: "jpg[Q=92]")),
            "/photos/ridge-800.jpg": .init(try Pictures.drawing(dawn(800), as: "jpg[Q=92]")),
            "/photos/coast.png": .init(try Pictures.drawing(coast(1200), as: "png")),
            "/photos/coast-small.png": .init(try Pictures.drawing(coast(600), as: "png")),
            "/photos/night.webp": .init(try Pictures.drawing(night, as: "webp[Q=90]")),
            "/photos/sideways.jpg": .init(try Pictures.sideways(dusk)),
            "/art/paper.png": .init(try Pictures.drawing(Landscapes.paper)),
            "/art/moons.gif": .init(
                try Pictures.drawing(
                    Landscapes.moons(size: 240, frameCount: 24), as: "gif[page-height=240]")),
            "/brand/logo.svg": .init(Array(Landscapes.logo.utf8), contentType: "image/svg+xml"),
        ]
    }
}
