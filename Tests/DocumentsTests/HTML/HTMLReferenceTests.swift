import DocumentSyntax
import Documents
import Testing

@Suite(.timeLimit(.minutes(10)))
struct HTMLReferenceTests {
    @Test(arguments: [
        "<!DOCTYPE html><html><head><title>t</title></head><body><img src=\"⟦a.png⟧\"></body></html>",
        "<img src=\"⟦a.png⟧\">",
        "<IMG ALT=x SrC='⟦a.png⟧'>",
        "<img src=⟦a.png⟧ alt=x><img src=⟦b.png⟧><img src=⟦c/⟧>",
        "<img\n\talt = \"x\"\n\tsrc\n=\n\"⟦a.png⟧\"\n>",
        "<img\r\nsrc=\r\n⟦a.png⟧\r\nalt=x\r\n>",
        "<img\u{0C}src=\"⟦a.png⟧\"alt=\"b\"/id=1>",
        "<img src=\"\n ⟦a.png⟧ \n\">",
        "<img src='⟦a\"b.png⟧'><img src=\"⟦a'b.png⟧\">",
        "<img src=\"⟦a.png⟧\" src=\"b.png\" SRC=c.png>",
        "<image src=\"⟦a.png⟧\">",
        "\u{FEFF}<p><img src=\"⟦a.png⟧\">",
        "<p>é日本<img src=\"⟦日本.png⟧\">",
        "\0<img alt=\"\0\" src=\"⟦a.png⟧\">",
    ])
    func findsImages(text: String) {
        expectReferences(text, .html)
    }

    @Test(arguments: [
        "<picture><source srcset=\"⟦a.png⟧\" src=\"⟦b.png⟧\"><img src=\"⟦c.png⟧\"></picture>",
        "<video><source src=\"a.mp4\"></video>",
        "<noscript><img src=\"⟦a.png⟧\"></noscript>",
        "<head><noscript><img src=\"⟦a.png⟧\"></noscript></head>",
        "<template><img src=\"⟦a.png⟧\"></template>",
        "<table><img src=\"⟦a.png⟧\"><tr><td><img src=\"⟦b.png⟧\"></table>",
        "<b><p><img src=\"⟦a.png⟧\"></b><img src=\"⟦b.png⟧\"></p>",
        "<p><i style=\"background:url(⟦a.png⟧)\">x<p>y<p>z",
        "<svg><foreignObject><img src=\"⟦a.png⟧\"></foreignObject></svg>",
        "<svg><g/><img src=\"⟦a.png⟧\"></svg>",
        "<select><option><img src=\"⟦a.png⟧\"></option></select><img src=\"⟦b.png⟧\">",
        "</p></div><img src=\"⟦a.png⟧\"></body></html><img src=\"⟦b.png⟧\">",
        "<a href=\"a.png\"><img src=\"⟦a.png⟧\" alt=\"a.png\" title='<img src=\"a.png\">'></a>",
    ])
    func findsImagesInEveryContext(text: String) {
        expectReferences(text, .html)
    }

    @Test(arguments: [
        "<!-- <img src=\"a.png\"> --><img alt=x>",
        "<script>document.write('<img src=\"a.png\">')</script>",
        "<script><!-- <script>'<img src=a.png>'</script> <img src=b.png> --></script>",
        "<style>/* <img src=a.png> */</style><title><img src=a.png></title>",
        "<textarea><img src=a.png></textarea><iframe><img src=a.png></iframe>",
        "<plaintext><img src=a.png>",
        "<img src=\"\"><img src><img src=\" \"><img data-alt=a.png>",
        "<svg><use href=a.svg#x /></svg>",
        "<img src=a.png",
        "&lt;img src=a.png>",
    ])
    func ignoresOtherURLs(text: String) {
        expectReferences(text, .html)
    }

    @Test(arguments: [
        ("<img src=\"⟦a?x=1&amp;y=2⟧\">", ["a?x=1&y=2"]),
        ("<img src=\"⟦a?x=1&y=2&copy=3&amp=4⟧\">", ["a?x=1&y=2&copy=3&amp=4"]),
        ("<img src=⟦a?x=1&amp;amp;y⟧>", ["a?x=1&amp;y"]),
        (
            "<img src='⟦&#x68;&#116;tp:&sol;&sol;h&#0;&#x80;&NotEqualTilde;&fjlig;⟧'>",
            ["http://h\u{FFFD}€≂̸fj"]
        ),
        ("<img src=\"⟦a\r\nb⟧\">", ["a\nb"]),
        ("<img src=\"⟦a\0b⟧\">", ["a\u{FFFD}b"]),
        ("<img src=\"⟦a&copy⟧\"><img src=⟦a&lt⟧>", ["a©", "a<"]),
        ("<img src=\"&#32;⟦a.png⟧&NewLine;\">", ["a.png"]),
    ])
    func decodesEntities(text: String, urls: [String]) {
        expectReferences(text, .html, urls: urls)
    }

    @Test func returnsBaseURL() {
        let text = "<base target=x><base href=\"http://h/?a&amp;b\"><base href=no><img src=a.png>"
        #expect(extract(Array(text.utf8), kind: .html).baseHref == "http://h/?a&b")
    }
}
