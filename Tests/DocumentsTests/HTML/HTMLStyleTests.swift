import Documents
import Testing

@Suite(.timeLimit(.minutes(10)))
struct HTMLStyleTests {
    @Test(arguments: [
        "<style>a{background:url(⟦a.png⟧)}b{background:url('⟦b.png⟧')}</style>",
        "<style>\r\na{background:url(⟦a.png⟧)}\r\n\0</style>",
        "<STYLE type=text/css><!-- a{background:url(⟦a.png⟧)} --></STYLE>",
        "<p style=\"background:url(⟦a.png⟧)\">",
        "<p style='background:url(\"⟦a.png⟧\")'>",
        "<p style=background:url(⟦a.png⟧)>",
        "<p style=\"background:url(&quot;⟦a.png⟧&quot;)\">",
        "<svg><style>a{fill:url(⟦a.png⟧)}</style><g style=\"mask:url(⟦m.svg⟧)\"/></svg>",
        "<style>a{}</style><style>@import url(a.css); @font-face{src:url(f.woff)}</style>",
        "<style>a{background:url(⟦a.png⟧)",
    ])
    func findsImagesInStyles(text: String) {
        expectReferences(text, .html)
    }

    @Test func escapesURLsForCSSAndHTML() {
        let text = "<p style='a:url(x.png)'><p style=\"a:url('x.png')\"><p style=a:url(x.png)>"
        let names = ["a(1)'&.png", "it's.png", "a=b.png"]
        #expect(
            replaceAll(text, .html, with: names)
                == "<p style='a:url(a\\(1\\)\\&#39;&amp;.png)'><p style=\"a:url('it\\'s.png')\">"
                + "<p style=a:url(a&#61;b.png)>")
    }
}
