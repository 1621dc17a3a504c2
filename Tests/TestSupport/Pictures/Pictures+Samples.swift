extension ExternalTool {
    package static let portablePNGEncoder = ExternalTool(
        name: "pnmtopng (netpbm)", executables: ["pnmtopng"])
}

extension Pictures {
    /// Red, green, blue and alpha of every pixel with 16 bits each, whatever the form of the file.
    package static func colours(of image: [UInt8]) throws -> [[UInt16]] {
        try colours(of: image, options: "")
    }

    /// The same of all frames of an animated WebP or GIF, one below the other.
    package static func frameColours(of animation: [UInt8]) throws -> [[UInt16]] {
        try colours(of: animation, options: "[n=-1]")
    }

    private static func colours(of image: [UInt8], options: String) throws -> [[UInt16]] {
        let facts = try PictureFacts(of: image)
        let isDeep = facts.sampleFormat == "ushort"
        let bands = facts.bands ?? 1
        let workspace = try PictureWorkspace(holding: image)
        defer { workspace.clear() }
        let bytes = try FileBytes.read(
            workspace.vips(
                "rawsave", [workspace.result + options], saveAs: workspace.newFile("raw")))
        let samples: [UInt16] =
            isDeep
            ? stride(from: 0, to: bytes.count, by: 2).map {
                UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8
            } : bytes.map { UInt16($0) * 257 }
        return stride(from: 0, to: samples.count, by: bands).map { start in
            let pixel = samples[start..<start + bands]
            let alpha = bands % 2 == 0 ? [pixel[start + bands - 1]] : [65_535]
            let colour =
                bands <= 2
                ? [UInt16](repeating: pixel[start], count: 3) : Array(pixel.prefix(3))
            return colour + alpha
        }
    }

    /// The colour profile that is embedded in an image; nil if there is none.
    package static func profile(of image: [UInt8]) throws -> [UInt8]? {
        guard try PictureFacts(of: image).fields["icc-profile-data"] != nil else { return nil }
        let workspace = try PictureWorkspace(holding: image)
        defer { workspace.clear() }
        let path = workspace.newFile("icc")
        try VipsTool.run(
            "/bin/sh",
            [
                "-c", "vipsheader -f icc-profile-data \"$1\" | base64 -d > \"$2\"", "sh",
                workspace.result, path,
            ])
        return try FileBytes.read(path)
    }

    /// A PNG whose pixels `sample` gives, one byte for each channel.
    package static func drawn(
        width: Int, height: Int, channels: Channels = .colour, as encoding: String = "png",
        _ sample: (_ x: Int, _ y: Int) -> [UInt8]
    ) throws -> [UInt8] {
        var pixels: [UInt8] = []
        for y in 0..<height { for x in 0..<width { pixels += sample(x, y) } }
        let workspace = try PictureWorkspace(encoding: encoding)
        defer { workspace.clear() }
        try workspace.save(
            Raster(width: width, height: height, bands: channels.rawValue, pixels: pixels))
        return try workspace.resultBytes()
    }

    /// A scene of 40 × 30 pixels with 16 bits per channel.
    package static func sixteenBitScene(seed: UInt64) throws -> [UInt8] {
        try cached("16 bit scene \(seed)", as: "png") { workspace in
            let scene = try workspace.load(
                Raster.scene(width: 40, height: 30, seed: seed, bands: 3))
            let deep = try workspace.vips("cast", [scene], "ushort", "--shift")
            try workspace.vips(
                "copy", [deep], "--interpretation", "rgb16", saveAs: workspace.result)
        }
    }

    /// The scene in whole steps of 8 bits, with 16 bits per channel.
    package static func sixteenBitSteps() throws -> [UInt8] {
        try cached("16 bit steps", as: "png") { workspace in
            let scene = try workspace.load(Raster.scene(width: 90, height: 60, seed: 1, bands: 3))
            let deep = try workspace.vips(
                "cast", [workspace.vips("linear", [scene], 257, 0)], "ushort")
            try workspace.vips(
                "copy", [deep], "--interpretation", "rgb16", saveAs: workspace.result)
        }
    }
}
