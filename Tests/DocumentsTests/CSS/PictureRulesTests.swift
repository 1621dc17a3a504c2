import DocumentSyntax
import Testing

@testable import Documents
@testable import StyleSizing

/// Which style sheets may notice a `<picture>` without a box around an image.
@Suite struct PictureRulesTests {
    /// The image in `<html><body class=b><div id=d class="x y"><p><img class=i>`.
    private let image: StyledElement

    init() {
        let html = StyledElement(name: "html")
        let body = StyledElement(name: "body", classes: ["b"], parent: html)
        let box = StyledElement(name: "div", id: "d", classes: ["x", "y"], parent: body)
        let paragraph = StyledElement(name: "p", parent: box)
        image = StyledElement(name: "img", classes: ["i"], parent: paragraph)
    }

    private func isNoticed(_ css: String) -> Bool {
        SizingRules(Array(css.utf8)).pictures.mayNoticePicture(around: image)
    }

    @Test(arguments: [
        "p > img", "p > *", ".x > p > img", ":is(p, a) > img", "p > :first-child",
        "img:first-child", ".i:only-child", "img:nth-of-type(2)", "img:last-of-type",
        "img + b", ".i ~ p", "b + img", "* + *", "h1 ~ .i", "img + .z", ".x img + p",
        "p:has(> img)", "p:has(> .i)", ":has(img:only-child)", ".z:has(+ p > img)",
        ".x:has(> p > img) a", "p:has(img + b)",
        "p:has(> :first-child)", "picture img", "picture > img", ".x picture .i", "p:has(picture)",
        ".x :not(p) img", ":not(.x) img", "img:not(p > *)", ".x :where(p > img)",
        ":is(p > img, a)", "body > * > * > img", ".x > * img.i:not(:first-child)",
        "source + img", "p img:hover:first-child", "[style] img", ":hover > img", "p > :not(b)",
        "p:nth-child(1 of :has([srcset]))", "p:nth-child(odd of :has(> img))",
        "p:nth-last-child(2 of :has(picture))", "p:not(:nth-child(n OF :has(> img)))",
        "b:nth-child(2 of .i)", "b:nth-child(2 of a, picture img)",
        "p:is(:is(:is(:is(:is(:is(:has(> img)))))))", ":host(:has(> img)) b",
    ])
    func selectorNotices(selector: String) {
        #expect(isNoticed(selector + " { color: red }"))
    }

    @Test(arguments: [
        "img", "*", ".x img", "#d .i", "body * img", "p img", ".x > p img", "div > p img",
        "* > .i", "a > img", ".z > img", ".x > img", "body > img", "p:first-child img", "p + p img",
        "h1 + p img", "* + p", "p > b", "img::before", "b + i", ".z + p", "p:has(img)",
        "p:has(> b)", ".z:has(> img)", ".z:has(img:only-child) p", "a:has(> img.z)",
        "ul > li:first-child", "[alt]", "img[alt]", "img:hover",
        "img:not(.z)", ".dark img", ":root img", "a:hover img", ".z:where(.x *)",
        ".x :where(img):not(:where([class~=z], [class~=z] *))", ".x :where(.x > :first-child)",
        ".x :where(figure > *)", "[data-theme] img", ":root[data-theme=dark] img", ".z > * + *",
        "picture", "picture source", "a picture img", "li:nth-child(2 of .z)", "b:lang(de) i",
        "li:nth-child(even of *)", "p:nth-child(1 of b:has(> i))", "x-a::part(i)", ":host(.z) b",
    ])
    func selectorDoesNotNotice(selector: String) {
        #expect(!isNoticed(selector + " { width: 3px; margin: 0 }"))
    }

    @Test(arguments: [
        "picture { color: red }", "picture { display: block !important }", "picture { --x: 3px }",
        "p :not(img) { visibility: hidden }", "picture, img { font-size: 2em }",
        "img { max-width: inherit }", "p img { border: inherit }", "picture { all: unset }",
        "p { > img { margin: 0 } }", "p { & > img { margin: 0 } }", "h1 { + img { margin: 0 } }",
        ".i { &:first-child { margin: 0 } }", "@media print { p > img { margin: 0 } }",
        "p:has(> img)::after { color: red }", "img + b::before { color: red }",
        "p:is(img + *) { margin: 0 }", ":not(img ~ p) { margin: 0 }",
        "* { display: inherit }", "*, a { all: inherit }", "img { display: inherit }",
        "img { all: inherit }", "p * { display: var(--x, inherit) }",
    ])
    func ruleNotices(css: String) {
        #expect(isNoticed(css))
    }

    @Test(arguments: [
        "picture { display: block; max-width: 100%; margin: 1em auto }",
        "img, picture, video { display: block; max-width: 100% }", "* { box-sizing: inherit }",
        "*, ::before { box-sizing: border-box; --x: 0; font: inherit }",
        "a { > img { margin: 0 } }", "p { & img { margin: 0 } }", "img { color: initial }",
        "b { & + p { margin: 0 } }", "* { all: initial }", "a { display: inherit }",
    ])
    func ruleDoesNotNotice(css: String) {
        #expect(!isNoticed(css))
    }

    @Test(arguments: [
        "picture::before { content: 'x' }", "*::after { content: '' }",
        "::before { content: url(a) }", "p > *::before { content: counter(a) }",
        ".x :not(img):after { color: red; CONTENT: 'x' }", "*, *::before { content: var(--x) }",
        "p { *::before { content: 'x' } }", "p > * { &::after { content: 'x' } }",
    ])
    func contentOfANewPictureIsNoticed(css: String) {
        #expect(isNoticed(css))
    }

    @Test(arguments: [
        "*::before { content: none }", "*::after { content: normal !important }",
        "*, ::before, ::after { box-sizing: border-box; border: 0 solid }",
        "picture::before { color: red }", ".z::before { content: 'x' }",
        "[class]::before { content: 'x' }", "a *::before { content: 'x' }",
        "p > img::after { content: 'x' }", "p > *::marker { content: 'x' }",
        ".x > *::before { content: 'x' }", ":is(::before, a) { content: 'x' }",
    ])
    func contentOfOtherElementsIsNot(css: String) {
        #expect(!isNoticed(css))
    }

    @Test func hostileSheetEndsSoon() {
        let deep = String(repeating: ":not(", count: 20_000) + "p > img {}"
        _ = SizingRules(Array(deep.utf8))
        let wide = (0..<2_000).map { _ in ":is(p > *, * > *) > *" }.joined(separator: ",")
        let rules = SizingRules(Array((wide + "{ color: red }").utf8))
        var deepest = image
        for _ in 0..<380 { deepest = StyledElement(name: "p", parent: deepest) }
        let inner = StyledElement(name: "img", parent: deepest)
        #expect(rules.pictures.mayNoticePicture(around: inner))
    }

    @Test func neighbourOfSiblingIsNoAncestor() {
        let rules = SizingRules(Array(".x .z { & + img { width: 3px } }".utf8))
        #expect(rules.images.effects(on: image) == .width)
    }
}
