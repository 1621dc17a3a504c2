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
        let desk = try Desk(holding: bytes)
        defer { desk.clear() }
        let text = try VipsTool.run("vipsheader", ["-a", desk.result])
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
