import DocumentSyntax
import Documents
import Testing

@Suite(.timeLimit(.minutes(10)))
struct EncodingTests {
    @Test(arguments: DocumentKind.allCases)
    func refusesUTF16(kind: DocumentKind) {
        let text = "<img src=\"a.png\"> ![a](a.png) url(a.png)"
        let littleEndian = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let bigEndian = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        for bytes in [
            [0xFF, 0xFE] + littleEndian, [0xFE, 0xFF] + bigEndian, littleEndian, bigEndian,
        ] {
            let extraction = extract(bytes, kind: kind)
            #expect(extraction.references.isEmpty)
            #expect(
                extraction.problems == [DocumentProblem(offset: 0, reason: .encoding("UTF-16"))])
        }
    }

    @Test(arguments: [DocumentKind.html, .markdown, .css])
    func precheckReadsUTF16(kind: DocumentKind) {
        for (text, expected) in [("<img src=\"a.png\"> url(a.png)", true), ("<p>text</p>", false)] {
            let bytes = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
            #expect(mayNameImages(bytes, kind: kind) == expected)
            #expect(mayNameImages([0xFF, 0xFE] + bytes, kind: kind) == expected)
        }
    }

    @Test(arguments: [
        ("<meta charset=\"iso-2022-jp\">", "iso-2022-jp"),
        ("<meta http-equiv=content-type content=\"text/html; charset=UTF-7\">", "utf-7"),
    ])
    func refusesEncodingsThatAreNotSupersetsOfASCII(head: String, name: String) {
        let extraction = extract(Array((head + "<img src=a.png>").utf8), kind: .html)
        #expect(extraction.references.isEmpty)
        #expect(extraction.problems.map(\.reason) == [.encoding(name)])
    }

    @Test(arguments: ["latin1", "Shift_JIS", "utf-16", "windows-1252", "nonsense"])
    func readsEncodingsThatAreSupersetsOfASCII(name: String) {
        let text = "<meta charset=\(name)><meta name=x content=\"on utf-7\"><img src=\"⟦a.png⟧\">"
        expectReferences(text, .html)
    }

    @Test func keepsBytesOfOtherEncodings() throws {
        // "é" and more in Latin-1, in every place that can contain text.
        let before: [UInt8] = Array("<meta charset=latin1><p title=\"\u{0}".utf8) + [0xE9, 0xFF]
        let middle: [UInt8] =
            Array("\">".utf8) + [0xE9, 0xC3] + Array("<img \u{0} alt=".utf8) + [0xE9]
            + Array(" src=\"".utf8)
        let after: [UInt8] = Array("\"".utf8) + [0xE9, 0x80] + Array(">".utf8) + [0xF0, 0x9F]
        let bytes = before + middle + Array("a.png".utf8) + after
        let extraction = extract(bytes, kind: .html)
        let reference = try #require(extraction.references.first)
        #expect(reference.range == before.count + middle.count..<before.count + middle.count + 5)
        let replacement = Replacement(reference: reference, url: "b.png")
        let output = try rewrite(bytes, extraction: extraction, replacements: [replacement])
        #expect(output.bytes == before + middle + Array("b.png".utf8) + after)
    }

    @Test func keepsInvalidBytesInMarkdownAndCSS() throws {
        for (kind, before, after) in [
            (DocumentKind.markdown, "\u{FEFF}# x ![", ")"), (.css, "a{content:\"", ")}"),
        ] {
            let open = kind == .css ? "\";b:url(" : "]("
            let prefix = Array(before.utf8) + [0xE9, 0xC3] + Array(open.utf8)
            let suffix = Array(after.utf8) + [0xFF, 0xE2, 0x82]
            let bytes = prefix + Array("a.png".utf8) + suffix
            let extraction = extract(bytes, kind: kind)
            let reference = try #require(extraction.references.first)
            #expect(reference.range == prefix.count..<prefix.count + 5)
            let replacement = Replacement(reference: reference, url: "b.png")
            let output = try rewrite(bytes, extraction: extraction, replacements: [replacement])
            #expect(output.bytes == prefix + Array("b.png".utf8) + suffix)
        }
    }

    @Test(arguments: [
        (DocumentKind.html, "<img src=\"a", ".png\">"), (.html, "<p style=\"a:url(a", ".png)\">"),
        (.html, "<style>a{b:url(a", ".png)}</style>"), (.html, "<img srcset=\"a", " 1x\">"),
        (.markdown, "![a](a", ".png)"), (.markdown, "![r]\n\n[r]: a", ".png"),
        (.markdown, "<p><img src=\"a", "\">"), (.css, "a{b:url(a", ".png)}"),
    ])
    func refusesURLsThatAreNotUTF8(kind: DocumentKind, before: String, after: String) {
        let extraction = extract(Array(before.utf8) + [0xE9] + Array(after.utf8), kind: kind)
        #expect(extraction.references.isEmpty)
        #expect(extraction.problems.map(\.reason) == [.urlNotUTF8])
    }
}
