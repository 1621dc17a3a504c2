import Documents
import Foundation
import FoundationXML
import ImageFormats
import Testing

@testable import Baking

@Suite struct PlaceholderTests {
    private func text(_ placeholder: Placeholder) -> String {
        String(decoding: placeholder.svg, as: UTF8.self)
    }

    @Test(arguments: [
        "", "A cat", "</text><script>alert(1)</script>", "a & b < c > d \"e\" 'f'",
        "\u{0}\u{8}\u{1B}control\u{FFFE}", "]]>", "ねこ 猫 🐈‍⬛", String(repeating: "long ", count: 500),
        String(repeating: "x", count: 5_000),
    ])
    func isWellFormedWithoutReferences(alt: String) throws {
        for size in [(1, 1), (16, 16), (300, 150), (2_000, 40), (40, 2_000), (65_535, 65_535)] {
            let placeholder = Placeholder(width: size.0, height: size.1, text: alt)
            let parser = XMLParser(data: Data(placeholder.svg))
            #expect(parser.parse(), "\(alt.prefix(20)) \(size)")
            let svg = text(placeholder)
            #expect(!svg.contains("<script") && !svg.contains("href") && !svg.contains("url("))
            #expect(svg.utf8.count < 40_000)
        }
    }

    @Test func textIsTitleAndIsDrawn() {
        let svg = text(Placeholder(width: 300, height: 150, text: "Salt & pepper"))
        #expect(svg.contains("<title>Salt &amp; pepper</title>"))
        #expect(svg.contains(">Salt &amp; pepper</text>"))
        #expect(!text(Placeholder(width: 300, height: 150, text: "")).contains("<title"))
    }

    @Test func truncatesLongText() {
        let words = (0..<400).map { "word\($0)" }.joined(separator: " ")
        let svg = text(Placeholder(width: 300, height: 150, text: words))
        #expect(svg.contains("…</text>"))
        #expect(svg.contains("word399</title>"))
        #expect(!text(Placeholder(width: 8, height: 8, text: words)).contains("<text"))
    }

    @Test func limitsTextOfDocument() {
        var reference = Reference(range: 0..<1, kind: .markdownImage, url: "a")
        reference.shown = .init(alt: String(repeating: "x", count: 100_000))
        #expect(Placeholder(at: reference, known: nil).text.count == 4_000)
    }

    private func placeholder(
        width: Int? = nil, height: Int? = nil, descriptors: String? = nil, known: ImageSize? = nil
    ) -> [Int] {
        var reference = Reference(range: 0..<1, kind: .markdownImage, url: "a")
        reference.shown = .init(alt: nil, width: width, height: height)
        if let descriptors {
            reference.claims = [.init(kind: .descriptors, range: 2..<3, text: descriptors)]
        }
        let made = Placeholder(at: reference, known: known)
        return [made.width, made.height]
    }

    @Test func prefersDeclaredSizeToKnownSize() {
        let known = ImageSize(width: 800, height: 200)
        #expect(placeholder() == [300, 150])
        #expect(placeholder(known: known) == [800, 200])
        #expect(placeholder(width: 90, height: 70, known: known) == [90, 70])
        #expect(placeholder(width: 400, known: known) == [400, 100])
        #expect(placeholder(height: 100, known: known) == [400, 100])
        #expect(placeholder(width: 90) == [90, 45])
        #expect(placeholder(descriptors: " 640w", known: known) == [640, 160])
        #expect(placeholder(descriptors: " 2x", known: known) == [800, 200])
        #expect(placeholder(height: 65_535, known: known) == [65_535, 65_535])
    }
}
