package import FetchCache
package import ImageFormats
package import Recipes
package import Reports
package import Sites
import URLs

/// The result of baking one source: an image file of the site, or a style sheet or a font.
package struct BakedImage: Codable, Hashable, Sendable {
    /// The source's URL, from ``ImageLocation/key``.
    package var url: String
    /// The options that the image was made with.
    package var options: VariantOptions
    package var sourceDigest: BlobDigest
    package var sourceByteCount: Int
    /// The file's name in the image folder.
    package var fileName: String
    package var byteCount: Int
    package var format: ImageFormat
    /// In pixels; 0 for an SVG without a size.
    package var width: Int
    package var height: Int
    /// The encoder's number of a lossy encoding; nil without loss, and for the source's bytes.
    package var quality: Int?
    /// Facts about the source.
    package var original: Original
    /// The largest number of pixels that had to be decoded or drawn, for ``Limits/pixels``.
    package var pixels = 0
    /// A fact to tell the user.
    package var note: ImageNote? = nil
    /// Whether the source has `no-store`, so that the image is not remembered.
    package var isNoStore = false
    /// The widths that were asked for; see ``ImageRequest/widths``.
    package var widths: [Int] = []
    /// The formats that were asked for; see ``ImageRequest/formats``.
    package var formats: [ImageFormat] = []
    /// Smaller files of the image, in ascending order of their widths.
    package var smaller: [VariantFile] = []
    /// Files in these formats, format by format, each in ascending order of the widths.
    ///
    /// If there are some, the image itself is in a format that every browser shows.
    package var alternatives: [VariantFile] = []
    /// What is shown while the image loads; nil if it was not asked for, or would stay visible.
    package var loading: LoadingPicture?
    /// Facts about a style sheet; nil for another file.
    package var sheet: Sheet?

    package struct Sheet: Codable, Hashable, Sendable {
        /// The other files that it names, and those that they name.
        package var parts: [BakedImage]
        /// The hosts of the files that it names and that stay there.
        package var remoteHosts: [String]
        /// Its SHA-384 as `integrity` has it.
        package var integrity: String
    }

    /// Facts about an image before it was baked.
    package struct Original: Codable, Hashable, Sendable {
        package var format: ImageFormat
        /// In pixels, as shown.
        package var width: Int
        package var height: Int
    }

    /// The size in CSS pixels at which the image is shown without other information.
    ///
    /// An image with a density in its name, such as `logo@2x.png`, is shown that much smaller. If
    /// it was scaled down, it has fewer pixels for each CSS pixel, but at least one.
    package var shownSize: (width: Int, height: Int) {
        guard format.kind == .pixels, let density = densityInName(of: url), original.width > 0
        else { return (width, height) }
        let shown = min(Double(original.width) / density, Double(width))
        let ratio = Double(original.height) / Double(original.width)
        return (max(1, Int(shown.rounded())), max(1, Int((shown * ratio).rounded())))
    }

    /// The image's own file.
    var file: VariantFile {
        VariantFile(
            fileName: fileName, byteCount: byteCount, format: format, width: width, height: height,
            quality: quality)
    }

    /// The other files that a style sheet names, and those that they name.
    package var parts: [BakedImage] { sheet?.parts ?? [] }

    package var kind: FileKind {
        switch format.kind {
        case .pixels, .drawing, .unchanged: .image
        case .style: .style
        case .font: .font
        case .media: .media
        case .script: .script
        }
    }

    /// All files besides the image itself.
    private var variants: [VariantFile] { smaller + alternatives }

    /// All files in the image folder; the image's own is the first.
    package var files: [VariantFile] { [file] + variants }

    /// The request for the image.
    package var request: ImageRequest {
        ImageRequest(
            source: ImageLocation(key: url), options: options, kind: kind, widths: widths,
            formats: formats)
    }
}

/// The picture and the colour that stand for an image while it loads.
package struct LoadingPicture: Codable, Hashable, Sendable {
    /// As `0xRRGGBB`.
    package var colour: Int
    /// A WebP file in Base64.
    package var base64: String

    /// - Returns: nil if no worker gives these values.
    package init?(colour: Int, base64: String) {
        (self.colour, self.base64) = (colour, base64)
        if !isPossible { return nil }
    }

    /// Whether a worker can have given these values.
    var isPossible: Bool {
        let longest = (LoadingPlaceholder.mostBytes + 2) / 3 * 4
        return (0...0xFF_FFFF).contains(colour) && (1...longest).contains(base64.utf8.count)
            && base64.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                    || (0x61...0x7A).contains(byte) || "+/=".utf8.contains(byte)
            }
    }
}

/// A further file of a baked image, made of the same source in another width or format.
package struct VariantFile: Codable, Hashable, Sendable {
    /// The file's name in the image folder.
    package var fileName: String
    package var byteCount: Int
    package var format: ImageFormat
    /// In pixels.
    package var width: Int
    package var height: Int
    /// See ``BakedImage/quality``.
    package var quality: Int?
}

extension BakedImage {
    /// Whether a bake can give this result; what the cache has may be anything.
    package var isPossible: Bool {
        let sides = 0...ImageHeader.longestSide
        return [width, height, original.width, original.height].allSatisfy(sides.contains)
            && [sourceByteCount, byteCount].allSatisfy(possibleByteCounts.contains)
            && isPossibleQuality(quality)
            && isBakedName(fileName, format) && variants.allSatisfy(\.isPossible)
            && parts.allSatisfy(\.isPossible)
            && (sheet?.integrity).map { $0.hasPrefix("sha384-") && $0.utf8.count == 71 } ?? true
            && loading?.isPossible ?? true
            && note.map { ForeignText.isTidy($0.reason, longest: 2 * ForeignText.longest) } ?? true
    }
}

extension VariantFile {
    fileprivate var isPossible: Bool {
        let sides = 1...ImageHeader.longestSide
        return [width, height].allSatisfy(sides.contains) && possibleByteCounts.contains(byteCount)
            && isPossibleQuality(quality) && format.kind == .pixels
            && isBakedName(fileName, format)
    }
}

package func isPossibleQuality(_ quality: Int?) -> Bool {
    quality.map(Quality.numbers.contains) ?? true
}

/// The result of a request.
package enum ImageOutcome: Sendable {
    /// - warning: A problem in spite of which the image was baked, such as a server that failed.
    case baked(BakedImage, warning: Problem?)
    case failed(Problem)
    /// The bake was interrupted before the image was ready.
    case stopped
}

/// The density that the name of an image gives: 2 for `logo@2x.png`.
///
/// - Parameter url: A URL, or the key of a local image.
/// - Returns: A number from 1 to 9, possibly with a fraction; nil if the name gives none.
func densityInName(of url: String) -> Double? {
    let path = url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    let last = percentDecoded(path.split(separator: UInt8(ascii: "/")).last ?? [])
    let stem = last.lastIndex(of: UInt8(ascii: ".")).map { last[..<$0] } ?? last[...]
    guard stem.last == UInt8(ascii: "x") || stem.last == UInt8(ascii: "X"),
        let sign = stem.lastIndex(of: UInt8(ascii: "@")), sign > stem.startIndex
    else { return nil }
    let number = stem[stem.index(after: sign)...].dropLast()
    let isDecimal = number.allSatisfy("0123456789.".utf8.contains)
    guard isDecimal, let density = Double(String(decoding: number, as: UTF8.self)),
        (1..<10).contains(density)
    else { return nil }
    return density
}
