/// The size at which browsers show an image whose EXIF gives a resolution, in CSS pixels.
///
/// HTML calls it the density-corrected natural width and height. It applies only if the size in
/// pixels, divided by the resolution, equals the size that EXIF gives.
struct DensityCorrection {
    let width: Int
    let height: Int

    /// - Returns: nil if the picture is shown at its size in pixels.
    init?(_ picture: borrowing Picture) {
        guard picture.string("exif-ifd0-ResolutionUnit").flatMap(Self.number) == 2,
            let width = Self.size(
                picture.width, picture.string("exif-ifd0-XResolution"),
                picture.string("exif-ifd2-PixelXDimension")),
            let height = Self.size(
                picture.frameHeight, picture.string("exif-ifd0-YResolution"),
                picture.string("exif-ifd2-PixelYDimension")),
            width != picture.width || height != picture.frameHeight
        else { return nil }
        self.width = width
        self.height = height
    }

    private static func size(_ pixels: Int, _ resolution: String?, _ stated: String?) -> Int? {
        guard let resolution = resolution.flatMap(number), resolution > 0,
            let stated = stated.flatMap(number), stated >= 1,
            (Double(pixels) * 72 / resolution).rounded(.up) == stated
        else { return nil }
        return Int(stated)
    }

    /// The number at the beginning of a libvips field: `144/1 (144, Rational, 1 components, 8
    /// bytes)`.
    private static func number(_ field: String) -> Double? {
        let parts = field.prefix { $0 != " " }.split(separator: "/")
        guard let first = parts.first.flatMap({ Double($0) }) else { return nil }
        guard parts.count == 2 else { return first }
        return Double(parts[1]).flatMap { $0 == 0 ? nil : first / $0 }
    }
}
