import DocumentSyntax
import Testing

@testable import Documents
@testable import StyleSizing

/// What style sheets may do to the size of an element.
@Suite struct SizingRulesTests {
    /// The image in `<html><body class=b><div id=d class="x y"><img class=i>`.
    private let image: StyledElement

    init() {
        let html = StyledElement(name: "html")
        let body = StyledElement(name: "body", classes: ["b"], parent: html)
        let box = StyledElement(name: "div", id: "d", classes: ["x", "y"], parent: body)
        image = StyledElement(name: "img", classes: ["i"], parent: box)
    }

    private func effects(_ css: String) -> SizingEffects {
        SizingRules(Array(css.utf8)).images.effects(on: image)
    }

    @Test(arguments: [
        "img", "*", "IMG", ".i", ".I", "img.i", "div img", "div > img", "div>img", "#d img",
        ".x.y > .i", "body .x img", "html body img", "p, img", "img:hover", "img:not(.z)",
        "p + img", "p ~ .i", ".z + div img", ":is(a, img)", "svg|img", "[alt]", "a img, div img",
        "/* a */ img /* b */", "im\\67 ", "body.unknown img", ".js img", ":root img",
        "div:nth-child(1 of .z) img",
    ])
    func selectorMayMatch(selector: String) {
        #expect(effects(selector + " { width: 3px }") == .width)
    }

    @Test(arguments: [
        "a", ".z", "img.z", "#e img", "a img", "img div", ".z > img", "div.z img", "img::before",
        "img:after", "img::selection", "div", "img > div", ".unknown img", "img a", "p img + b",
        "x-a::part(i)",
    ])
    func selectorDoesNotMatch(selector: String) {
        #expect(effects(selector + " { width: 3px }") == [])
    }

    @Test(arguments: [
        "@scope (img) { a { width: 3px } }", "@scope { img { width: 3px } }",
        "p { @scope (a) to (b) { width: 3px } }", "::slotted(img) { width: 3px }",
        ".z { &::slotted(a) { width: 3px } }", "a, .z b::slotted(.i) { width: 3px }",
    ])
    func styleSheetForOtherTreesIsNotRead(css: String) {
        #expect(SizingRules(Array("img { height: 3px } \(css)".utf8)).isTooComplex)
        #expect(effects("img { height: 3px } \(css)") == [])
    }

    @Test func byteOrderMarkIsNoPartOfTheFirstRule() {
        #expect(effects("\u{FEFF}img { width: 3px }") == .width)
        #expect(SizingRules(Array("\u{FEFF}@import 'a.css';".utf8)).imports == ["a.css"])
    }

    @Test(arguments: [[0xFE, 0xFF], [0xFF, 0xFE]])
    func styleSheetInUTF16IsNotRead(mark: [UInt8]) {
        #expect(SizingRules(mark + [0x61, 0]).isTooComplex)
    }

    private static let declarations: [(String, SizingEffects)] = [
        ("width: auto", .width), ("inline-size: 3px", .width), ("WIDTH : 3px", .width),
        ("height: auto", []), ("height: auto !important", []), ("height: 3px", .height),
        ("max-height: none", []), ("max-height: 3px", .height), ("min-height: 0", []),
        ("min-height: 3px", .height), ("max-width: none", []), ("max-width: 100%", .maximumWidth),
        ("max-width: 36em", []), ("max-width: min(50vw, 9px)", .maximumWidth),
        ("max-width: calc(20px + 3%)", .maximumWidth),
        ("max-width: inherit", [.maximumWidth, .inherited]),
        ("max-width: fit-content", [.maximumWidth, .width]), ("min-width: 3px", []),
        ("min-width: min-content", .width), ("max-width: var(--x)", [.maximumWidth, .width]),
        ("padding: 0 0.0em", []), ("padding-left: 1px", .edge), ("border: none", []),
        ("border: 1px solid", .edge), ("border-radius: 3px", []), ("border-style: solid", .edge),
        ("box-sizing: border-box", .borderBox), ("-webkit-box-sizing: border-box", .borderBox),
        ("box-sizing: content-box", []), ("display: inline-block", []),
        ("display: -webkit-flex", .container), ("display: inline grid", .container),
        ("display: contents", .container), ("object-fit: cover", .ratio),
        ("object-fit: scale-down", .other), ("aspect-ratio: auto", .ratio),
        ("align-self: stretch", .other), ("align-self: center", []), ("contain: size", .other),
        ("content: none", []), ("content: url(a)", .other), ("color: red", []),
        ("all: unset", .all),
        ("--x: { width: 3px }", []), ("width", []), ("width:", []), ("*width: 3px", .width),
        ("background: url(a;b) ; width: 3px", .width), ("a: '}' ; width: 3px", .width),
    ]

    @Test(arguments: declarations)
    func declarationHasEffect(declaration: String, expected: SizingEffects) {
        #expect(effects("img { \(declaration) }") == expected)
        #expect(SizingRules.effects(ofAttribute: Array(declaration.utf8)).effects == expected)
    }

    @Test(arguments: [
        "@media print { img { width: 3px } }",
        "@supports (a: b) { @layer x { img { width: 3px } } }",
        "div { img { width: 3px } }", "div { & > img { width: 3px } }",
        ".x { .y& img { width: 3px } }",
        "img { @media print { width: 3px } }", "div { color: red; & { img { width: 3px } } }",
        "a { } img { width: 3px", "} img { width: 3px }", "@charset 'x'; img { width: 3px }",
        "@font-face { a: b } img { width: 3px }", "@x; img { width: 3px }",
    ])
    func nestedRulesCount(css: String) {
        #expect(effects(css) == .width)
    }

    @Test(arguments: [
        "a { img { width: 3px } }", "div { & > a { width: 3px } }", ".z { .y& img { width: 3px } }",
        "@font-face { img { width: 3px } }", "@keyframes img { to { width: 3px } }",
        "/* img { width: 3px } */", "a { content: 'img { width: 3px }' }",
    ])
    func otherRulesDoNotCount(css: String) {
        #expect(effects(css) == [])
    }

    private func asks(_ selector: String) -> Bool {
        SizingRules(Array((selector + " { opacity: 0 }").utf8)).watchers.mayAsk(image)
    }

    @Test(arguments: [
        "img[loading=lazy]", "img:not([width])", "img[sizes], a", ".x :is(a, [loading])",
        "img[srcset] + p", "img:not([width]) ~ div", ".b .i[width] + a b", ":has(img[srcset])",
        ".x:has(> img[srcset]) p", "p:has(+ img[width])", "p:not(img[srcset] + p)",
        ":where(.x:has([decoding])) b", "img[srcset]::before", "img[width] + p:after",
        ":nth-child(2 of img[width])", "b:nth-last-child(even of a, [srcset])",
        ".x:nth-child(1 of :has([srcset])) b",
        ":host(:has([width])) b", ":unknown([width]) b",
        "a:is(:is(:is(:is(:is(:is(:has([srcset])))))))",
    ])
    func selectorThatAsksForAnAddedAttributeIsKnown(selector: String) {
        #expect(asks(selector))
    }

    @Test(arguments: [
        "svg[width], a img[loading]", "img[alt]", "[srcset] > div img", "[width] p",
        ".z:has(img[srcset])", "a:has(> [width])", ":has(> svg[width])", ".z > img[width] + p",
        ".z img:not([width])", "img.z[loading]", "p:has(+ .z[width])", "img:not(.z[width])",
        "img[class~=\"width\"]", ".width:not(.loading)", "a:nth-child(2 of svg[width])",
    ])
    func selectorOfAnotherElementDoesNotCountAsAsking(selector: String) {
        #expect(!asks(selector))
    }

    @Test func nestedRuleAsksToo() {
        #expect(asks(".x { & > [decoding] { margin: 0 } } b"))
        #expect(asks("img[srcset] { + p { margin: 0 } } b"))
        #expect(!asks(".z { & > [decoding] { margin: 0 } } b"))
    }

    @Test(arguments: [
        "img[src$=\".jpg\"]", "img[src*='cdn.example.org']", "[src^='https:']", "img[src^=https]",
        "img[ src = \"a.png\" i ]", "img[src~='a']", "img[src|='a']", "[*|src$='g']",
        "img:not([src$='.svg'])", ".x:has([src$='.png']) b", "[src*='x'] + p", "[src$='#']",
        "[src~='#a']", "[src*='a#b']",
    ])
    func selectorThatComparesTheURLIsKnown(selector: String) {
        #expect(asks(selector))
    }

    @Test(arguments: [
        "img[src]", "img[src='']", "img[src^=\"\"]", "img[src$=\"#center\"]", "[src*='#right']",
        "[src*=\"#a\" i] + p", "iframe[src*='youtube']", "p:has(> iframe[src^='https:'])",
    ])
    func selectorThatHoldsForEachURLDoesNotCount(selector: String) {
        #expect(!asks(selector))
    }

    @Test func importsAreFound() {
        let rules = SizingRules(
            Array("@import 'a.css'; @import url(b.css) print; @import url(\"c.css\");".utf8))
        #expect(rules.imports == ["a.css", "b.css", "c.css"])
        #expect(!rules.isTooComplex)
    }

    @Test func hostileSheetEndsSoon() {
        let deep = String(repeating: "a { ", count: 20_000) + "img { width: 3px }"
        #expect(SizingRules(Array(deep.utf8)).imports == [])
        let list = String(repeating: "a,", count: 5_000)
        let product = String(repeating: "\(list)a { ", count: 4)
        #expect(SizingRules(Array((product + "width: 3px").utf8)).isTooComplex)
    }
}
