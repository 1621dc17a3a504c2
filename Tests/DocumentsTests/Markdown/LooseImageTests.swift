import Documents
import Testing

/// Tests images that kramdown and Python-Markdown show and CommonMark does not.
@Suite(.timeLimit(.minutes(10)))
struct LooseImageTests {
    private static let loose = ExtractionOptions(dialect: .loose)

    @Test(arguments: [
        "![alt] [pic]\n\n[pic]: ⟦https://h/a.png⟧\n",
        "![alt]\n[pic]\n\n[pic]: ⟦https://h/a.png⟧\n",
        "> ![alt]\n> [pic]\n\n[PIC]: ⟦https://h/a.png⟧\n",
        "![pic] []\n\n[pic]: ⟦https://h/a.png⟧\n",
        "[ ![Build] [pic] ] [lnk]\n\n[pic]: ⟦https://h/a.png⟧\n[lnk]: https://h/l\n",
        "![a] [pic] and ![b][pic]\n\n[pic]: ⟦https://h/a.png⟧\n",
        "![pic] [other]\n\n[pic]: https://h/b.png\n[other]: ⟦https://h/a.png⟧\n",
    ])
    func referencesWithWhitespaceAreRead(text: String) {
        expectReferences(text, .markdown, options: Self.loose)
    }

    @Test(arguments: [
        "![c](⟦https://h/a file.png⟧)\n", "- ![c]( ⟦https://h/a file.png⟧ \"a title\" )\n",
        "![x](⟦a.png⟧ \"it's a \"good\" pic\")\n", "![x](⟦a b (1).png⟧ 'it's')\n",
        "[![x](⟦a b.png⟧)](https://h/l)\n",
    ])
    func spacesAndQuotationMarksAreRead(text: String) {
        let marked = Marked(text)
        let found = extract(marked.bytes, kind: .markdown, options: Self.loose)
        #expect(found.references.map(\.url) == marked.marks)
        #expect(
            replaceAll(marked.text, .markdown, with: ["n.png"], options: Self.loose)
                == marked.replacing(["n.png"]))
    }

    /// The whole kind: several forms use one definition.
    @Test(arguments: [
        ("![a] [p] ![b][p]", "![a] [p] ![b][p]", "n.png"),
        ("![a] [p] ![b][p] [l][p]", "![a](n.png) ![b](n.png) [l][p]", "o.png"),
        ("![a]\n[p] [l] [p] [m][p]", "![a](n.png) [l] [p] [m][p]", "o.png"),
        (
            "![a] [p] ![b][p] ![p] [] [l] [p]", "![a](n.png) ![b](n.png) ![p](n.png) [l] [p]",
            "o.png"
        ),
        ("![p] [] [p], [p]", "![p](n.png) [p], [p]", "o.png"),
    ])
    func everyUseKeepsItsMeaning(before: String, after: String, definition: String) {
        #expect(
            replaceAll(
                before + "\n\n[p]: o.png\n", .markdown, with: ["n.png"], options: Self.loose)
                == "\(after)\n\n[p]: \(definition)\n")
    }

    /// Of a use that generators read differently, nothing is changed.
    @Test(arguments: [
        ("![a] [p] ![b][p]", "![a] [p] ![b](n.png)", 1),
        ("![a] [p] ![b][p] ![c][p]", "![a] [p] ![b](n.png) ![c](n.png)", 1),
        ("![a]\n[p] ![p]", "![a]\n[p] ![p](n.png)", 1),
        ("![p] [p]", "![p] [p]", 1), ("[l] [p] ![b][p]", "[l] [p] ![b](n.png)", 0),
    ])
    func unclearUsesAreLeft(before: String, after: String, problems: Int) {
        let definition = "\n\n[p]: https://h/o.png\n"
        #expect(
            replaceAll(before + definition, .markdown, with: ["n.png"]) == after + definition)
        let found = extract(Array((before + definition).utf8), kind: .markdown)
        #expect(found.problems.map(\.url) == Array(repeating: "https://h/o.png", count: problems))
    }

    /// CommonMark reads all of them as HTML.
    private static let afterHTML = [
        "<p align=\"center\">x</p>\n- ![a](U)\n", "<p>\n  <b>x</b>\n</p>\n![a](U) text\n",
        "</p>\n\n</div>\n# ![a](U)\n", "<br>\n![a](U)\n", "<img alt=\"x\">\n![a](U)\n",
        "> <hr>\n> ![a](U)\n", "<p>x</p>\n[ ![Build][pic] ][lnk]\n\n[pic]: U\n[lnk]: https://h/l\n",
        "<p>x</p> ![a](U)\n", "<a href=\"x\">\n![a](U)\n</a>\n",
        "<div>\n![raw](b.png)\n</div>\n![a](U)\n",
    ]

    @Test(arguments: afterHTML)
    func textAfterHTMLIsRead(text: String) {
        expectReferences(
            text.replacing("U", with: "⟦https://h/a.png⟧"), .markdown, options: Self.loose)
        expectReferences(
            "<img src=\"⟦b.png⟧\">\n\n" + text.replacing("U", with: "⟦https://h/a.png⟧")
                + "\n<img src=\"⟦c.png⟧\">\n![c](⟦https://h/a.png⟧)\n", .markdown,
            options: Self.loose)
    }

    @Test(arguments: afterHTML, [nil, .definitionLists] as [MarkdownDialect?])
    func textAfterHTMLIsNamed(text: String, dialect: MarkdownDialect?) {
        let bytes = Array(("# x\n\n" + text.replacing("U", with: "https://h/a.png")).utf8)
        let found = extract(
            bytes, kind: .markdown, options: ExtractionOptions(dialect: dialect))
        #expect(found.problems.map(\.url) == ["https://h/a.png"])
        #expect(found.problems.map(\.reason) == [.notCommonMark])
        let line = positions(of: found.problems.map(\.offset), in: bytes).first?.line ?? 0
        #expect(line >= 3 && line <= 3 + text.split(separator: "\n").count)
    }

    @Test(arguments: [
        "<div>\n![a](b.png)\n</div>\n", "<pre>\n![a](b.png)\n</pre>\nx\n",
        "<p>x</p>\n`![a](b.png)`\n",
        "<!-- ![a](b.png) -->\n", "<p>x</p>\n<!-- ![a](b.png) -->\n<br>",
        "<!-- imgbake-off -->\n\n<br>\n![a](b.png)\n",
    ])
    func contentOfElementsIsSilent(text: String) {
        for options in [Self.loose, ExtractionOptions()] {
            expectReferences(text, .markdown, options: options)
        }
    }

    private static let forms = [
        ("![](u.png align=\"center\")", "u.png"), ("![x](u.png =500x)", "u.png"),
        ("![x](u.png =100x200 \"t\")", "u.png"), ("![x](u.png \"t\" =50%x)", "u.png"),
        ("![c](https://h/file name.jpg)", "https://h/file name.jpg"),
        ("![x](u.png \"it's a \"good\" pic\")", "u.png"),
        ("[ ![Build] [img] ] [lnk]", "https://h/i.png"),
    ]
    private static let definitions = "\n\n[img]: https://h/i.png\n[lnk]: https://h/l\n"

    @Test(arguments: forms)
    func imagesThatOthersShowAreNamed(form: String, url: String) {
        for prefix in ["", "- ", "> text\n> ", "## ", "<b>x</b> ", "\\\\", "`a` "] {
            let bytes = Array((prefix + form + Self.definitions).utf8)
            let found = extract(bytes, kind: .markdown)
            #expect(found.references.isEmpty)
            #expect(found.problems.map(\.url) == [url])
            #expect(found.problems.map(\.reason) == [.notCommonMark])
            #expect(mayNameImages(bytes, kind: .markdown))
        }
    }

    @Test(arguments: forms)
    func codeIsSilent(form: String, url: String) {
        for (start, end) in [
            ("`", "`"), ("```\n", "\n```"), ("    ", ""), ("<!-- ", " -->"),
            ("<!-- imgbake-off -->\n\n", ""), ("\\", ""),
        ] where start != "\\" || form.hasPrefix("!") {
            let bytes = Array((start + form + end + Self.definitions).utf8)
            for options in [Self.loose, ExtractionOptions()] {
                let found = extract(bytes, kind: .markdown, options: options)
                #expect(found.references.isEmpty, "\(start)")
                #expect(found.problems.isEmpty, "\(start)")
            }
        }
    }

    @Test(arguments: [
        "![a] [undefined]\n", "![x]({{ \"/a b.png\" | relative_url }})\n", "![x] (u.png)\n",
        "- [ ] [img]\n\n[img]: u.png\n", "![x](⟦u.png⟧ (a title))\n",
        "![x](⟦u.png⟧ \"a \\\"title\\\"\")\n",
    ])
    func otherTextIsNone(text: String) {
        for options in [Self.loose, ExtractionOptions()] {
            expectReferences(text, .markdown, options: options)
        }
    }

    @Test func longTextsTakeLinearTime() {
        for part in [
            "![a] ", "![", "[a] [b] ", "<br>\n![a](b)\n\n", "</p>\n![a][b]\n", "![a](b c",
            "![a](b \"c\" ", "] [", "![a](b =1x) ",
        ] {
            let text = String(repeating: part, count: 5_000) + "\n\n[a]: b.png\n[b]: c.png\n"
            _ = extract(Array(text.utf8), kind: .markdown, options: Self.loose)
            _ = extract(Array(text.utf8), kind: .markdown)
        }
    }
}
