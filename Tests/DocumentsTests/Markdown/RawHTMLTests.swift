import DocumentSyntax
import Documents
import Testing

@Suite(.timeLimit(.minutes(10)))
struct RawHTMLTests {
    @Test(arguments: [
        "<img src=\"⟦a.png⟧\">",
        "text <img src='⟦a.png⟧'> text <IMG ALT=x SRC = ⟦b.png⟧>",
        "<p align=\"center\">\n  <img src=\"⟦a.png⟧\" width=\"3\">\n</p>",
        "<a href=\"a.png\"><img src=\"⟦a.png⟧\"/></a>",
        "<img\n  alt=\"src=a.png\"\n  src=\"⟦a.png⟧\" >",
        "<img src=\"⟦a.png⟧\" src=\"b.png\">",
        "<img src=\" ⟦a.png⟧ \">",
        "<picture>\n<source srcset=\"⟦a,b.png⟧ 1x, ⟦c.png⟧ 2x\">\n<img src=⟦a.png⟧>\n</picture>",
        "x <source srcset=\"⟦a.png⟧\">",
        "> <img src=\"⟦a.png⟧\">\n> text <img\n> src=\"⟦b.png⟧\">",
        "- <img src=\"⟦a.png⟧\"\n  srcset=\"⟦a.png⟧ 1x,\n  ⟦b.png⟧ 2x\">",
        "> <img srcset=\"⟦a.png⟧ 1x,\n>   ⟦b.png⟧ 2x\">\n",
        "| a |\n|---|\n| <img src=\"⟦a.png⟧\"> |",
        "<div>\n\n![a](⟦a.png⟧) <img src=\"⟦a.png⟧\">\n\n</div>",
        "<script>\"<img src='a.png'>\"</script>\n\n<img src='⟦a.png⟧'>",
        "x <img src=\"⟦a.png⟧\" title='src=\"a.png\"'> src=\"a.png\"",
    ])
    func findsImagesInRawHTML(text: String) {
        expectReferences(text, .markdown)
    }

    @Test(arguments: [
        "<!-- <img src=\"a.png\"> -->",
        "<div>\n<!--\n\n<img src=\"a.png\">\n\n-->\n</div>",
        "<div>\n<script>\n'<img src=\"a.png\">'\n\n</script>\n</div>",
        "<textarea>\n<img src=\"a.png\">\n</textarea>",
        "`<img src=\"a.png\">` \\<img src=\"a.png\">",
        "    <img src=\"a.png\">\n\n```\n<img src=\"a.png\">\n```",
        "<img src=\"\"> <img src> <img alt=\"a.png\"> <imgx src=\"a.png\"> </img src=\"a.png\">",
        "<video src=\"a.mp4\"><source src=\"a.mp4\"></video>",
        "<picture></picture><source src=a.mp4>",
        "<img src=\"a.png\"",
    ])
    func ignoresOtherHTML(text: String) {
        expectReferences(text, .markdown)
    }

    @Test(arguments: [
        ("<img src=\"⟦a?x=1&amp;y=2⟧\">", ["a?x=1&y=2"]),
        ("<img src=\"⟦a?x=1&y=2⟧\">", ["a?x=1&y=2"]),
        ("<img src='⟦&#97;&quot;&NotEqualTilde;&fjlig;⟧'>", ["a\"≂̸fj"]),
        ("<img srcset=\"⟦a&comma;b⟧&#32;1x, ⟦c&amp;d⟧ 2x\">", ["a,b", "c&d"]),
        ("<img src=\"⟦a&lt⟧\"> <img src=\"⟦b&lt=c⟧\">", ["a<", "b&lt=c"]),
    ])
    func decodesEntities(text: String, urls: [String]) {
        expectReferences(text, .markdown, urls: urls)
    }

    @Test(arguments: [
        "| a |\n|---|\n| <img src=\"https://h/a\\|b\"> |", "<img src=\"https://h/a\0\">",
    ])
    func namesURLsThatCommonMarkChanges(text: String) {
        let extraction = extract(Array(text.utf8), kind: .markdown)
        #expect(extraction.references.isEmpty)
        #expect(extraction.problems.map(\.reason) == [.placeUncertain])
    }

    @Test(arguments: [
        "<style>\n.a { background: url(⟦a.png⟧) }\n\n.b { background: url(\"⟦b.png⟧\") }\n</style>",
        "> <style>\n> .a { background: url(⟦a.png⟧) }\n> </style>\n",
        "- x\n\n  <style>\n  .a { background: url('⟦a.png⟧') }\n  </style>\n",
        "<div>\n<style>.a { background: url(⟦a.png⟧) }</style>\n</div>",
        "<p style=\"background: url(&quot;⟦a.png⟧&quot;)\">x</p>",
        "x <i style='background:url(⟦a.png⟧)'>y</i> url(a.png)",
        "`<style>a{b:url(a.png)}</style>`",
        "<style>\n/* url(a.png) */ @import url(a.png);\n</style>",
    ])
    func findsImagesInStyleSheets(text: String) {
        expectReferences(text, .markdown)
    }

    @Test func addsNoSizeInMarkdown() {
        let text = "<img src=\"a.png\">"
        let size = Replacement.Size(width: 4, height: 3)
        #expect(replaceAll(text, .markdown, with: ["b.png"], size: size) == "<img src=\"b.png\">")
    }
}
