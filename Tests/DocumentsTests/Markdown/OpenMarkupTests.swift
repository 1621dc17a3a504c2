import Documents
import Testing

/// Tests that unclosed or unusual markup does not hide the images after it.
@Suite(.timeLimit(.minutes(10)))
struct OpenMarkupTests {
    @Test(arguments: [
        "<iframe src=\"https://h/v\" />\n\n<img src=\"⟦https://h/1.png⟧\" />",
        "<Script src=\"a.js\" />\n\n<Image src=\"⟦https://h/1.png⟧\" />",
        "Use <title> here.\n\n<img src=\"⟦https://h/1.png⟧\">",
        "a <textarea> b\n\n<!-- imgbake-off -->\n\n![x](2.png)\n\n<!-- imgbake-on -->\n\n![y](⟦3.png⟧)",
    ])
    func findsImagesAfterUnclosedElement(text: String) {
        expectReferences(text, .markdown)
    }

    @Test(arguments: [
        "    grep -o 'src=\"' index.html\n\n![a](⟦https://h/a.png⟧ \"title\")\n\n<img src=\"⟦https://h/c.png⟧\">",
        "Set src=\" in the tag.\n\n![a](⟦a.png⟧ \"t\") <img src=\"⟦b.png⟧\">\n\nor href=\" here ![c](⟦c.png⟧ 't')",
        "`](` ![a](⟦a.png⟧) `<img src='` ![b](⟦b.png⟧)",
    ])
    func ignoresUnclosedQuotationMarks(text: String) {
        expectReferences(text, .markdown)
    }

    @Test(arguments: [
        "- item\n\n  <div><img srcset=\"\n      ⟦https://h/a.png⟧ 1x,\n      ⟦https://h/b.png⟧ 2x\"></div>",
        "> <div><img srcset=\"\n>       ⟦https://h/a.png⟧ 1x,\n>       ⟦https://h/b.png⟧ 2x\"></div>",
        "> <div>\n> <img\n>     src=\"⟦a.png⟧\"\n>     alt=\"x\">\n> </div>",
    ])
    func alignsIndentedLinesInContainers(text: String) {
        expectReferences(text, .markdown)
    }

    @Test(arguments: [
        (DocumentKind.mdx, "<Tabs>\n\n    ![x](https://h/3.png)\n\n</Tabs>", 3),
        (.mdx, "x\n\n<div>\n  ![y](https://h/3.png 't')\n</div>", 4),
        (.markdown, "<figure markdown=\"span\">\n  ![x](https://h/3.png)\n</figure>", 2),
        (.markdown, "<div class=a markdown>\n![x](https://h/3.png){ width=3 }\n</div>", 2),
    ])
    func refusesImagesThatOnlyOtherProcessorsSee(kind: DocumentKind, text: String, line: Int) {
        let bytes = Array(text.utf8)
        let extraction = extract(bytes, kind: kind)
        #expect(extraction.references.isEmpty)
        #expect(extraction.problems.map(\.url) == ["https://h/3.png"])
        #expect(extraction.problems.map(\.reason) == [.markdownInHTML])
        #expect(positions(of: extraction.problems.map(\.offset), in: bytes).map(\.line) == [line])
    }

    @Test(arguments: [
        "    ![x](3.png)\n\n```\n![x](3.png)\n```\n\n<div>\n![x](3.png)\n</div>\n![",
        "<div data-markdown=1>\n![x](3.png)\n</div>\n\n![x](⟦4.png⟧)",
    ])
    func ignoresImagesInCodeAndHTML(text: String) {
        expectReferences(text, .markdown)
    }

    @Test func appliesToggleCommentsToFootnotesByPosition() {
        expectReferences(
            "a[^1] b[^2] c[^3]\n\n[^1]: ![x](⟦1.png⟧)\n\n<!-- imgbake-off -->\n\n[^2]: ![x](2.png)\n\n"
                + "<!-- imgbake-on -->\n\n[^3]: ![x](⟦3.png⟧)\n", .markdown)
    }

    @Test func readsLongDefinitionWithFewUses() {
        let data = "data:image/png;base64," + String(repeating: "QUJD", count: 1_000_000)
        let links = String(repeating: "[a](https://l.com)\n", count: 300)
        let extraction = extract(
            Array("![][i]\n\n\(links)\n[i]: <\(data)>\n".utf8), kind: .markdown)
        #expect(extraction.references.map(\.url) == [data])
        #expect(extraction.problems.isEmpty)
    }
}
