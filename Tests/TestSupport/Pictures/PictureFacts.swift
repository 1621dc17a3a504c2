/// What libvips' own tools say of an image's bytes: the second opinion that tests compare with.
package struct PictureFacts: Sendable {
    /// Width in pixels as stored, before any EXIF orientation.
    package let width: Int
    /// Height in pixels as stored; of an animation the height of one frame.
    package let height: Int
    /// The fields of the header by name, as `vipsheader -a` prints them.
    package let fields: [String: String]

    /// The number of frames, 1 for a still picture.
    package var frameCount: Int { fields["n-pages"].flatMap { Int($0) } ?? 1 }
    /// Milliseconds each frame is shown.
    package var delays: [Int] {
        (fields["delay"] ?? "").split(separator: " ").compactMap { Int($0) }
    }
    /// How often an animation is played; 0 is for ever.
    package var loop: Int? { fields["loop"].flatMap { Int($0) } }
    /// As in `srgb`, `b-w`, `cmyk`, `rgb16`.
    package var interpretation: String? { fields["interpretation"] }
    /// As in `uchar`, `ushort`.
    package var sampleFormat: String? { fields["format"] }
    package var bands: Int? { fields["bands"].flatMap { Int($0) } }
    /// As in `jpegload`, `webpload`.
    package var loader: String? { fields["vips-loader"] }

    package init(of bytes: [UInt8]) throws {
        let desk = try Desk(encoding: "bin")
        defer { desk.clear() }
        try FileBytes.write(bytes, to: desk.result)
        let text = try CommandLineTool.run("vipsheader", ["-a", desk.result])
        var fields: [String: String] = [:]
        for line in text.split(separator: "\n").dropFirst() {
            guard let colon = line.firstRange(of: ": ") else { continue }
            fields[String(line[..<colon.lowerBound])] = String(line[colon.upperBound...])
        }
        self.fields = fields
        width = fields["width"].flatMap { Int($0) } ?? 0
        height = fields["height"].flatMap { Int($0) } ?? 0
    }
}

/// What a picture looks like in 64 bits: where, in 9 × 8 grey pixels, it grows lighter to the right.
///
/// Another size, format or quality changes a few bits at most; another picture about half.
package struct Fingerprint: Hashable, Sendable, CustomStringConvertible {
    package let bits: UInt64

    /// Looks at the first frame, turned upright and with its colour profile applied.
    package init(of bytes: [UInt8]) throws {
        let desk = try Desk(encoding: "bin")
        defer { desk.clear() }
        try FileBytes.write(bytes, to: desk.result)
        let small = desk.newFile("png")
        try CommandLineTool.run(
            "vipsthumbnail",
            ["--size", "9x8!", "--export-profile", "srgb", "-o", small, desk.result])
        let opaque = try desk.vips("flatten", [small])
        let grey = try desk.vips("colourspace", [opaque], "b-w", saveAs: desk.newFile("pgm"))
        bits = Self.differences(Array(try FileBytes.read(grey).suffix(9 * 8)))
    }

    /// How many of the 64 bits differ.
    package func distance(to other: Fingerprint) -> Int { (bits ^ other.bits).nonzeroBitCount }

    /// Whether both may well be the same picture.
    package func resembles(_ other: Fingerprint) -> Bool { distance(to: other) <= 6 }

    package var description: String { String(bits, radix: 16) }

    private static func differences(_ grey: [UInt8]) -> UInt64 {
        var hash: UInt64 = 0
        for row in 0..<8 {
            for column in 0..<8 {
                let start = row * 9 + column
                hash = hash << 1 | (grey[start] < grey[start + 1] ? 1 : 0)
            }
        }
        return hash
    }
}
