import Foundation
import FoundationXML
import ImageFormats
import Testing

@testable import Baking
@testable import Documents
@testable import Pictures
@testable import Sites

@Suite struct FailurePlaceholderTests {
    private func text(_ placeholder: FailurePlaceholder) -> String {
        String(decoding: placeholder.svg, as: UTF8.self)
    }

    @Test(arguments: [
        "", "A cat", "</text><script>alert(1)</script>", "a & b < c > d \"e\" 'f'",
        "\u{0}\u{8}\u{1B}control\u{FFFE}", "]]>", "ねこ 猫 🐈‍⬛", String(repeating: "long ", count: 500),
        String(repeating: "x", count: 5_000),
    ])
    func isWellFormedWithoutReferences(alt: String) throws {
        for size in [(1, 1), (16, 16), (300, 150), (2_000, 40), (40, 2_000), (65_535, 65_535)] {
            let placeholder = FailurePlaceholder(width: size.0, height: size.1, text: alt)
            let parser = XMLParser(data: Data(placeholder.svg))
            #expect(parser.parse(), "\(alt.prefix(20)) \(size)")
            let svg = text(placeholder)
            // The parser accepts a document that ends too early.
            #expect(svg.hasSuffix("\n</svg>\n"))
            #expect(!svg.contains("<script") && !svg.contains("href") && !svg.contains("url("))
            #expect(svg.utf8.count < 40_000)
        }
    }

    @Test func textIsTitleAndIsDrawn() {
        let svg = text(FailurePlaceholder(width: 300, height: 150, text: "Salt & pepper"))
        #expect(svg.contains("<title>Salt &amp; pepper</title>"))
        #expect(svg.contains(">Salt &amp; pepper</text>"))
        #expect(!text(FailurePlaceholder(width: 300, height: 150, text: "")).contains("<title"))
    }

    @Test func truncatesLongText() {
        let words = (0..<400).map { "word\($0)" }.joined(separator: " ")
        let svg = text(FailurePlaceholder(width: 300, height: 150, text: words))
        #expect(svg.contains("…</text>"))
        #expect(svg.contains("word399</title>"))
        #expect(!text(FailurePlaceholder(width: 8, height: 8, text: words)).contains("<text"))
    }

    /// The letters' size, and the places and texts of the drawn lines.
    private func layout(
        width: Int, height: Int, _ words: String
    ) throws -> (fontSize: Int, lines: [(x: Int, y: Int, text: String)]) {
        let svg = text(FailurePlaceholder(width: width, height: height, text: words))
        let size = try #require(svg.firstMatch(of: /font-size="([0-9]+)"/))
        let lines = svg.matches(of: /<text x="([0-9]+)" y="([0-9]+)">(.*)<\/text>/)
        return (
            try #require(Int(size.1)),
            try lines.map { (try #require(Int($0.1)), try #require(Int($0.2)), String($0.3)) }
        )
    }

    @Test(arguments: [
        (300, 150, 12), (100, 400, 10), (600, 400, 25), (1_600, 900, 32), (1_600, 60, 12),
        (240, 20, 10),
    ])
    func lettersGrowWithPicture(width: Int, height: Int, fontSize: Int) throws {
        #expect(try layout(width: width, height: height, "word").fontSize == fontSize)
    }

    /// A letter is about 5/9 of its size wide, and a line 4/3 of it high.
    @Test(arguments: [
        (300, 150, 43, 9), (100, 400, 16, 29), (600, 400, 41, 11), (1_600, 60, 238, 3),
        (240, 20, 41, 1), (60, 60, 9, 4),
    ])
    func textFillsPictureAndFitsIntoIt(width: Int, height: Int, columns: Int, rows: Int) throws {
        let words = Array(repeating: "a", count: 5_000).joined(separator: " ")
        let (fontSize, lines) = try layout(width: width, height: height, words)
        #expect(lines.count == rows)
        // Letters and the spaces between them: an odd number of columns.
        #expect(lines[0].text.count == (columns - 1) / 2 * 2 + 1)
        #expect(Set(lines.dropLast().map(\.text.count)).count <= 1)
        #expect(lines[rows - 1].text.hasSuffix("…") && lines[rows - 1].text.count <= columns)
        #expect(lines.allSatisfy { $0.x == width / 2 })
        #expect(zip(lines, lines.dropFirst()).allSatisfy { $1.y - $0.y == fontSize * 4 / 3 })
        #expect(lines[0].y >= fontSize && lines[rows - 1].y < height)
    }

    @Test(arguments: [(1, [79]), (2, [71, 87]), (3, [63, 79, 95])])
    func textIsInTheMiddle(count: Int, baselines: [Int]) throws {
        let word = String(repeating: "x", count: 40)
        let words = Array(repeating: word, count: count).joined(separator: " ")
        let lines = try layout(width: 300, height: 150, words).lines
        #expect(lines.map(\.y) == baselines && lines.allSatisfy { $0.text == word })
    }

    /// Half of the columns of a line, if the word is longer than a line.
    @Test func breaksLongWordsAndWideLetters() throws {
        let long = try layout(width: 60, height: 60, "abcdefghijkl").lines.map(\.text)
        #expect(long == ["abcd", "efghijkl"])
        let wide = try layout(width: 60, height: 60, "ねこ 猫猫").lines.map(\.text)
        #expect(wide == ["ねこ 猫猫"])
        #expect(try layout(width: 60, height: 60, "ねこね 猫a").lines.count == 2)
    }

    /// The first letters of the Korean alphabet and of what is before it in Unicode.
    @Test(arguments: [("ᄀ ᄀ ᄀ", 1), ("ᄀ ᄀ ᄀ ᄀ", 2), ("ჿ ჿ ჿ ჿ ჿ", 1), ("ჿ ჿ ჿ ჿ ჿ ჿ", 2)])
    func lettersOfEastAsiaAreTwoColumnsWide(words: String, lines: Int) throws {
        #expect(try layout(width: 60, height: 60, words).lines.count == lines)
    }

    @Test(arguments: [
        ("a b c d e f g h i j", ["a b c d e", "f g h i j"]),
        ("abcdefghi", ["abcdefghi"]), ("abcdefghij", ["abcd", "efghij"]),
        (
            "abcdefghi abcdefghi abcdefghi abcdefghi",
            ["abcdefghi", "abcdefghi", "abcdefghi", "abcdefghi"]
        ),
        (
            "abcdefghi abcdefghi abcdefghi abcdefghi a",
            ["abcdefghi", "abcdefghi", "abcdefghi", "abcdefgh…"]
        ),
        ("abcdefghi abcdefghi abcdefghi a b", ["abcdefghi", "abcdefghi", "abcdefghi", "a b"]),
        ("abcdefghijklmnopqrstuvwxyz", ["abcd", "efgh", "ijkl", "mnop…"]),
    ])
    func onlyTextThatDoesNotFitEndsWithAnEllipsis(words: String, lines: [String]) throws {
        #expect(try layout(width: 60, height: 60, words).lines.map(\.text) == lines)
    }

    @Test(arguments: [
        (32, 60, false), (33, 60, true), (60, 18, false), (60, 19, true), (8, 8, false),
    ])
    func textNeedsRoomForFourLettersAndOneLine(width: Int, height: Int, isDrawn: Bool) {
        let svg = text(FailurePlaceholder(width: width, height: height, text: "a"))
        #expect(svg.contains("<text") == isDrawn)
    }

    /// The edge is drawn inside of the picture, so half of the stroke is seen.
    @Test(arguments: [(300, 150, 2), (40, 400, 2), (400, 250, 4), (1_600, 900, 18), (1, 1, 2)])
    func edgeIsAHundredthOfThePictureWide(width: Int, height: Int, stroke: Int) {
        let svg = text(FailurePlaceholder(width: width, height: height, text: ""))
        #expect(svg.contains("stroke-width=\"\(stroke)\""))
    }

    @Test(arguments: ["\u{0}", "\u{1F}", "\u{7F}", "\u{9F}", "\u{FFFE}", "\u{FFFF}"])
    func charactersThatXMLForbidsAreLeftOut(character: String) {
        let svg = text(FailurePlaceholder(width: 300, height: 150, text: "a\(character)b"))
        #expect(svg.contains("<title>ab</title>"))
    }

    @Test(arguments: [" ", "~", "\u{A0}", "\u{FFFD}", "\u{10000}"])
    func charactersThatXMLAllowsStay(character: String) {
        let svg = text(FailurePlaceholder(width: 300, height: 150, text: "a\(character)b"))
        #expect(svg.contains("<title>a\(character)b</title>"))
    }

    @Test func limitsTextOfDocument() {
        var reference = Reference(range: 0..<1, kind: .markdownImage, url: "a")
        reference.shown = .init(alt: String(repeating: "x", count: 100_000))
        #expect(FailurePlaceholder(at: reference, known: nil).text.count == 4_000)
    }

    private func placeholder(
        width: Int? = nil, height: Int? = nil, descriptors: String? = nil,
        known: ImageFormats.ImageSize? = nil
    ) -> [Int] {
        var reference = Reference(range: 0..<1, kind: .markdownImage, url: "a")
        reference.shown = .init(alt: nil, width: width, height: height)
        if let descriptors {
            reference.claims = [.init(kind: .descriptors, range: 2..<3, text: descriptors)]
        }
        let made = FailurePlaceholder(at: reference, known: known)
        return [made.width, made.height]
    }

    @Test func prefersDeclaredSizeToKnownSize() {
        let known = ImageFormats.ImageSize(width: 800, height: 200)
        #expect(placeholder() == [300, 150])
        #expect(placeholder(known: known) == [800, 200])
        #expect(placeholder(width: 90, height: 70, known: known) == [90, 70])
        #expect(placeholder(width: 400, known: known) == [400, 100])
        #expect(placeholder(height: 100, known: known) == [400, 100])
        #expect(placeholder(width: 90) == [90, 45])
        #expect(placeholder(descriptors: " 640w", known: known) == [640, 160])
        #expect(placeholder(descriptors: " 2x", known: known) == [800, 200])
        #expect(placeholder(descriptors: " 1w", known: known) == [1, 1])
        #expect(placeholder(descriptors: " 65535w") == [65_535, 32_768])
        #expect(placeholder(descriptors: " 0w") == [300, 150])
        #expect(placeholder(descriptors: " 65536w") == [300, 150])
        #expect(placeholder(descriptors: " 3q 90w 40w") == [90, 45])
        #expect(placeholder(known: ImageSize(width: 0, height: 0)) == [1, 1])
        #expect(placeholder(width: 9, known: ImageSize(width: 0, height: 0)) == [9, 9])
        #expect(placeholder(height: 65_535, known: known) == [65_535, 65_535])
        let flat = ImageFormats.ImageSize(width: 100, height: 1)
        #expect(placeholder(width: 400, known: flat) == [400, 4])
        #expect(placeholder(width: 10, known: flat) == [10, 1])
        #expect(placeholder(height: 4, known: ImageSize(width: 1, height: 100)) == [1, 4])
        #expect(placeholder(height: 400, known: ImageSize(width: 1, height: 100)) == [4, 400])
    }
}
