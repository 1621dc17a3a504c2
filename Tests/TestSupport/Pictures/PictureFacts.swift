/// Properties of an image according to libvips' own tools, for comparison in tests.
package struct PictureFacts: Sendable {
    /// The stored width in pixels, before any EXIF orientation.
    package let width: Int
    /// The stored height in pixels; for an animation, that of one frame.
    package let height: Int
    /// The header fields by name, as `vipsheader -a` prints them.
    package let fields: [String: String]

    /// The number of frames, 1 for a still picture.
    package var frameCount: Int { fields["n-pages"].flatMap { Int($0) } ?? 1 }
    /// The display time of each frame in milliseconds.
    package var delays: [Int] {
        (fields["delay"] ?? "").split(separator: " ").compactMap { Int($0) }
    }
    /// The number of times an animation is played; 0 means forever.
    package var loop: Int? { fields["loop"].flatMap { Int($0) } }
    /// The interpretation, such as `srgb`, `b-w`, `cmyk` or `rgb16`.
    package var interpretation: String? { fields["interpretation"] }
    /// The sample format, such as `uchar` or `ushort`.
    package var sampleFormat: String? { fields["format"] }
    package var bands: Int? { fields["bands"].flatMap { Int($0) } }
    /// The loader, such as `jpegload` or `webpload`.
    package var loader: String? { fields["vips-loader"] }

    package init(of bytes: [UInt8]) throws {
        let workspace = try PictureWorkspace(holding: bytes)
        defer { workspace.clear() }
        let text = try VipsTool.run("vipsheader", ["-a", workspace.result])
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
