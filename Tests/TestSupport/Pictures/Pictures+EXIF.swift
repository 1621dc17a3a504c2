extension Pictures {
    /// A text in the EXIF of ``located(width:height:)`` that must not occur in a variant.
    package static let secret = "TAKEN-AT-HOME"

    /// A JPEG that is stored rotated or mirrored, with the matching EXIF orientation from 1 to 8.
    ///
    /// All of them are displayed as the scene of the same size and seed.
    package static func oriented(
        _ orientation: Int, width: Int = 320, height: Int = 240, seed: UInt64 = 1
    ) throws -> [UInt8] {
        let name = "oriented \(orientation) \(width) \(height) \(seed)"
        let stored = try cached(name, as: "jpg[Q=95,strip]") { workspace in
            let upright = Raster.scene(width: width, height: height, seed: seed, bands: 3)
            try workspace.save(upright.stored(as: orientation))
        }
        return addingEXIF(EXIF.orientation(orientation), to: stored)
    }

    /// The scene as a JPEG whose EXIF has an orientation of 32 bits, which browsers ignore.
    package static func longOrientation() throws -> [UInt8] {
        let plain = try scene(as: "jpg[Q=95,strip]")
        return addingEXIF(EXIF.longOrientation(6), to: plain)
    }

    /// The scene as a JPEG whose EXIF contains its location and ``secret``.
    package static func located(width: Int = 320, height: Int = 240) throws -> [UInt8] {
        let plain = try scene(width: width, height: height, as: "jpg[Q=95,strip]")
        return addingEXIF(EXIF.location(datum: secret), to: plain)
    }

    /// A copy of `jpeg` with `exif` in an APP1 segment at the start.
    static func addingEXIF(_ exif: [UInt8], to jpeg: [UInt8]) -> [UInt8] {
        let payload = Array("Exif\0\0".utf8) + exif
        let length = payload.count + 2
        let segment = [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 0xFF)] + payload
        return jpeg[..<2] + segment + jpeg[2...]
    }
}

/// EXIF blocks, written byte by byte as big-endian TIFF.
enum EXIF {
    private static let header: [UInt8] = [0x4D, 0x4D, 0, 42, 0, 0, 0, 8]

    static func longOrientation(_ value: Int) -> [UInt8] {
        header + directory([entry(tag: 0x0112, type: 4, count: 1, value: [0, 0, 0, UInt8(value)])])
    }

    static func orientation(_ value: Int) -> [UInt8] {
        header + directory([entry(tag: 0x0112, type: 3, count: 1, value: [0, UInt8(value), 0, 0])])
    }

    /// The pixels per inch, and the display size in pixels.
    static func resolution(_ perInch: UInt32, shown size: (width: Int, height: Int)) -> [UInt8] {
        let rationalStart = header.count + 2 + 4 * 12 + 4
        let rational = UInt32(rationalStart)
        let inch: [UInt8] = [0, 2, 0, 0]
        let details = directory([
            entry(tag: 0xA002, type: 4, count: 1, value: bigEndian(UInt32(size.width))),
            entry(tag: 0xA003, type: 4, count: 1, value: bigEndian(UInt32(size.height))),
        ])
        return header
            + directory([
                entry(tag: 0x011A, type: 5, count: 1, value: bigEndian(rational)),
                entry(tag: 0x011B, type: 5, count: 1, value: bigEndian(rational)),
                entry(tag: 0x0128, type: 3, count: 1, value: inch),
                entry(tag: 0x8769, type: 4, count: 1, value: bigEndian(rational + 8)),
            ])
            + bigEndian(perInch) + bigEndian(1) + details
    }

    /// A GPS directory with 51° 30′ 26.43″ north and the name of a map datum.
    static func location(datum: String) -> [UInt8] {
        let gpsStart = header.count + 2 + 12 + 4
        let latitudeStart = gpsStart + 2 + 3 * 12 + 4
        let rationals: [UInt32] = [51, 1, 30, 1, 2643, 100]
        let text = Array(datum.utf8) + [0]
        let gps = directory([
            entry(tag: 1, type: 2, count: 2, value: [0x4E, 0, 0, 0]),
            entry(tag: 2, type: 5, count: 3, value: bigEndian(UInt32(latitudeStart))),
            entry(
                tag: 18, type: 2, count: UInt32(text.count),
                value: bigEndian(UInt32(latitudeStart + 24))),
        ])
        return header
            + directory([entry(tag: 0x8825, type: 4, count: 1, value: bigEndian(UInt32(gpsStart)))])
            + gps + rationals.flatMap(bigEndian) + text
    }

    private static func directory(_ entries: [[UInt8]]) -> [UInt8] {
        [0, UInt8(entries.count)] + entries.flatMap(\.self) + [0, 0, 0, 0]
    }

    private static func entry(tag: UInt16, type: UInt8, count: UInt32, value: [UInt8]) -> [UInt8] {
        [UInt8(tag >> 8), UInt8(tag & 0xFF), 0, type] + bigEndian(count) + value
    }
}

/// The four bytes of `value` in big-endian order.
func bigEndian(_ value: UInt32) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian) { Array($0) }
}

extension Pictures {
    /// The scene as a WebP (RFC 9649) of 320 × 240 with an EXIF orientation.
    package static func orientedWebP(_ orientation: Int) throws -> [UInt8] {
        let plain = try scene(as: "webp[Q=80]")
        // libvips 8.14 writes EXIF in any case, so only the pixels are taken.
        guard let name = plain.firstRange(of: Array("VP8 ".utf8)) else { return plain }
        let length = plain[name.upperBound..<name.upperBound + 4].reversed()
            .reduce(0) { $0 << 8 | Int($1) }
        let pixels = plain[name.lowerBound..<name.upperBound + 4 + length + length % 2]
        func little(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        let exif = EXIF.orientation(orientation)
        let head =
            Array("VP8X".utf8) + little(10, 4) + [8, 0, 0, 0] + little(319, 3) + little(239, 3)
        let tail =
            Array("EXIF".utf8) + little(exif.count, 4) + exif
            + [UInt8](repeating: 0, count: exif.count % 2)
        let body = Array("WEBP".utf8) + head + pixels + tail
        return Array("RIFF".utf8) + little(body.count, 4) + body
    }
}
