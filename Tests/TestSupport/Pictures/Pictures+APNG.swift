extension ExternalTool {
    package static let apngEncoder = ExternalTool(
        name: "apngasm (apngasm)", executables: ["apngasm"])
}

/// A frame of an animated PNG that a test builds chunk by chunk.
package struct APNGFrame: Sendable {
    /// A PNG in RGB with alpha, 8 bits each.
    package var png: [UInt8]
    package var left: UInt32
    package var top: UInt32
    /// The delay in seconds, as numerator and denominator.
    package var delay: (UInt16, UInt16)
    /// 0 for none, 1 for background and 2 for previous.
    package var disposal: UInt8
    /// 0 to replace the canvas, 1 to draw over it.
    package var blending: UInt8

    package init(
        _ png: [UInt8], left: UInt32 = 0, top: UInt32 = 0, delay: (UInt16, UInt16) = (1, 10),
        disposal: UInt8 = 0, blending: UInt8 = 0
    ) {
        self.png = png
        self.left = left
        self.top = top
        self.delay = delay
        self.disposal = disposal
        self.blending = blending
    }
}

extension Pictures {
    /// An animated PNG by apngasm, of scenes that are shown for `delays` milliseconds each.
    package static func animatedPNG(
        width: Int = 80, height: Int = 60, delays: [Int] = [50, 100, 200], loop: Int = 0
    ) throws -> [UInt8] {
        let workspace = try PictureWorkspace(encoding: "png")
        defer { workspace.clear() }
        let program = try ExternalTool.apngEncoder.required()
        let base = workspace.newFile("d").dropLast(2)
        for (index, delay) in delays.enumerated() {
            let png = try scene(
                width: width, height: height, seed: UInt64(index + 1), as: "png")
            try FileBytes.write(png, to: "\(base)frame\(index + 1).png")
            try FileBytes.write(
                Array("delay=\(delay)/1000".utf8), to: "\(base)frame\(index + 1).txt")
        }
        try VipsTool.run(program, [workspace.result, "\(base)frame1.png", "1", "10", "-l\(loop)"])
        return try workspace.resultBytes()
    }

    /// An animated PNG of `frames`, the first of which is the whole canvas.
    ///
    /// `change` may replace the content of each chunk of the animation, given its name and the
    /// number of its frame.
    package static func animatedPNG(
        _ frames: [APNGFrame], plays: UInt32 = 0, isFirstHidden: Bool = false,
        change: (_ name: String, _ frame: Int, _ data: [UInt8]) -> [UInt8] = { $2 }
    ) -> [UInt8] {
        var number: UInt32 = 0
        func next() -> [UInt8] {
            defer { number += 1 }
            return bigEndian(number)
        }
        let shown = isFirstHidden ? frames.count - 1 : frames.count
        var bytes = PNGChunks.signature + chunk("IHDR", of: frames[0].png)
        let control = bigEndian(UInt32(shown)) + bigEndian(plays)
        bytes += PNGChunks.chunk("acTL", change("acTL", 0, control))
        for (index, frame) in frames.enumerated() {
            let isHidden = isFirstHidden && index == 0
            if !isHidden {
                let (delay, unit) = frame.delay
                let times = [UInt8(delay >> 8), UInt8(delay & 255), UInt8(unit >> 8)]
                let data =
                    next() + frame.png[16..<24] + bigEndian(frame.left) + bigEndian(frame.top)
                    + times + [UInt8(unit & 255), frame.disposal, frame.blending]
                bytes += PNGChunks.chunk("fcTL", change("fcTL", index, data))
            }
            let pixels = Array(chunk("IDAT", of: frame.png).dropFirst(8).dropLast(4))
            if index == 0 {
                bytes += PNGChunks.chunk("IDAT", pixels)
            } else {
                bytes += PNGChunks.chunk("fdAT", change("fdAT", index, next() + pixels))
            }
        }
        return bytes + PNGChunks.chunk("IEND", [])
    }

    /// The first chunk of that name.
    private static func chunk(_ name: String, of png: [UInt8]) -> [UInt8] {
        var offset = 8
        while offset + 12 <= png.count {
            let size = 12 + png[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
            if png[offset + 4..<offset + 8].elementsEqual(name.utf8) {
                return Array(png[offset..<offset + size])
            }
            offset += size
        }
        return []
    }
}
