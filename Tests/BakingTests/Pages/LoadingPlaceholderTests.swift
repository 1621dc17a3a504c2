import Documents
import ImageFormats
import Recipes
import StyleSizing
import Testing

@testable import Baking
@testable import Pages
@testable import Pictures
@testable import Reports
@testable import Sites

/// Which images of a page get a placeholder while they load.
@Suite struct LoadingPlaceholderTests {
    /// The page after a bake with `--placeholder`, and why images have none.
    private func baked(
        _ text: String, _ choice: LoadingPlaceholder = .color, sheets: [String: String] = [:],
        _ change: (inout ReadingOptions) -> Void = { _ in }
    ) throws -> (text: String, kept: KeptImages) {
        var reading = ReadingOptions()
        reading.responsive.placeholder = choice
        reading.styles = SiteStyles(sheets: sheets.mapValues { SizingRules(Array($0.utf8)) })
        change(&reading)
        let site = Site(root: "/nowhere", displayRoot: "site", isInPlace: true, reading: reading)
        let plan = DocumentPlan(Array(text.utf8), kind: .html, path: "a.html", site: site)
        var known: [ImageRequest: ImageOutcome] = [:]
        for request in plan.references.items.requests {
            var image = BakedImage(
                url: request.source.key, options: request.options, sourceDigest: .ofNoBytes,
                sourceByteCount: 9000, fileName: "i.webp", byteCount: 900, format: .webp,
                width: 1200, height: 800,
                original: .init(format: .png, width: 1200, height: 800))
            if request.options.wantsPlaceholder {
                image.loading = LoadingPicture(colour: 0x12AB0F, base64: "UklGRg==")
            }
            known[request] = .baked(image, warning: nil)
        }
        let result = try BakedReferences(of: plan, outcomes: known).rewritten()
        return (
            String(decoding: result.bytes ?? plan.bytes, as: UTF8.self)
                .replacing("imgbake/", with: ""), result.document.kept
        )
    }

    private let image = "<img src=http://h/a>"
    private let plain = "<img src=i.webp>"
    private let colour = "<img src=i.webp style=\"background:#12ab0f content-box\">"

    @Test func nothingElseIsAdded() throws {
        #expect(try baked(image + image + image).text == colour + colour + colour)
        #expect(try baked(image, .none).text == plain)
        #expect(
            try baked(image, .blur).text
                == "<img src=i.webp style=\"background:url(data:image/webp;base64,UklGRg==) "
                + "0 0/100% 100% content-box\">")
    }

    @Test func responsiveImagesGetItToo() throws {
        let text = try baked("<img src=http://h/a width=300>") { $0.responsive.isOn = true }.text
        #expect(
            text == "<img src=i.webp decoding=\"async\" "
                + "style=\"background:#12ab0f content-box\" width=300>")
    }

    @Test(arguments: [
        "<img style='color: red' src=http://h/a>", "<img style src=http://h/a>",
        "<img srcset='http://h/a 2x' src=http://h/b>",
        "<picture><source srcset=http://h/a><img src=http://h/b></picture>",
        "<img data-imgbake-widths=off src=http://h/a>", "<input type=image src=http://h/a>",
        "<img id=x src=http://h/a><script>x.src = y</script>",
    ])
    func otherElementsGetNone(text: String) throws {
        let result = try baked(text)
        #expect(!result.text.contains("background"))
        #expect(result.kept.counts.isEmpty)
    }

    @Test(arguments: [
        "img { background: red }", "* { background-color: red }", "img { object-fit: contain }",
        "@media print { p > img { object-fit: var(--x) } }", "img:hover { border-radius: 3px }",
        "img { border-top-left-radius: 3px }", "img { transform: rotate(3deg) }",
        "img { rotate: 3deg }", "img:hover { transform: scale(1.1) }", "img { padding: 1px }",
        "img { border: 1px solid }",
        "img { border-style: dotted }", "img { border-width: thin }", "img { opacity: 0.5 }",
        "img { border-left: var(--x) }", "img { content: url(x) }", "img { all: unset }",
        "img { clip-path: circle(40%) }", "p { border-radius: 3px; overflow: hidden }",
        "p { transform: rotate(3deg) }", "* { mask-image: url(x) }",
        "img[style] { width: 3px }", "img:not([style*='background']) { color: red }",
        "img[style] + b { color: red }", "p:has(img[style]) { color: red }",
    ])
    func imageWhoseBackgroundMayShowGetsNone(css: String) throws {
        let result = try baked("<p>" + image + "</p>", sheets: ["s.css": css]) { _ in }
        #expect(result.text == "<p>" + colour + "</p>", "the sheet is not linked")
        let page = "<link rel=stylesheet href=s.css><p>"
        let linked = try baked(page + image, sheets: ["s.css": css])
        #expect(linked.text == page + plain)
        #expect(linked.kept.counts == [KeptReason(.noPlaceholder, .style): 1])
    }

    @Test(arguments: [
        "p { background: red; border-radius: 0 }", "b { transform: rotate(3deg) }",
        "img { padding: 0; border: 0 solid red }",
        "* { border-width: 0; border-style: solid; border-color: red } p { padding: 3px }",
        "img { opacity: 1; border: none; border-collapse: collapse }",
        "img { object-fit: fill; border-radius: 0 }", "img { transform: none }",
        "p { object-fit: cover }", "img { width: 100%; height: 9em; aspect-ratio: 1 }",
        "[style] b { color: red }",
    ])
    func imageThatHidesItsBackgroundGetsOne(css: String) throws {
        let page = "<style>\(css)</style><p>"
        let result = try baked(page + image)
        #expect(result.text == page + colour)
        #expect(result.kept.counts.isEmpty)
    }

    @Test(arguments: ["border-radius: 9px; overflow: hidden", "rotate: 3deg"])
    func styleOfAnAncestorCounts(style: String) throws {
        let page = "<div style=\"\(style)\">"
        #expect(try baked(page + image).kept.counts == [KeptReason(.noPlaceholder, .style): 1])
        #expect(try baked("<div style='color: red'>" + image).kept.counts.isEmpty)
    }

    @Test func borderOfTheElementCounts() throws {
        #expect(
            try baked("<img border=1 src=http://h/a>").kept.counts == [
                KeptReason(.noPlaceholder, .style): 1
            ])
    }

    @Test func unknownStyleSheetsAreCounted() throws {
        let missing = "<link rel=stylesheet href=missing.css>" + image + image
        #expect(try baked(missing).kept.counts == [KeptReason(.noPlaceholder, .unknownSheet): 2])
        let codes = try baked(missing).kept.diagnostics.map(\.code)
        #expect(codes == [.noPlaceholder])
    }

    private func policy(_ text: String) -> String {
        "<meta http-equiv=Content-Security-Policy content=\"\(text)\">"
    }

    @Test func policyOfThePageIsKept() throws {
        let strict = policy("style-src 'self'")
        let result = try baked(strict + image)
        #expect(result.text == strict + plain)
        #expect(result.kept.counts == [KeptReason(.noPlaceholder, .policy): 1])
        let inline = policy("default-src 'self'; style-src 'unsafe-inline'")
        #expect(try baked(inline + image, .blur).text == inline + colour, "no data: for images")
        let open = policy("img-src data: 'self'; style-src 'unsafe-inline'")
        #expect(try baked(open + image, .blur).text.contains("data:image/webp"))
    }

    private let linked = "<link rel=\"stylesheet\" href=\"\(AddedSheet.fileName)\"></head>"
    private let classed = "<img src=i.webp class=\"imgbake-c090\">"

    @Test(arguments: [LoadingPlaceholder.color, .blur])
    func strictPageGetsAClassAndALink(choice: LoadingPlaceholder) throws {
        let head = "<head>" + policy("img-src *; style-src 'self'")
        let result = try baked(head + "</head>" + image + image, choice)
        #expect(result.text == head + linked + classed + classed)
        #expect(result.kept.counts.isEmpty)
        let more = try baked(result.text + image, choice)
        #expect(more.text == result.text + classed)
    }

    @Test func strictPageWithoutPlaceholderGetsNoLink() throws {
        let page = "<head>" + policy("style-src 'self'") + "</head>"
        #expect(try baked(page + image, .none).text == page + plain)
    }

    @Test(arguments: [
        "<base href=a.html>", "<style>img:not([class]) { color: red }</style>",
        "<style>head > :last-child { color: red }</style>",
        "<link rel=\"stylesheet\" href=\"imgbake-0000000000000000.css\"></head>",
    ])
    func strictPageThatCannotBeLinkedGetsNone(text: String) throws {
        let head = "<head>" + policy("style-src 'self'")
        let page = text.hasPrefix("<base") ? head + "</head>" + text : head + text + "</head>"
        let result = try baked(page + image)
        #expect(!result.text.contains("imgbake-c"))
        #expect(result.kept.counts == [KeptReason(.noPlaceholder, .policy): 1])
    }

    @Test func classesOfTheAuthorStayOnStrictPages() throws {
        let page = "<head>" + policy("style-src 'self'") + "</head>"
        let result = try baked(page + "<img class=x src=http://h/a>")
        #expect(result.text == page + "<img class=x src=i.webp>")
        #expect(result.kept.counts == [KeptReason(.noPlaceholder, .ownClass): 1])
        let open = try baked("<img class=x src=http://h/a>").text
        #expect(open == "<img class=x src=i.webp style=\"background:#12ab0f content-box\">")
    }

    @Test func policyWithoutTheSiteItselfForbidsClassesToo() throws {
        let page = "<head>" + policy("style-src 'nonce-abc'") + "</head>"
        #expect(try baked(page + image).kept.counts == [KeptReason(.noPlaceholder, .policy): 1])
    }

    @Test func linkOfAnEarlierBakeIsAKnownStyleSheet() throws {
        let page = "<link rel=stylesheet href=\"imgbake/\(AddedSheet.fileName)\"><p>"
        #expect(try baked(page + image).kept.counts.isEmpty)
    }

    @Test(arguments: [
        ("/*\n  Content-Security-Policy: style-src 'self'\n", false),
        ("/*\n  X-Frame-Options: DENY\n\tcontent-security-policy : default-src 'none'\n", false),
        ("/*\n  Content-Security-Policy: style-src 'self' 'unsafe-inline'\n", true),
        ("/*\n  Content-Security-Policy-Report-Only: style-src 'self'\n", true),
        ("# Content-Security-Policy: style-src 'self'\n/*\n  X-A: b\n", true), ("", true),
    ])
    func headersFileIsRead(text: String, allows: Bool) {
        #expect(ContentPolicy(headersFile: text).allowsStyleAttributes == allows)
    }

    @Test func onlyOpaqueStillPicturesTakeOne() {
        func plan(_ header: ImageHeader) -> VariantPlan {
            planVariant(of: header, options: LoadingPlaceholder.options(for: .init()))
        }
        for format in [ImageFormat.jpeg, .png, .webp, .avif, .gif] {
            guard
                case .make(let recipe) = plan(ImageHeader(format: format, width: 800, height: 600))
            else {
                Issue.record("\(format)")
                continue
            }
            #expect(recipe.isPlaceholder && recipe.width == 16 && recipe.encoding.format == .webp)
        }
        #expect(plan(ImageHeader(format: .png, width: 8, height: 8, hasAlpha: true)) == .passOn)
        #expect(plan(ImageHeader(format: .gif, width: 8, height: 8, frameCount: 2)) == .passOn)
        #expect(plan(ImageHeader(format: .svg, width: 8, height: 8)) == .passOn)
        if case .make(let recipe) = plan(ImageHeader(format: .jpeg, width: 10, height: 9_000)) {
            #expect(recipe.width == 1)
        }
    }

    @Test func placeholderOfAWorkerIsChecked() throws {
        let header = ImageHeader(format: .jpeg, width: 800, height: 600)
        guard
            case .make(let recipe) = planVariant(
                of: header, options: LoadingPlaceholder.options(for: .init())),
            case .make(let other) = planVariant(of: header, options: VariantOptions(format: .webp))
        else { throw BrokenRule("there is no plan") }
        var made = JobResult.Variant(format: .webp, width: 16, height: 12, isSource: false)
        #expect(throws: BrokenRule.self) { try made.check(of: header, by: recipe) }
        for colour in [-1, 1 << 24, .max] {
            made.colour = colour
            #expect(throws: BrokenRule.self) { try made.check(of: header, by: recipe) }
        }
        made.colour = 0xFFFFFF
        try made.check(of: header, by: recipe)
        let size = ImageSize(width: 16, height: 12)
        try made.check(
            FileFacts(format: .webp, size: size, byteCount: 400), .picture, of: header,
            metadata: nil)
        #expect(throws: BrokenRule.self) {
            try made.check(
                FileFacts(format: .webp, size: size, byteCount: 401), .picture, of: header,
                metadata: nil)
        }
        made.width = 800
        made.height = 600
        #expect(throws: BrokenRule.self) { try made.check(of: header, by: recipe) }
        #expect(throws: BrokenRule.self) { try made.check(of: header, by: other) }
    }

    @Test(arguments: ["", "a b", "a)", "\"", String(repeating: "A", count: 537)])
    func otherTextIsNoPicture(base64: String) {
        #expect(LoadingPicture(colour: 0, base64: base64) == nil)
    }
}
