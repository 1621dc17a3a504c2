import DocumentSyntax
import Documents
import Testing

/// Tests front matter of HTML, which Jekyll, Hugo and Eleventy read like that of Markdown.
@Suite(.timeLimit(.minutes(10)))
struct PageFrontMatterTests {
    @Test(arguments: [
        "---\nimage: ⟦https://h/a.png⟧\n---\n<img src=\"⟦b.png⟧\">",
        "---\r\nimage: \"⟦https://h/a.png⟧\"\r\n---\r\n<p>x</p>\r\n",
        "\u{FEFF}---\ntitle: <img src=a.png>\n---\n<p>é<img src=\"⟦b.png⟧\">",
        "+++\nimages = ['⟦https://h/a.png⟧']\n+++\n<link rel=icon href=⟦b.png⟧>",
        "---\n<img src=\"⟦b.png⟧\">\n---\n",
    ])
    func findsImagesInFrontMatterOfHTML(text: String) {
        expectReferences(text, .html)
    }

    @Test func countsLinesOfFrontMatter() throws {
        let text = "---\nimage: https://h/a.png\n---\n<p><img src=b.png>"
        let extraction = extract(Array(text.utf8), kind: .html)
        let places = positions(
            of: extraction.references.map(\.range.lowerBound), in: Array(text.utf8))
        #expect(places == [Position(line: 2, column: 8), Position(line: 4, column: 13)])
    }
}
