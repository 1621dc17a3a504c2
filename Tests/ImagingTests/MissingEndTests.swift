import ImageFormats
import Imaging
import Recipes
import TestSupport
import Testing

/// An image whose rows are all there is whole, even if its end is missing.
@Suite(.timeLimit(.minutes(10)))
struct MissingEndTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var encoding: String
        var missing: Int
        var added: [UInt8] = []
        var testDescription: String { "\(encoding) -\(missing) +\(added.count)" }
    }

    static let cases =
        ["jpg", "jpg[interlace]", "jpg[restart_interval=4]"].flatMap { encoding in
            [
                Case(encoding: encoding, missing: 2), Case(encoding: encoding, missing: 1),
                Case(encoding: encoding, missing: 2, added: [0, 0]),
            ]
        }
        + ["png", "png[interlace]"].flatMap { encoding in
            [12, 4, 1, 8].map { Case(encoding: encoding, missing: $0) }
                + [Case(encoding: encoding, missing: 4, added: [1, 2, 3, 4])]
        }
        + [Case(encoding: "gif", missing: 1)]

    private func same(_ whole: [UInt8], _ cut: [UInt8], _ format: ImageFormat) throws {
        let expected = try Pictures.pixels(of: variant(of: whole, recipe(.png)).bytes)
        let made = try Pictures.pixels(of: variant(of: cut, recipe(.png)).bytes)
        #expect(made == expected)
        for metadata in [nil, .keep] as [Recipe.Metadata?] {
            let kept = try variant(of: cut, recipe(format, or: .onlySource, metadata: metadata))
            #expect(!kept.answer.isSource)
            let content = kept.bytes.withUnsafeBytes { FileContent(of: $0, format: format) }
            #expect(content <= (metadata == nil ? .picture : .metadata))
            #expect(
                try Pictures.pixels(of: variant(of: kept.bytes, recipe(.png)).bytes) == expected)
        }
    }

    private func format(_ encoding: String) throws -> ImageFormat {
        let name = String(encoding.prefix { $0 != "[" })
        return try #require(ImageFormat.all.first { $0.extensions.contains(name) })
    }

    @Test(arguments: cases)
    func imageWithoutEndIsWhole(sample: Case) throws {
        let whole = try Pictures.noise(width: 100, height: 75, as: sample.encoding)
        try same(whole, whole.dropLast(sample.missing) + sample.added, format(sample.encoding))
    }

    /// Only a decoder could tell what is missing, and it does not say so.
    @Test(arguments: [("gif", 2), ("webp[strip]", 1)])
    func imageThatMayLackPixelsIsRefused(encoding: String, missing: Int) throws {
        let whole = try Pictures.noise(width: 100, height: 75, as: encoding)
        #expect(try jobError(of: Array(whole.dropLast(missing)), recipe(.webp)).code == .corrupt)
    }

    /// Each of these lacks pixels.
    @Test(arguments: ["jpg", "jpg[interlace]", "png", "gif", "webp[strip]"], [20, 200, 2000])
    func imageWithoutPixelsIsRefused(encoding: String, missing: Int) throws {
        let whole = try Pictures.noise(width: 100, height: 75, as: encoding)
        // libvips 8.14 adds EXIF to every WebP.
        let exif = whole.firstRange(of: Array("EXIF".utf8))?.lowerBound ?? whole.count
        let end = encoding.hasPrefix("webp") ? whole.count - exif : 12
        let cut = Array(whole.dropLast(end + missing))
        #expect(try jobError(of: cut, recipe(.webp)).code == .corrupt)
        let zeros = [UInt8](repeating: 0, count: end + missing)
        guard ["jpg", "png"].contains(encoding.prefix(3)) else { return }
        #expect(try jobError(of: cut + zeros, recipe(.webp)).code == .corrupt)
    }

    /// All rows of a progressive JPEG are there after its first scan, but not their details.
    @Test func progressiveJPEGWithoutLastScanIsRefused() throws {
        let whole = try Pictures.noise(width: 100, height: 75, as: "jpg[interlace]")
        let scans = whole.indices.dropLast().filter { whole[$0] == 0xFF && whole[$0 + 1] == 0xDA }
        #expect(scans.count > 3)
        for scan in scans {
            #expect(try jobError(of: Array(whole[..<scan]), recipe(.webp)).code == .corrupt)
        }
    }

    @Test func animationWithoutItsLastFrameIsRefused() throws {
        let gif = try Pictures.animation(as: "gif")
        #expect(try header(of: Array(gif.dropLast())).frameCount == 3)
        #expect(try jobError(of: Array(gif.dropLast(40)), recipe(.webp)).code == .corrupt)
        let webp = try Pictures.animation(as: "webp")
        let frame = try #require(
            webp.indices.dropLast(3).last { webp[$0..<$0 + 4].elementsEqual("ANMF".utf8) })
        #expect(try jobError(of: Array(webp[..<(frame + 60)]), recipe(.webp)).code == .corrupt)
        #expect(try jobError(of: Array(webp[..<frame]), recipe(.webp)).code == .corrupt)
    }
}
