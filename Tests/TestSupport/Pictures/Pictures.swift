import FoundationEssentials
import Locks

/// Test images, which libvips' own command-line tools make on first use.
///
/// The same arguments give the same bytes, which are made once per process. `encoding` is the end
/// of a file name for libvips: an extension with saver options in brackets, such as `png` or
/// `jpg[Q=90]`.
package enum Pictures {
    /// The channels of a drawn picture.
    package enum Channels: Int, Sendable, CaseIterable {
        case grey = 1
        case greyAlpha, colour, colourAlpha
    }

    /// A smooth picture of large spots.
    ///
    /// All its parts differ, so that a rotated, mirrored or wrongly coloured copy has another
    /// fingerprint.
    package static func scene(
        width: Int = 320, height: Int = 240, seed: UInt64 = 1, channels: Channels = .colour,
        as encoding: String = "jpg"
    ) throws -> [UInt8] {
        try cached("scene \(width) \(height) \(seed) \(channels)", as: encoding) { workspace in
            let raster = Raster.scene(
                width: width, height: height, seed: seed, bands: channels.rawValue)
            try workspace.save(raster)
        }
    }

    /// A grey picture with a colourful square of `side` pixels at `left`, halfway down.
    package static func subject(
        width: Int, height: Int, side: Int, left: Int, as encoding: String = "png"
    ) throws -> [UInt8] {
        try cached("subject \(width) \(height) \(side) \(left)", as: encoding) { workspace in
            let grey = try workspace.vips("black", [], width, height, "--bands", 3)
            let canvas = try workspace.vips("linear", [grey], 1, 128, "--uchar")
            let square = try workspace.load(
                Raster.scene(width: side, height: side, seed: 3, bands: 3))
            try workspace.vips(
                "insert", [canvas, square], left, (height - side) / 2, saveAs: workspace.result)
        }
    }

    /// A board of grey squares of eight pixels with faint noise, as in pictures of image editors.
    package static func squares(
        width: Int, height: Int, as encoding: String = "png[strip]"
    ) throws -> [UInt8] {
        try cached("squares \(width) \(height)", as: encoding) { workspace in
            try workspace.save(Raster.squares(width: width, height: height))
        }
    }

    /// Random pixels, which no encoder can compress well.
    package static func noise(
        width: Int = 320, height: Int = 240, seed: UInt64 = 1, as encoding: String = "png"
    ) throws -> [UInt8] {
        try cached("noise \(width) \(height) \(seed)", as: encoding) { workspace in
            try workspace.save(Raster.noise(width: width, height: height, seed: seed))
        }
    }

    /// Random pixels with a random alpha channel.
    package static func transparentNoise(
        width: Int, height: Int, seed: UInt64 = 1, as encoding: String = "png[compression=1]"
    ) throws -> [UInt8] {
        try cached("transparent noise \(width) \(height) \(seed)", as: encoding) { workspace in
            let noise = try workspace.vips(
                "gaussnoise", [], width, height, "--sigma", 60, "--mean", 128, "--seed", seed)
            let band = try workspace.vips("cast", [noise], "uchar")
            let bands = Array(repeating: band, count: 4).joined(separator: " ")
            let joined = try workspace.vips("bandjoin", [bands])
            try workspace.vips(
                "copy", [joined], "--interpretation", "srgb", saveAs: workspace.result)
        }
    }

    /// A picture like a photograph: spots at three scales with a little noise, for sizes of
    /// megapixels.
    package static func photo(
        width: Int, height: Int, seed: UInt64 = 1, as encoding: String = "jpg[Q=90]"
    ) throws -> [UInt8] {
        try cached("photo \(width) \(height) \(seed)", as: encoding) { workspace in
            let (columns, rows) = (400, max(20, 400 * height / width))
            let base = Raster.photoBase(width: columns, height: rows, seed: seed)
            let smooth = try workspace.vips(
                "resize", [workspace.load(base)], Double(width) / Double(columns),
                "--vscale", Double(height) / Double(rows), "--kernel", "cubic")
            let noise = try workspace.vips(
                "gaussnoise", [], width, height, "--sigma", 4, "--mean", 0, "--seed", seed)
            let sum = try workspace.vips("add", [smooth, noise])
            try workspace.vips("cast", [sum], "uchar", saveAs: workspace.result)
        }
    }

    /// Smooth spots at three scales, which are fast to draw at any size and small in every format.
    ///
    /// The same seed and the same aspect ratio give the same picture.
    package static func spots(
        width: Int, height: Int, seed: UInt64 = 1, as encoding: String = "jpg[Q=90]"
    ) throws -> [UInt8] {
        try cached("spots \(width) \(height) \(seed)", as: encoding) { workspace in
            let (columns, rows) = (100, max(10, 100 * height / width))
            let base = Raster.photoBase(width: columns, height: rows, seed: seed)
            try workspace.vips(
                "resize", [workspace.load(base)], Double(width) / Double(columns),
                "--vscale", Double(height) / Double(rows), "--kernel", "cubic",
                saveAs: workspace.result)
        }
    }

    /// Rows of one colour each, of which all differ.
    package static func stripes(
        width: Int, height: Int, as encoding: String = "png"
    ) throws -> [UInt8] {
        try cached("stripes \(width) \(height)", as: encoding) { workspace in
            let base = Raster.noise(width: 1, height: height, seed: 1)
            try workspace.vips("zoom", [workspace.load(base)], width, 1, saveAs: workspace.result)
        }
    }

    /// Squares of 2 × 2 pixels in random colours, so that half of all neighbours are equal; with
    /// `blur`, which is a standard deviation, similar colours are next to each other.
    package static func mosaic(
        width: Int, height: Int, blur: Double? = nil, as encoding: String = "png"
    ) throws -> [UInt8] {
        try cached("mosaic \(width) \(height) \(blur ?? 0)", as: encoding) { workspace in
            let noise = Raster.noise(width: width / 2, height: height / 2, seed: 5)
            var picture = try workspace.load(noise)
            if let blur { picture = try workspace.vips("gaussblur", [picture], blur) }
            try workspace.vips("zoom", [picture], 2, 2, saveAs: workspace.result)
        }
    }

    /// A text in grey, antialiased; the width depends on the text.
    package static func text(
        _ words: String = "A line of words", as encoding: String = "png"
    ) throws -> [UInt8] {
        try cached("text \(words)", as: encoding) { workspace in
            try workspace.vips("text", [], words, "--dpi", 150, saveAs: workspace.result)
        }
    }

    /// The scene with 16 bits per channel (PNG).
    package static func sixteenBit(width: Int = 320, height: Int = 240) throws -> [UInt8] {
        try cached("16 bit \(width) \(height)", as: "png") { workspace in
            let scene = try workspace.load(
                Raster.scene(width: width, height: height, seed: 1, bands: 3))
            let deep = try workspace.vips("cast", [scene], "ushort", "--shift")
            try workspace.vips(
                "copy", [deep], "--interpretation", "rgb16", saveAs: workspace.result)
        }
    }

    /// The scene in CMYK (JPEG), with or without its colour profile.
    package static func cmyk(
        width: Int = 320, height: Int = 240, hasProfile: Bool = true
    ) throws -> [UInt8] {
        let encoding = hasProfile ? "jpg[Q=95]" : "jpg[Q=95,strip]"
        return try cached("cmyk \(width) \(height)", as: encoding) { workspace in
            let scene = try workspace.load(
                Raster.scene(width: width, height: height, seed: 1, bands: 3))
            try workspace.vips(
                "icc_transform", [scene], "cmyk", "--input-profile", "srgb",
                saveAs: workspace.result)
        }
    }

    /// The scene in the colours of Display P3, with that profile embedded.
    package static func displayP3(
        width: Int = 320, height: Int = 240, as encoding: String = "jpg[Q=95]"
    ) throws -> [UInt8] {
        try cached("p3 \(width) \(height)", as: encoding) { workspace in
            let scene = try workspace.load(
                Raster.scene(width: width, height: height, seed: 1, bands: 3))
            try workspace.vips(
                "icc_transform", [scene], "p3", "--input-profile", "srgb", saveAs: workspace.result)
        }
    }

    /// Runs `draw`, and caches the result file of its workspace under `name` and `encoding`.
    static func cached(
        _ name: String, as encoding: String, draw: (PictureWorkspace) throws -> Void
    ) throws -> [UInt8] {
        let key = "\(name).\(encoding)"
        if let known = drawn.withLock({ $0[key] }) { return known }
        // Two tests may draw the same picture concurrently; both get the same bytes.
        let workspace = try PictureWorkspace(encoding: encoding)
        defer { workspace.clear() }
        try draw(workspace)
        let bytes = try workspace.resultBytes()
        drawn.withLock { $0[key] = bytes }
        return bytes
    }

    private static let drawn = Locked<[String: [UInt8]]>([:])
}
