extension Pictures {
    /// A PNG of one row whose samples and chunks are given, for colours that no encoder writes.
    ///
    /// `kind` is the colour type: 0 for grey, 2 for RGB, 3 for a palette. `depth` is the number of
    /// bits in a sample, and `chunks` come between the header and the pixels.
    package static func row(
        kind: UInt8 = 0, depth: UInt8 = 8, width: Int, _ row: [UInt8],
        chunks: [(name: String, data: [UInt8])] = []
    ) -> [UInt8] {
        let header = bigEndian(UInt32(width)) + bigEndian(1) + [depth, kind, 0, 0, 0]
        return PNGChunks.signature + PNGChunks.chunk("IHDR", header)
            + chunks.flatMap { PNGChunks.chunk($0.name, $0.data) }
            + PNGChunks.chunk("IDAT", PNGChunks.stored([0] + row)) + PNGChunks.chunk("IEND", [])
    }

    /// The data of a chunk iCCP.
    package static func profileChunk(_ profile: [UInt8]) -> [UInt8] {
        Array("x\0\0".utf8) + PNGChunks.stored(profile)
    }

    /// A chunk of a PNG.
    package static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        PNGChunks.chunk(name, data)
    }

    /// The scene in four inks, perhaps with a profile of them.
    package static func ink(as encoding: String, profile: [UInt8]? = nil) throws -> [UInt8] {
        let workspace = try PictureWorkspace(encoding: encoding)
        defer { workspace.clear() }
        let scene = try workspace.load(Raster.scene(width: 120, height: 90, seed: 1, bands: 3))
        let black = try workspace.load(Raster.scene(width: 120, height: 90, seed: 2, bands: 1))
        let inks = try workspace.vips("bandjoin", ["\(scene) \(black)"])
        var result = workspace.result
        if let profile {
            let path = workspace.newFile("icc")
            try FileBytes.write(profile, to: path)
            // The option to strip metadata leaves out profiles, too.
            result = result.replacing("strip", with: "profile=\(path)")
        }
        try workspace.vips("copy", [inks], "--interpretation", "cmyk", saveAs: result)
        return try workspace.resultBytes()
    }

    /// A PNG of the image in sRGB by its own profile.
    package static func inStandardColours(_ image: [UInt8]) throws -> [UInt8] {
        let workspace = try PictureWorkspace(holding: image)
        defer { workspace.clear() }
        let path = try workspace.vips(
            "icc_transform", [workspace.result], "srgb", "--embedded", "--intent", "perceptual",
            saveAs: workspace.newFile("png"))
        return try FileBytes.read(path)
    }

    /// A copy of `jpeg` with a colour profile.
    package static func addingProfile(_ profile: [UInt8], to jpeg: [UInt8]) -> [UInt8] {
        let payload = Array("ICC_PROFILE\0".utf8) + [1, 1] + profile
        let length = payload.count + 2
        return jpeg[..<2] + [0xFF, 0xE2, UInt8(length >> 8), UInt8(length & 0xFF)] + payload
            + jpeg[2...]
    }

    /// A copy of an animated WebP with a colour profile.
    package static func addingProfile(_ profile: [UInt8], toWebP webp: [UInt8]) -> [UInt8] {
        func little(_ value: Int) -> [UInt8] {
            (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        // The chunk VP8X ends at 30, and its flags are at 20.
        let chunk =
            Array("ICCP".utf8) + little(profile.count) + profile
            + [UInt8](repeating: 0, count: profile.count % 2)
        var bytes = webp[..<30] + chunk + webp[30...]
        bytes[20] |= 0x20
        bytes.replaceSubrange(4..<8, with: little(bytes.count - 8))
        return Array(bytes)
    }

    /// A colour profile (ICC.1:1998-09) with the primaries of sRGB and samples in proportion to
    /// the light.
    ///
    /// The colour space is `RGB ` or `GRAY`; profiles for other spaces get no tags.
    package static func linearProfile(_ space: String) -> [UInt8] {
        let colours = [
            (0x6F9E, 0x38F5, 0x0390), (0x6295, 0xB785, 0x18DA), (0x24A0, 0x0F84, 0xB6CF),
        ]
        let curve = Array("curv\0\0\0\0".utf8) + bigEndian(1) + [1, 0, 0, 0]
        var tags: [(String, [UInt8])] = [("wtpt", xyz((0xF6D6, 0x10000, 0xD32D)))]
        if space == "RGB " {
            tags += zip(["rXYZ", "gXYZ", "bXYZ"], colours).map { ($0, xyz($1)) }
            tags += ["rTRC", "gTRC", "bTRC"].map { ($0, curve) }
        } else if space == "GRAY" {
            tags.append(("kTRC", curve))
        }
        var table = bigEndian(UInt32(tags.count))
        var body: [UInt8] = []
        for (name, content) in tags {
            let offset = 132 + 12 * tags.count + body.count
            table += Array(name.utf8) + bigEndian(UInt32(offset)) + bigEndian(UInt32(content.count))
            body += content
        }
        let size = UInt32(128 + table.count + body.count)
        var head = bigEndian(size) + bigEndian(0) + bigEndian(0x0210_0000)
        head += Array("mntr\(space)XYZ ".utf8) + [UInt8](repeating: 0, count: 12)
        head += Array("acsp".utf8) + [UInt8](repeating: 0, count: 28)
        head += xyz((0xF6D6, 0x10000, 0xD32D)).dropFirst(8)
        return head + [UInt8](repeating: 0, count: 128 - head.count) + table + body
    }

    /// A colour profile (ICC.1:1998-09) of inks that mix in proportion, as a table.
    ///
    /// `inks` has L, a and b of white paper, and what each of cyan, magenta and yellow adds.
    package static func inkProfile(
        _ inks: [[Double]] = [[100, 0, 0], [-40, -35, -45], [-45, 70, -5], [-8, -5, 90]]
    ) -> [UInt8] {
        var table: [UInt8] = []
        // Programs interpolate in different ways, which agree in a fine table.
        let grid = 9
        for node in 0..<grid * grid * grid * grid {
            let steps = [
                node / (grid * grid * grid), node / (grid * grid) % grid, node / grid % grid,
            ]
            let amounts = [1] + steps.map { Double($0) / Double(grid - 1) }
            let light = 1 - 0.9 * Double(node % grid) / Double(grid - 1)
            for (place, shift) in [0, 128.0, 128].enumerated() {
                let value = zip(inks, amounts).reduce(0) { $0 + $1.0[place] * $1.1 } * light
                table.append(UInt8(max(0, min(255, place == 0 ? value * 2.55 : value + shift))))
            }
        }
        let identity = [0, 4, 8].flatMap { place in
            (0..<3).flatMap { bigEndian($0 == place / 4 ? 0x10000 : 0) }
        }
        let ramp = (0...255).map { UInt8($0) }
        let lut =
            Array("mft1\0\0\0\0".utf8) + [4, 3, UInt8(grid), 0] + identity
            + (0..<4).flatMap { _ in ramp } + table + (0..<3).flatMap { _ in ramp }
        return profile("CMYK", "Lab ", kind: "prtr", [("A2B0", lut)])
    }

    private static func profile(
        _ space: String, _ connection: String, kind: String, _ own: [(String, [UInt8])]
    ) -> [UInt8] {
        let tags = own + [("wtpt", xyz((0xF6D6, 0x10000, 0xD32D)))]
        var table = bigEndian(UInt32(tags.count))
        var body: [UInt8] = []
        for (name, content) in tags {
            let offset = 132 + 12 * tags.count + body.count
            table += Array(name.utf8) + bigEndian(UInt32(offset)) + bigEndian(UInt32(content.count))
            body += content + [UInt8](repeating: 0, count: -content.count & 3)
        }
        var head = bigEndian(UInt32(128 + table.count + body.count)) + bigEndian(0)
        head += bigEndian(0x0210_0000) + Array("\(kind)\(space)\(connection)".utf8)
        head += [UInt8](repeating: 0, count: 12) + Array("acsp".utf8)
        head += [UInt8](repeating: 0, count: 28) + xyz((0xF6D6, 0x10000, 0xD32D)).dropFirst(8)
        return head + [UInt8](repeating: 0, count: 128 - head.count) + table + body
    }

    private static func xyz(_ value: (Int, Int, Int)) -> [UInt8] {
        Array("XYZ \0\0\0\0".utf8) + bigEndian(UInt32(value.0)) + bigEndian(UInt32(value.1))
            + bigEndian(UInt32(value.2))
    }
}

extension PNGChunks {
    /// A zlib stream (RFC 1950) of one block without compression.
    fileprivate static func stored(_ bytes: [UInt8]) -> [UInt8] {
        let count = UInt16(bytes.count)
        let lengths = [count, ~count].flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        var (a, b): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            a = (a + UInt32(byte)) % 65_521
            b = (b + a) % 65_521
        }
        return [0x78, 0x01, 1] + lengths + bytes + bigEndian(b << 16 | a)
    }
}
