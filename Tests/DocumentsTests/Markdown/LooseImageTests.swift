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
        ("![a] [p] ![b][p] [l][p]", "![a] [p] ![b][p] [l](o.png)", "n.png"),
        ("![a]\n[p] [l] [p] [m][p]", "![a](n.png) [l] [p] [m][p]", "o.png"),
        ("![a] [p] ![b][p] ![p] [] [l] [p]", "![a] [p] ![b][p] ![p] [] [l](o.png)", "n.png"),
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
        for part in ["![a] ", "![", "[a] [b] ", "![a](b c", "![a](b \"c\" ", "] [", "![a](b =1x) "] {
            let text = String(repeating: part, count: 5_000) + "\n\n[a]: b.png\n[b]: c.png\n"
            _ = extract(Array(text.utf8), kind: .markdown, options: Self.loose)
            _ = extract(Array(text.utf8), kind: .markdown)
        }
    }
}
