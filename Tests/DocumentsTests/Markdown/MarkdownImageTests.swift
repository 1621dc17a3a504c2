import DocumentSyntax
import Documents
import Testing

@Suite(.timeLimit(.minutes(10)))
struct MarkdownImageTests {
    @Test(arguments: [
        "![a](⟦http://h/a.png⟧)",
        "é ![cat](⟦http://h/cat.png⟧ \"Tom\")\n",
        "![](⟦a.png⟧)![](⟦a.png⟧)",
        "![a](⟦a.png⟧ 'title')\n![a](⟦b.png⟧ (title))",
        "![a](<⟦a b.png⟧>)",
        "![a](  <  ⟦a b.png⟧  >  \"t\"  )",
        "![a](⟦a(b(c))d.png⟧)",
        "![a](\n  ⟦a.png⟧\n  \"two\nlines\")",
        "![a](\r\n⟦a.png⟧\r\n)",
        "![a](\t⟦a.png⟧\t)",
        "![a](\u{0B}\u{0C}⟦a\u{0B}\u{0C}.png⟧)",
        "[![a](⟦a.png⟧)](a.png)",
        "![![inner](⟦i.png⟧)](⟦o.png⟧)",
        "![alt [link](x.html) `code`](⟦a.png⟧)",
        "*![a](⟦a.png⟧)* **![a](⟦b.png⟧)** ~~![a](⟦c.png⟧)~~",
        "# ![a](⟦a.png⟧)\n\n![a](⟦b.png⟧)\n===\n",
        "\u{FEFF}![a](⟦a.png⟧)",
        "![a](⟦data:image/png;base64,AAA=⟧)",
        "![a](⟦//h/a.png#f?x=[1]⟧)",
        "![日本](⟦http://h/日本.png⟧)",
        "\0![a](⟦a.png⟧)\0",
    ])
    func findsInlineImages(text: String) {
        expectReferences(text, .markdown)
    }

    @Test(arguments: [
        "> ![a](⟦a.png⟧)\n> > ![b](⟦b.png⟧)",
        "> ![a](\n> ⟦a.png⟧\n> )",
        "> > ![a](\n> > <⟦a b.png⟧> 't')",
        "> ![a](\n⟦lazy.png⟧)",
        "- ![a](⟦a.png⟧)\n  - ![b](⟦b.png⟧)\n\n    ![c](⟦c.png⟧)",
        "1. ![a](⟦a.png⟧)\n1. x ![b](\n   ⟦b.png⟧)",
        "- [ ] ![a](⟦a.png⟧)\n- [x] ![b](⟦b.png⟧)",
        "| a | b |\n|---|---|\n| ![a](⟦a.png⟧) | x ![b](⟦b.png⟧ \"t\") |\n",
        "x[^1]\n\n[^1]: ![a](⟦a.png⟧)\n",
        "\t- ![no](code.png)\n\n- ![a](⟦a.png⟧)\n\n\t![b](⟦b.png⟧)",
    ])
    func findsImagesInEveryBlock(text: String) {
        expectReferences(text, .markdown)
    }

    @Test(arguments: [
        ("![a](⟦a&amp;b.png⟧)", "a&b.png"),
        ("![a](⟦a\\(b.png⟧)", "a(b.png"),
        ("![a](⟦a&#40;&copy;.png⟧)", "a(©.png"),
        ("![a](<⟦a\\>b.png⟧>)", "a>b.png"),
        ("![a](⟦a\\&amp;b⟧)", "a&b"),
        ("![a](⟦a\\⟧ )", "a\\"),
        ("![a](⟦a&notit;b⟧)", "a&notit;b"),
        ("| a |\n|---|\n| ![a](⟦a\\|b.png⟧) |", "a|b.png"),
        ("![a](⟦a\0b⟧)", "a\u{FFFD}b"),
    ])
    func decodesEscapesAndEntities(text: String, url: String) {
        expectReferences(text, .markdown, urls: [url])
    }

    @Test(arguments: [
        "![a][r]\n\n[r]: ⟦http://h/a.png⟧",
        "![r][]\n\n[r]: ⟦http://h/a.png⟧ \"title\"",
        "![r]\n\n[r]: ⟦http://h/a.png⟧\n\"title\"",
        "[r]: <⟦http://h/a b.png⟧>\n\n![R]",
        "[r]:\n  ⟦a.png⟧\n  'title'\n\n![r] ![x][r] ![r][]",
        "> [r]: ⟦a.png⟧\n\n![r]",
        "> [r]:\n> ⟦a.png⟧\n\n![r]",
        "- [r]: ⟦a.png⟧\n- ![r]",
        "[^1]: [r]: ⟦a.png⟧\n\n![r] [^1]",
        "[^1]:[r]:⟦a.png⟧\n\n![r] [^1]",
        "[r]: ⟦a.png⟧\n[r]: second.png\n[s]: unused.png\n\n![r]",
        "[Ä b]: ⟦a.png⟧\n\n![ä  B]",
        "[x\\]y]: ⟦a.png⟧\n\n![x\\]y]",
        "[r]: ⟦a.png⟧\n\n[![r]](b.png) [a]: a.png",
    ])
    func findsDefinitionsUsedByImages(text: String) {
        expectReferences(text, .markdown)
    }

    @Test(arguments: [
        "[a](http://h/a.png) <http://h/a.png> http://h/a.png www.h.com/a.png",
        "`![a](a.png)` ``![a](a.png) ` ``",
        "```\n![a](a.png)\n```\n\n    ![a](a.png)\n",
        "~~~ ![a](a.png)\n![a](a.png)\n",
        "<!-- ![a](a.png) -->",
        "<pre>\n![a](a.png)\n\n![a](a.png)\n</pre>",
        "\\![a](a.png) !\\[a](a.png) ![a\\](a.png)",
        "![a](<a\nb>) ![a] (a.png)",
        "![a][nope] ![nope]",
        "![]() ![](<>) ![a]( )",
        "[r]: a.png\n\n[r]",
        "[r]: a.png",
        "![a](a.png",
        "![^1]\n\n[^1]: a.png\n",
    ])
    func ignoresOtherText(text: String) {
        expectReferences(text, .markdown)
    }

    @Test func distinguishesEqualURLsByTheirRange() {
        expectReferences(
            """
            ```
            ![a](a.png)
            ```
            ![a](⟦a.png⟧) [a](a.png) ![b](⟦a.pngx⟧) `a.png` a.png ![c](⟦a.png?size=2⟧)

                ![a](a.png)

            <p title="![a](a.png)">

            ![a](⟦a.png⟧)
            """, .markdown)
    }

    @Test(arguments: [
        "[a](&amp;b![q](\n⟦o.png⟧\n't')",
        "](<img srcset=\"⟦a.png⟧ 1x, ⟦b.png⟧ 2x\" src='⟦l\u{26}m⟧'> ![q](⟦o.png⟧)",
        "](&amp;![b](<⟦b.png⟧> 't')",
        "](&amp;![b](<⟦b c.png⟧> 't') ](<script>x</script><img src='⟦s.png⟧'>",
        "`](`![a](⟦a`.png⟧)",
        "![a](<b\n![c](⟦c.png⟧)>)",
        "[x]: &amp;[y]\n\n![a](⟦a.png⟧)",
    ])
    func findsImagesWhereATokenChangesTheText(text: String) {
        expectReferences(text, .markdown)
    }

    @Test func destinationThatCouldBeginABlockIsNotTakenFromCode() {
        // After a line end, only the text in the code looks like a destination.
        let extraction = extract(Array("![a](\n-x.png) `](-x.png)`\n".utf8), kind: .markdown)
        #expect(extraction.references.isEmpty)
        #expect(extraction.problems.map(\.reason) == [.placeUncertain])
    }

    @Test func distinguishesTokensFromSimilarText() {
        expectReferences("zqj zqj0s zqje ![zqj0s](⟦zqj0szqje⟧) ![zq0j](⟦zqj⟧)", .markdown)
    }
}
