import Locks

/// The first frame of a picture, upright and reduced to a few pixels of red, green and blue.
package struct Miniature {
    package let samples: [UInt8]

    package init(of bytes: [UInt8], width: Int, height: Int) throws {
        let key = Key(bytes: bytes, width: width, height: height)
        if let known = Self.made.withLock({ $0[key] }) {
            samples = known
            return
        }
        let workspace = try PictureWorkspace(holding: bytes)
        defer { workspace.clear() }
        let small = workspace.newFile("ppm")
        // A PPM has no alpha channel, so its saver flattens the picture onto black.
        try VipsTool.run(
            "vipsthumbnail",
            ["--size", "\(width)x\(height)!", "--export-profile", "srgb"]
                + ["-o", "\(small)[strip]", workspace.result])
        let pixels = Array(try FileBytes.read(small).suffix(width * height * 3))
        Self.made.withLock { $0[key] = pixels }
        samples = pixels
    }

    private struct Key: Hashable {
        var bytes: [UInt8]
        var width: Int
        var height: Int
    }

    private static let made = Locked<[Key: [UInt8]]>([:])
}
