import Documents
import Testing

/// Tests links to images, which are references if the options say so.
@Suite(.timeLimit(.minutes(10)))
struct LinkTests {
    private let options = ExtractionOptions(readsLinks: true)

    /// Checks that the marked ranges are the references, and that each can be replaced.
    private func expect(
        _ text: String, _ kind: DocumentKind, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let marked = Marked(text)
        let extraction = extract(marked.bytes, kind: kind, options: options)
        #expect(extraction.problems == [], sourceLocation: sourceLocation)
        #expect(extraction.references.map(\.range) == marked.ranges, sourceLocation: sourceLocation)
        let names = marked.ranges.indices.map { "img/\($0).webp" }
        let result = try? rewrite(
            marked.bytes, extraction: extraction,
            replacements: zip(extraction.references, names).map {
                Replacement(reference: $0, url: $1)
            })
        #expect(
            result.map { String(decoding: $0.bytes, as: UTF8.self) } == marked.replacing(names),
            sourceLocation: sourceLocation)
        if extraction.references.allSatisfy(\.isGuess) {
            let plain = extract(marked.bytes, kind: kind)
            #expect(plain.references.isEmpty, sourceLocation: sourceLocation)
        }
    }

    @Test(
        arguments: [
            "<a href=\"⟦https://h/a.png?x#y⟧\">b</a> <a href=\"https://h/a\">c</a>",
            "<a href='⟦a.JPG⟧'><img src=\"⟦b⟧\"></a>",
            "<map><area href=\"⟦a.svg⟧\"></map>", "<a name=a.png>x</a>",
            "<a href=\"{{ x }}.png\">b</a>", "<a href=⟦a.jxl⟧></a><a href=⟦b.SVGZ#x⟧></a>",
            "<a href=⟦a.heic⟧></a><a href=⟦a.pjpeg?b.c⟧></a><a href=⟦a.bmp⟧></a>",
            "<a href=a.pngs></a>",
        ], [DocumentKind.html, .markdown, .mdx])
    func findsLinksToImagesInHTML(text: String, kind: DocumentKind) {
        expect(text, kind)
    }

    @Test(arguments: [
        "[a](⟦a.png⟧) [b](https://h/b) [c](<⟦c d.webp⟧> \"t\")",
        "[![a](⟦a.png⟧)](⟦https://h/b.jpg⟧ \"t\")",
        "[a][b] [b]\n\n[b]: ⟦https://h/a.png⟧ \"t\"\n", "![a][b] [b]\n\n[b]: ⟦https://h/a.png⟧\n",
        "<https://h/a.png> https://h/b.png www.h.org/c.png",
        "[https://h/a.png](⟦https://h/a.png⟧)", "`[a](a.png)` \\[a](a.png)\n\n    [a](a.png)",
        "| [a](⟦a.png⟧) |\n|---|\n", "> - [a](⟦a\\)b.png⟧)",
    ])
    func findsLinksToImagesInMarkdown(text: String) {
        expect(text, .markdown)
    }

    @Test func keepsDefinitionThatLinkToPageSharesWithImage() throws {
        let bytes = Array("![a][b] [b]\n\n[b]: https://h/a\n".utf8)
        let extraction = extract(bytes, kind: .markdown, options: options)
        let replacements = extraction.references.map { Replacement(reference: $0, url: "n") }
        let result = try rewrite(bytes, extraction: extraction, replacements: replacements)
        #expect(
            String(decoding: result.bytes, as: UTF8.self)
                == "![a](n) [b]\n\n[b]: https://h/a\n")
    }

    @Test func marksLinksAsGuessesUnlessAnImageSharesTheirDefinition() {
        let texts = ["[a](a.png)", "[b]\n\n[b]: a.png", "![b] [b]\n\n[b]: a.png", "<a href=a.png>"]
        let guesses = texts.map {
            extract(Array($0.utf8), kind: .markdown, options: options).references.map(\.isGuess)
        }
        #expect(guesses == [[true], [true], [false], [true]])
    }

    @Test func findsLinksToImagesInFeedsAndXHTML() {
        expect("<html><body><a href=\"⟦a.png⟧\">b</a></body></html>", .xml)
        expect("<svg><a href='⟦a.png⟧'/><a xlink:href='⟦b.png⟧'/></svg>", .xml)
        expect("<rss><item><description>&lt;a href='⟦a.png⟧'></description></item></rss>", .xml)
    }

    @Test(arguments: [DocumentKind.markdown, .html])
    func readsLinksOnlyIfTheOptionIsSet(kind: DocumentKind) {
        let bytes = Array("[a](b.png) <a href=b.png>".utf8)
        #expect(!mayNameImages(bytes, kind: kind))
        #expect(mayNameImages(bytes, kind: kind, options: options))
    }
}
