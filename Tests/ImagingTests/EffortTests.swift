import ImageFormats
import Recipes
import TestSupport
import Testing

/// More effort gives fewer bytes of the same picture.
@Suite struct EffortTests {
    private func bytes(
        of source: [UInt8], as format: ImageFormat, _ effort: Effort
    ) throws -> [UInt8] {
        var wanted = recipe(format)
        wanted.encoding.effort = effort
        return try variant(of: source, wanted).bytes
    }

    @Test func pngHasFewerBytesAndTheSamePixels() throws {
        let source = try Pictures.photo(width: 300, height: 200, as: "png[strip]")
        let pixels = try Pictures.pixels(of: source)
        let files = try Effort.allCases.map { try bytes(of: source, as: .png, $0) }
        for file in files { #expect(try Pictures.pixels(of: file) == pixels) }
        #expect(files[0].count >= files[1].count)
    }

    /// The second frame header tells the mode (ITU-T T.81, table B.1).
    @Test func jpegBecomesProgressive() throws {
        let source = try Pictures.photo(width: 300, height: 200, as: "png[strip]")
        let files = try Effort.allCases.map { try bytes(of: source, as: .jpeg, $0) }
        let pixels = try Pictures.pixels(of: files[0])
        for file in files { #expect(try Pictures.pixels(of: file) == pixels) }
        #expect(files[0].count > files[1].count)
        func isProgressive(_ file: [UInt8]) -> Bool { file.contains([0xFF, 0xC2]) }
        #expect(files.map(isProgressive) == [false, true])
    }

    @Test func webPHasFewerBytes() throws {
        let source = try Pictures.photo(width: 300, height: 200, as: "png[strip]")
        let normal = try bytes(of: source, as: .webp, .normal)
        let high = try bytes(of: source, as: .webp, .high)
        #expect(high.count < normal.count)
    }

    /// The encoder of AV1 spends effort on the picture rather than on bytes.
    @Test func avifChanges() throws {
        let source = try Pictures.photo(width: 300, height: 200, as: "png[strip]")
        let files = try Effort.allCases.map { try bytes(of: source, as: .avif, $0) }
        #expect(Set(files).count == 2)
    }

    @Test func normalIsTheDefaultAndKeepsKeys() throws {
        let source = try Pictures.photo(width: 60, height: 40, as: "png[strip]")
        #expect(
            try variant(of: source, recipe(.jpeg)).bytes == bytes(of: source, as: .jpeg, .normal))
        var normal = recipe(.jpeg)
        normal.encoding.effort = .normal
        #expect(normal == recipe(.jpeg))
    }
}
