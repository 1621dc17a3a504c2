internal import CVips
import Recipes

extension ImageTransform {
    /// Writes the picture that stands for the image while it loads.
    func writePlaceholder(to output: OutputFile) throws(JobResult.JobError) -> JobResult.Variant {
        guard let picture = try decodedUnlessFrameIsDamaged() else {
            throw JobResult.JobError(.corrupt, "the image is damaged")
        }
        let number = recipe.encoding.number ?? 1
        for quality in [number, number / 2, number / 8, 1] {
            let encoding = Recipe.Encoding(
                format: recipe.encoding.format, quality: .number(max(1, quality)))
            let image = try EncodedImage(of: picture, as: encoding)
            if image.count > LoadingPlaceholder.mostBytes { continue }
            var variant = try write(image, of: picture, to: output)
            variant.colour = DominantColour.of(
                try picture.bytes(), bands: Int(vips_image_get_bands(picture.image)))
            return variant
        }
        throw JobResult.JobError(.output, "the placeholder has too many bytes")
    }
}

/// The colour that most pixels of a picture have, more or less.
enum DominantColour {
    /// - Parameters:
    ///   - samples: The samples of all pixels, of 8 bits each.
    ///   - bands: The number of samples of a pixel: grey or sRGB, with alpha or without.
    /// - Returns: The colour as `0xRRGGBB`.
    static func of(_ samples: [UInt8], bands: Int) -> Int {
        // Each has the colours that agree in the first three bits.
        var groups = [(count: Int, red: Int, green: Int, blue: Int)](
            repeating: (0, 0, 0, 0), count: 512)
        for start in stride(from: 0, through: samples.count - bands, by: bands) {
            let red = Int(samples[start])
            let green = bands < 3 ? red : Int(samples[start + 1])
            let blue = bands < 3 ? red : Int(samples[start + 2])
            let index = (red >> 5) << 6 | (green >> 5) << 3 | blue >> 5
            groups[index].count += 1
            groups[index].red += red
            groups[index].green += green
            groups[index].blue += blue
        }
        var best = groups[0]
        for group in groups where group.count > best.count { best = group }
        if best.count == 0 { return 0 }
        func mean(_ sum: Int) -> Int { (sum + best.count / 2) / best.count }
        return mean(best.red) << 16 | mean(best.green) << 8 | mean(best.blue)
    }
}
