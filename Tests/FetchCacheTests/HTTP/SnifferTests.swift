import Foundation
import Testing

@testable import FetchCache

struct SnifferTests {
    private func verdict(_ bytes: [UInt8], isWhole: Bool = true) -> MediaTypeSniffer.Verdict {
        MediaTypeSniffer.verdict(on: bytes, isWhole: isWhole)
    }

    private static func box(_ brands: String...) -> [UInt8] {
        let text = "ftyp" + brands[0] + "\0\0\0\0" + brands.dropFirst().joined()
        return [0, 0, 0, UInt8(4 + text.utf8.count)] + Array((text + "meta").utf8)
    }

    private static let images: [(MediaType, [UInt8])] = [
        (.png, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
        (.jpeg, [0xFF, 0xD8, 0xFF, 0xE0]),
        (.gif, Array("GIF87a".utf8)), (.gif, Array("GIF89a".utf8)),
        (.webp, Array("RIFF\u{1}\u{2}\u{3}\u{4}WEBPVP8L".utf8)),
        (.bmp, Array("BM1234".utf8)),
        (.ico, [0, 0, 1, 0, 2, 0]), (.ico, [0, 0, 2, 0, 1, 0]),
        (.tiff, Array("II*\0".utf8)), (.tiff, Array("MM\0*".utf8)),
        (.tiff, Array("II+\0".utf8)), (.tiff, Array("MM\0+".utf8)),
        (.jpegXL, [0xFF, 0x0A, 0xFA]),
        (.jpegXL, [0, 0, 0, 12, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A]),
        (.avif, box("avif")), (.avif, box("avis", "msf1")),
        (.avif, box("mif1", "miaf", "avif")),
        (.heic, box("heic")), (.heic, box("mif1", "heic")), (.heic, box("mif1")),
    ]

    @Test(arguments: images)
    func recognizesImagesByTheirBytes(_ type: MediaType, bytes: [UInt8]) {
        #expect(verdict(bytes) == .image(type))
    }

    @Test(arguments: [
        "<svg xmlns='http://www.w3.org/2000/svg'/>", "<SVG>", "<svg\n>", "<svg/>",
        "\u{FEFF}<svg/>", " \n\t<svg/>", "<?xml version='1.0'?><svg/>",
        "<?xml version='1.0'?>\n<!-- <html> --><svg:svg/>",
        "<!DOCTYPE svg PUBLIC '-//W3C//DTD SVG 1.1//EN' 'http://www.w3.org/svg11.dtd'><svg/>",
        "<!DOCTYPE svg [ <!ENTITY a '>]'> <!ENTITY b \"x\"> ]>\n<svg/>",
        "<!-- made with > and -- --><?xml-stylesheet href='a>b'?><svg/>",
    ])
    func recognizesSVGByItsRoot(_ text: String) {
        #expect(verdict(Array(text.utf8)) == .image(.svg))
    }

    @Test(arguments: [
        "<!DOCTYPE html>", "<!doctype HTML PUBLIC 'x'>", "<html>", "  <HTML lang=en>",
        "<!-- a comment --><head>", "<script>", "<body>", "<p>", "<div class=a><svg/>",
    ])
    func recognizesHTML(_ text: String) {
        #expect(verdict(Array(text.utf8)) == .other("an HTML page, not an image"))
    }

    @Test(arguments: [
        "plain", "{\"error\": 404}", "<rss version='2'/>", "<", "< svg>", "<1>", "<!ELEMENT a>",
        "<svg", "<!-- never ends", "RIFF1234WAVEfmt ", "svg",
    ])
    func refusesOtherFiles(_ text: String) {
        guard case .other = verdict(Array(text.utf8)) else {
            Issue.record("\(verdict(Array(text.utf8)))")
            return
        }
    }

    @Test func refusesOtherBoxedMedia() {
        let film = "a film or another file of kind isom, not an image"
        #expect(verdict(Self.box("isom", "mp42")) == .other(film))
        #expect(verdict([0x50, 0x4B, 3, 4]) == .other("not an image"))
    }

    @Test func acceptsGzipOnlyForSVG() {
        let svg: [UInt8] = [
            0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xB3, 0x29, 0x2E, 0x4B,
            0xD7, 0xB7, 0x03, 0x00, 0x49, 0xFB, 0xB9, 0xAC, 0x06, 0x00, 0x00, 0x00,
        ]
        #expect(verdict(svg) == .image(.svg))
        for count in 0..<16 {
            #expect(verdict(Array(svg.prefix(count)), isWhole: false) == .undecided, "\(count)")
        }
        let text: [UInt8] = [
            0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x2B, 0x49, 0xAD, 0x28,
            0x01, 0x00, 0xC7, 0xA7, 0x8B, 0x3B, 0x04, 0x00, 0x00, 0x00,
        ]
        #expect(verdict(text) == .other("a file compressed by gzip, not an image"))
        #expect(verdict([0x1F, 0x8B, 8, 0]) == .other("a file compressed by gzip, not an image"))
    }

    @Test(arguments: [
        "", "<", "<sv", "<?xml version='1.0'?>  ", "<!-- a long comment that goes on",
        "<!DOCTYPE svg [ <!ENTITY a 'b'> ",
    ])
    func waitsForMoreBytes(_ text: String) {
        #expect(verdict(Array(text.utf8), isWhole: false) == .undecided)
    }

    @Test func fileIsWholeEvenIfItsFirstBoxIsLonger() throws {
        let folder = try TestFolder()
        let path = folder.path + "/a"
        try Data(Self.box("avif", "miaf").dropLast(8)).write(to: URL(filePath: path))
        #expect(MediaTypeSniffer.type(ofFileAt: path) == .avif)
        #expect(MediaTypeSniffer.type(ofFileAt: folder.path + "/b") == nil)
    }

    @Test func stopsWaitingAfterLimit() {
        let endless = Array("<!--".utf8) + [UInt8](repeating: 0x20, count: 65_536)
        #expect(verdict(endless, isWhole: false) == .other("not an image"))
    }

    @Test func neverRefusesPrefixOfImage() {
        for bytes in [Self.box("mif1", "miaf", "avif"), Array("RIFF1234WEBPVP8 ".utf8)] {
            for count in 0..<bytes.count {
                let verdict = verdict(Array(bytes.prefix(count)), isWhole: false)
                if case .other = verdict { Issue.record("\(count): \(verdict)") }
            }
        }
    }
}
