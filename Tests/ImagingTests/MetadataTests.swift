import ImageFormats
import Imaging
import Recipes
import TestSupport
import Testing

/// The metadata of variants, as exiftool reads it.
@Suite(
    .timeLimit(.minutes(10)),
    .enabled(if: ExternalTool.exiftool.isExpected, "\(ExternalTool.exiftool.absence)"))
struct MetadataTests {
    private static let formats: [ImageFormat] = [.jpeg, .png, .webp, .avif]

    /// A photograph that is stored sideways, with rights, a place and a camera.
    private func source(_ encoding: String = "jpg") throws -> [UInt8] {
        let jpeg = encoding == "jpg"
        let plain = try Pictures.photo(
            width: 90, height: 60, as: jpeg ? "jpg[Q=95,strip]" : encoding)
        return try Pictures.tagged(
            plain, as: jpeg ? "jpg" : String(encoding.prefix { $0 != "[" }),
            [
                "-EXIF:Artist=Ann", "-EXIF:Copyright=(c) Ann", "-EXIF:Make=Camera",
                "-GPSLatitude=51.5", "-GPSLatitudeRef=N", "-XMP-dc:Rights=XR",
                "-XMP-xmpRights:WebStatement=https://l.test/?a&b", "-XMP:GPSLatitude=51.5",
                jpeg ? "-Orientation#=6" : "-Orientation#=1",
            ])
    }

    private func tags(_ made: (answer: JobResult.Variant, bytes: [UInt8])) throws -> [String:
        String]
    {
        try Pictures.tags(of: made.bytes, as: made.answer.format.fileExtension)
    }

    @Test(arguments: formats)
    func copyrightKeepsAuthorAndRights(format: ImageFormat) throws {
        let made = try variant(of: source(), recipe(format, metadata: .copyright))
        let tags = try tags(made)
        #expect(tags["EXIF:Artist"] == "Ann")
        #expect(tags["EXIF:Copyright"] == "(c) Ann")
        #expect(tags["XMP:Rights"] == "(c) Ann")
        #expect(tags["XMP:WebStatement"] == "https://l.test/?a&b")
        #expect(tags["EXIF:Make"] == nil)
        #expect(!tags.keys.contains { $0.contains("GPS") })
        #expect(["1", nil].contains(tags["EXIF:Orientation"]))
        #expect((made.answer.width, made.answer.height) == (60, 90))
    }

    @Test(arguments: formats)
    func keepRetainsAllAndAppliesOrientationOnce(format: ImageFormat) throws {
        let made = try variant(of: source(), recipe(format, metadata: .keep))
        let tags = try tags(made)
        #expect(tags["EXIF:Make"] == "Camera")
        #expect(tags["EXIF:GPSLatitude"] == "51.5")
        #expect(tags["XMP:Rights"] == "XR")
        #expect(tags["EXIF:Orientation"] == "1")
        #expect(try header(of: made.bytes).width == 60)
        #expect(
            try Fingerprint(of: made.bytes).resembles(
                Fingerprint(of: variant(of: source(), recipe(.png)).bytes)))
    }

    @Test(arguments: formats)
    func stripRemovesAll(format: ImageFormat) throws {
        let tags = try tags(variant(of: source(), recipe(format)))
        #expect(!tags.keys.contains { $0.hasPrefix("EXIF:") || $0.hasPrefix("XMP:") })
    }

    @Test(arguments: ["jpg", "png", "webp[Q=20]", "avif"])
    func keptSourceRetainsRights(encoding: String) throws {
        let source = try source(encoding)
        let rights = try variant(of: source, recipe(.png, or: .onlySource, metadata: .copyright))
        #expect(rights.answer.format.fileExtension == String(encoding.prefix { $0 != "[" }))
        let tags = try tags(rights)
        #expect((tags["EXIF:Artist"], tags["EXIF:Copyright"]) == ("Ann", "(c) Ann"))
        #expect(tags["EXIF:Orientation"] == (encoding == "jpg" ? "6" : nil))
        #expect(!tags.keys.contains { $0.contains("GPS") || $0 == "EXIF:Make" })
        #expect(tags["XMP:WebStatement"] == "https://l.test/?a&b")
        // Items of an AVIF are overwritten in place.
        #expect(rights.bytes.count < source.count + (encoding == "avif" ? 1 : 0))
        #expect(!rights.bytes.contains(Array("Camera".utf8)))
        let all = try variant(
            of: source + Array("trailing".utf8), recipe(.png, or: .onlySource, metadata: .keep))
        #expect(all.bytes.count <= source.count)
        #expect(try self.tags(all)["EXIF:GPSLatitude"] == "51.5")
    }

    /// libvips does not know the packet, because it begins with a processing instruction.
    @Test(arguments: [Recipe.Metadata.copyright, .keep])
    func readsXMPOfAVIF(metadata: Recipe.Metadata) throws {
        let source = try Pictures.tagged(
            Pictures.photo(width: 90, height: 60, as: "avif"), as: "avif",
            ["-XMP-dc:Rights=(c) Ann"])
        let tags = try tags(variant(of: source, recipe(.webp, metadata: metadata)))
        #expect(tags["XMP:Rights"] == "(c) Ann")
    }

    /// The file has no item for the block that it lacks.
    @Test(arguments: ["EXIF:Copyright", "XMP:Rights"])
    func keptAVIFRetainsItsOnlyBlock(tag: String) throws {
        let plain = try Pictures.photo(width: 90, height: 60, as: "avif")
        let source = try Pictures.tagged(
            plain, as: "avif",
            tag.hasPrefix("EXIF")
                ? ["-EXIF:Copyright=(c) Ann", "-EXIF:Make=Camera"]
                : ["-XMP-dc:Rights=(c) Ann", "-XMP:GPSLatitude=51.5"])
        let made = try variant(of: source, recipe(.png, or: .onlySource, metadata: .copyright))
        #expect(made.bytes.count == source.count)
        let tags = try tags(made)
        #expect(tags[tag] == "(c) Ann")
        #expect(!tags.keys.contains { $0.contains("GPS") || $0 == "EXIF:Make" })
        #expect(try header(of: made.bytes).hasMetadata)
        #expect(
            try Pictures.pixels(of: variant(of: made.bytes, recipe(.png)).bytes)
                == Pictures.pixels(of: variant(of: source, recipe(.png)).bytes))
    }

    @Test func keptAVIFWithoutRightsLosesItsMetadata() throws {
        let plain = try Pictures.photo(width: 90, height: 60, as: "avif")
        let source = try Pictures.tagged(
            plain, as: "avif", ["-EXIF:Make=Camera", "-XMP:GPSLatitude=51.5"])
        let made = try variant(of: source, recipe(.png, or: .onlySource, metadata: .copyright))
        #expect(try !header(of: made.bytes).hasMetadata)
        #expect(!made.bytes.contains(Array("Camera".utf8)))
    }

    @Test func readsRightsFromXMPAndIPTC() throws {
        let plain = try Pictures.photo(width: 90, height: 60, as: "jpg[Q=95,strip]")
        let xmp = try Pictures.tagged(
            plain, as: "jpg", ["-XMP-dc:Rights=<b>", "-XMP-dc:Creator=C"])
        let tags = try tags(variant(of: xmp, recipe(.webp, metadata: .copyright)))
        #expect((tags["XMP:Rights"], tags["XMP:Creator"]) == ("<b>", "C"))
        let iptc = try Pictures.tagged(
            plain, as: "jpg", ["-IPTC:By-line=Bob", "-IPTC:CopyrightNotice=N"])
        let others = try self.tags(variant(of: iptc, recipe(.png, metadata: .copyright)))
        #expect((others["EXIF:Artist"], others["EXIF:Copyright"]) == ("Bob", "N"))
    }

    /// A change of any byte of the metadata leads to an answer, never to a crash.
    @Test func survivesDamagedMetadata() throws {
        let whole = try source()
        let fixture = try ImageFixture()
        for index in stride(from: 20, to: min(whole.count, 900), by: 7) {
            var bytes = whole
            bytes[index] ^= 0xFF
            for metadata in [Recipe.Metadata.copyright, .keep] {
                _ = try fixture.transform(bytes, recipe(.webp, width: 20, metadata: metadata))
            }
        }
    }
}
