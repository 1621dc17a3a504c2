import DocumentSyntax
import Testing

@testable import Documents

/// Tests which tags become elements, and where, against gumbo's tree.
@Suite(.timeLimit(.minutes(10)))
struct TreeSimulationTests {
    private func elements(_ text: String) -> [PlacedElement] {
        PlacedElement.ours(in: Array(text.utf8))
    }

    private func gumboElements(_ text: String) -> [PlacedElement] {
        PlacedElement.gumbos(in: Array(text.utf8))
    }

    @Test(arguments: [
        "<p><img><div><p></div><li><li><dd><dt><h1><h2></h1>", "<a><p><a></p><b><i></b>x</i>",
        "<table><img><tr><td><img></table><tbody><td>", "<table><b><tr><i>x<td></table>y<u>",
        "<select><option></select><img>", "<template><tr><td><td><tr></template><td>",
        "<table><td><select><td><img>", "<table><select><tr><img>", "<body><table><caption><td>",
        "<template><td><img></template><td><img>", "<template><tr></template><col>",
        "<table><colgroup><col>x<img><col></table>", "<frameset><img><frame></frameset><img>",
        "<head><img><head><title><img></title></head><base><body><html><body>", "<html><frameset>",
        "<svg><image><img><image>", "<svg><title><img></title><desc><p><g></desc><g/><a></svg>",
        "<svg><style><img></style><g></svg><style><g></style>", "<svg><script><a></script><a>",
        "<math><mi><img><mglyph></mi><malignmark><annotation-xml><svg><p></svg></math>",
        "<math><annotation-xml encoding='TEXT/html'><p><g></annotation-xml><g>",
        "<math><annotation-xml encoding=x><g><p></annotation-xml><g>",
        "<svg><![CDATA[<a>]]><a></svg><![CDATA[<a>]]><a>", "<svg><font><font color=x><g>",
        "<svg><foreignObject><svg><g></foreignObject><g></svg>", "<svg><x></X><g></svg></x><g>",
        "<picture><source><img></picture><source>", "<picture><p><source></picture><img>",
        "<picture><table></table><source>", "<ruby><rb>a<rt><rp><rtc></ruby>",
        "<noscript><img></noscript><p><noscript><img></noscript>", "<pre><listing><xmp><a></xmp>",
        "<textarea><a></textarea><iframe><a></iframe><noembed><a></noembed><plaintext></plaintext><a>",
        "<button><p><button><img>", "<form><form><div></form><form>", "<nobr><nobr><p><nobr>",
        "<object><b></object><a><applet><a></applet><a>", "<image><input type=hidden><hr></br></p>",
        "<b><b><b><b><p></b></b></b></b>x<i>", "<b id=a><b id=a><b id=a><b id=a></p><p>x<i>",
        "<a><div><div><b><u><i><code><div></a><img>", "<p><b><div><i></b><img></i></div></p>",
        "</body><img></html><img>", "<x-y><z></x-y></z><img>",
        "<table></p></br><form><form><input>",
    ])
    func findsElementsOfTheTree(text: String) {
        #expect(elements(text) == gumboElements(text))
    }

    /// gumbo follows an older version, and takes elements that it does not know for each other.
    @Test(arguments: [
        ("<svg></p><g>", ["0:svg/1", "9:g/0"]), ("<math></br><g>", ["0:math/2", "11:g/0"]),
        ("<select><hr><option><hr>", ["0:select/0", "8:hr/0", "12:option/0", "20:hr/0"]),
        (
            "<select><option><img><optgroup><b></select><img>",
            ["0:select/0", "8:option/0", "16:img/0", "21:optgroup/0", "31:b/0", "43:img/0"]
        ),
        ("<isindex><a>", ["0:isindex/0", "9:a/0"]),
        ("<picture></x-y><source>", ["0:picture/0", "15:source/0/picture"]),
    ])
    func followsTheStandardWhereGumboDoesNot(text: String, expected: [String]) {
        #expect(elements(text).map(\.description) == expected)
    }

    @Test func findsElementsOfRandomTrees() {
        var random = SeededGenerator(seed: 21)
        for _ in 0..<3_000 {
            let text = (0..<Int.random(in: 1...14, using: &random)).map { _ in
                let name = Self.names.randomElement(using: &random) ?? ""
                return switch Int.random(in: 0..<12, using: &random) {
                case 0..<6: "<\(name)>"
                case 6..<9: "</\(name)>"
                case 9: Self.pieces.randomElement(using: &random) ?? ""
                case 10: "<\(name)/>"
                default: "x"
                }
            }.joined()
            #expect(elements(text) == gumboElements(text), "\(text)")
        }
    }

    private static let pieces = [
        " ", "&amp;", "\n", "<!--c-->", "<![CDATA[<a>]]>", "<a href=x>",
        "<input type=hidden>", "<font color=x>", "<annotation-xml encoding=text/html>",
    ]

    // Without `<frameset>`, which removes elements, without `<p>`, whose end tag gumbo reads otherwise
    // in SVG, without `<select>`, in which gumbo drops elements, and without `<template>` and
    // `<picture>`, whose tables are read more simply than by the standard.
    private static let names =
        Set(HTMLName.allCases.map(\.label))
        .subtracting([
            "other", "frameset", "p", "br", "hr", "search", "dialog", "select", "template",
            "picture",
        ]).sorted()
}
