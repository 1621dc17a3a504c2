import ImageFormats
import Imaging
import Recipes
import TestSupport
import Testing

/// Files that are published as they are, without the bytes that belong to no picture.
@Suite(.timeLimit(.minutes(10)))
struct TrailingBytesTests {
    private static let payload = Array("PK\u{3}\u{4}<script>".utf8)

    /// An icon with a picture at each place; `type` is 1 for an icon and 2 for a cursor.
    private func icon(type: UInt8, pictures: [[UInt8]], gap: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = [0, 0, type, 0, UInt8(pictures.count), 0]
        var place = 6 + 16 * pictures.count + gap.count
        for picture in pictures {
            bytes += [16, 16, 0, 0, 1, 0, 32, 0] + littleEndian(picture.count)
            bytes += littleEndian(place)
            place += picture.count
        }
        return bytes + gap + pictures.flatMap(\.self)
    }

    private func littleEndian(_ number: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    @Test(arguments: [1, 2] as [UInt8])
    func iconKeepsNothingButPictures(type: UInt8) throws {
        let format: ImageFormat = type == 1 ? .ico : .cursor
        let png = try Pictures.scene(width: 16, height: 16, as: "png")
        let clean = icon(type: type, pictures: [png, png], gap: [])
        #expect(try variant(of: clean, recipe(format)).answer.isSource)
        for dirty in [
            clean + Self.payload, icon(type: type, pictures: [png, png], gap: Self.payload),
            icon(type: type, pictures: [png + Self.payload, png], gap: []),
        ] {
            #expect(try variant(of: dirty, recipe(format)).bytes == clean)
        }
    }

    @Test func iconSharesPictures() throws {
        let png = try Pictures.scene(width: 16, height: 16, as: "png")
        var twice = icon(type: 1, pictures: [png, png], gap: [])
        twice.replaceSubrange(34..<38, with: littleEndian(38))
        twice = Array(twice.dropLast(png.count)) + Self.payload
        let made = try variant(of: twice, recipe(.ico)).bytes
        #expect(made == Array(twice.dropLast(Self.payload.count)))
    }

    @Test(arguments: ["png", "jpg", "gif", "webp", "avif"])
    func pictureEndsAtItsEnd(name: String) throws {
        let format = try #require(
            ImageFormat.all.first { $0.fileExtension == name || $0.rawValue == name })
        let clean = try Pictures.scene(width: 40, height: 30, as: name)
        let free = name == "avif" ? [0, 0, 0, 23] + Array("free".utf8) + Self.payload : []
        for payload in [Self.payload, free] {
            let made = try variant(
                of: clean + payload, recipe(format, or: .onlySource, metadata: .keep)
            ).bytes
            #expect(!made.contains(Self.payload))
        }
    }
}
