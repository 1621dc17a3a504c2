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

/// What each `<img>` of a page gets, from its attributes and the style sheets.
@Suite struct ResponsivePageTests {
    static let fluid = "<style>img { max-width: 100%; height: auto }</style>"

    func plan(
        _ text: String, sheets: [String: String] = [:],
        _ change: (inout ReadingOptions) -> Void = { _ in }
    ) -> DocumentPlan {
        var reading = ReadingOptions()
        reading.responsive.isOn = true
        reading.styles = SiteStyles(sheets: sheets.mapValues { SizingRules(Array($0.utf8)) })
        change(&reading)
        let site = Site(root: "/nowhere", displayRoot: "site", isInPlace: true, reading: reading)
        return DocumentPlan(Array(text.utf8), kind: .html, path: "a.html", site: site)
    }

    /// The page after a bake of an image of 1200 × 800 pixels with two smaller files.
    func baked(
        _ text: String, sheets: [String: String] = [:],
        _ change: (inout ReadingOptions) -> Void = { _ in }
    ) throws -> String {
        let plan = plan(text, sheets: sheets, change)
        var known: [ImageRequest: ImageOutcome] = [:]
        for request in plan.references.items.requests {
            var image = BakedImage(
                url: request.source.key, options: request.options, sourceDigest: .ofNoBytes,
                sourceByteCount: 9000, fileName: "i.webp", byteCount: 900, format: .webp,
                width: 1200, height: 800,
                original: .init(format: .png, width: 1200, height: 800))
            image.smaller = request.widths.filter { $0 < 1200 }.suffix(2).map {
                VariantFile(
                    fileName: "\($0).webp", byteCount: $0 / 10, format: .webp, width: $0,
                    height: $0 * 2 / 3)
            }
            known[request] = .baked(image, warning: nil)
        }
        let result = try BakedReferences(of: plan, outcomes: known).rewritten()
        return String(decoding: result.bytes ?? plan.bytes, as: UTF8.self)
            .replacing("imgbake/", with: "")
    }

    let sources = "srcset=\"640.webp 640w, 960.webp 960w, i.webp 1200w\""

    @Test func widthKeepsTheBoxOfAnImageThatMayBeNarrower() throws {
        #expect(
            try baked(Self.fluid + "<img src=http://h/a alt=x>")
                == Self.fluid + "<img src=i.webp width=\"1200\" height=\"800\" \(sources) "
                + "sizes=\"(max-width: 1200px) 100vw, 1200px\" decoding=\"async\" alt=x>")
    }

    @Test func offByDefault() throws {
        let text = Self.fluid + "<img src=http://h/a>"
        #expect(
            try baked(text) { $0.responsive = ResponsiveOptions() }
                == Self.fluid + "<img src=i.webp>")
    }

    @Test func imagesAfterTheSecondLoadLazily() throws {
        let image = "<img src=http://h/a decoding=sync>"
        let done = "<img src=i.webp decoding=sync>"
        let lazy = "<img src=i.webp loading=\"lazy\" decoding=sync>"
        #expect(try baked(image + image + image) == done + done + lazy)
        #expect(
            try baked(image + image + "<img src=http://h/a fetchpriority=High decoding=async>")
                == done + done + "<img src=i.webp fetchpriority=High decoding=async>")
        #expect(
            try baked(image + image + "<img src=http://h/a loading=eager decoding=async>")
                == done + done + "<img src=i.webp loading=eager decoding=async>")
        #expect(
            try baked(image + image + image) { $0.responsive.loadsLazily = false } == done + done
                + done)
    }

    @Test func widthAttributeDecidesTheWidths() throws {
        let text = "<img src=http://h/a width=300>"
        #expect(plan(text).references.items.requests.map(\.widths) == [[300, 600, 900]])
        #expect(
            try baked(text)
                == "<img src=i.webp srcset=\"600.webp 600w, 900.webp 900w\" sizes=\"300px\" "
                + "decoding=\"async\" width=300>")
        #expect(
            plan(Self.fluid + text).references.items.requests.map(\.widths)
                == [[300, 320, 480, 600, 640, 900]])
        #expect(
            try baked(Self.fluid + text).contains("sizes=\"(max-width: 300px) 100vw, 300px\""))
    }

    @Test func autoNeedsLazyLoadingAndTheRatioOfTheImage() throws {
        func sizes(_ attributes: String) throws -> Bool {
            try baked("<style>img { max-width: 100% }</style><img src=http://h/a \(attributes)>")
                .contains("sizes=\"auto, ")
        }
        #expect(try sizes("width=600 height=400 loading=lazy"))
        #expect(try !sizes("width=600 height=400"))
        #expect(try !sizes("width=600 loading=lazy"))
        #expect(try !sizes("width=600 height=401 loading=lazy"))
        #expect(try !sizes("width=600 height=400 loading=lazy style='aspect-ratio: 1'"))
        #expect(try !sizes("width=600 height=400 loading=lazy style='object-fit: cover'"))
    }

    /// The style sheets with which the height of every image follows from its width.
    @Test(arguments: [
        "<style>img { max-width: 100%; height: auto }</style>",
        "<style type=text/css media=all>p img, * { height: auto!important }</style>",
        "<style>@layer base { img, video { max-width: 100%; height: auto } }</style>",
        "<link rel=stylesheet href=s.css>",
    ])
    func heightKeepsThePlaceOfAnImage(styles: String) throws {
        let page = styles + "<style>img { max-width: 100%; min-height: 0 }</style><p>"
        let size = "width=\"1200\" height=\"800\""
        let sheets = ["s.css": "img { max-width: 100%; height: auto }"]
        func image(_ attributes: String = "") throws -> String {
            try baked(page + "<img src=http://h/a \(attributes)>", sheets: sheets)
        }
        #expect(try image().contains(" \(size) srcset"))
        #expect(try image("loading=lazy").contains(" sizes=\"auto, (max-width: 1200px) 100vw"))
        #expect(try image("width=100").contains(" height=\"67\" srcset"))
        #expect(try image("width=600 loading=lazy").contains(" sizes=\"auto, (max-width: 600px)"))
        #expect(try !image("width=100 loading=lazy").contains(" sizes=\"auto"))
        #expect(try !image("height=9").contains(" srcset"))
        #expect(try !image("width=600 style='aspect-ratio: 1'").contains(" height=\"400\""))
    }

    /// Those that may leave the height as it is in the attribute.
    @Test(arguments: [
        "<style>@media screen { img { height: auto } }</style>",
        "<style>@supports (a: b) { img { height: auto } }</style>",
        "<style>img:not(.x) { height: auto }</style>", "<style>.c img { height: auto }</style>",
        "<style>img, :x { height: auto }</style>", "<style>img, { height: auto }</style>",
        "<style>@namespace 's'; img { height: auto }</style>",
        "<style>svg|img { height: auto }</style>", "<style>a img { height: auto }</style>",
        "<style>img { height: auto auto }</style>", "<style>img { -x-height: auto }</style>",
        "<style>div { img { height: auto } }</style>", "<style>@import 's.css';</style>",
        "<style media=print>img { height: auto }</style>",
        "<style title=x>img { height: auto }</style>",
        "<noscript><style>img { height: auto }</style></noscript>",
        "<template><style>img { height: auto }</style></template>",
        "<svg><style>img { height: auto }</style></svg>",
        "<meta http-equiv=content-security-policy content='style-src a.example'>"
            + "<style>img { height: auto }</style>",
        "<link rel=stylesheet media=print href=s.css>",
        "<link rel='alternate stylesheet' href=s.css>",
        "<link rel=stylesheet disabled href=s.css>", "<link rel=preload as=style href=s.css>",
    ])
    func heightIsNotAddedWhereItMayCount(styles: String) throws {
        let page = "<style>img { max-width: 100% }</style>\(styles)<p class=c><img src=http://h/a>"
        let result = try baked(page, sheets: ["s.css": "img { max-width: 100%; height: auto }"])
        #expect(result.contains(" width=\"1200\" srcset"))
    }

    @Test(arguments: [
        "", "<style>img { width: 100% }</style>", "<style>img { width: auto }</style>",
        "<style>* { max-width: 100% } img { height: 40px }</style>",
        "<style>img { max-width: 100%; max-height: 50vh }</style>",
        "<style>p { display: flex } img { max-width: 100% }</style>",
        "<style>p { display: contents } img { max-width: 100% }</style>",
        "<style>p { display: var(--x) } img { max-width: 100% }</style>",
        "<style>* { box-sizing: border-box } img { max-width: 100%; padding: 1px }</style>",
        "<style>img { max-width: max-content }</style>",
        "<style>img { max-width: 100% } @media print { p > img { width: 3cm } }</style>",
        "<style>p { img { max-width: 100%; height: 3px } }</style>",
        "<style>p { .x &, & img { max-width: 100%; height: 3px } }</style>",
        "<style>img { max-width: 100% }</style><link rel=stylesheet href=https://h/s.css>",
        "<style>img { max-width: 100% }</style><link rel=stylesheet href=missing.css>",
        "<style>img { max-width: 100% } @import 'https://h/s.css';</style>",
        "<style>@import 'https://h/s.css'; img { max-width: 100% }</style>",
        "<style>img { max-width: 100%; object-fit: none }</style>",
        "<style>img { max-width: 100% }</style>"
            + "<svg><style><![CDATA[ img { width: 10px } ]]></style></svg>",
        "<style>img { max-width: 100% }</style>"
            + "<svg><style>img <!-- x -->{<![CDATA[ width: ]]>10px }</style></svg>",
        "<style>img { max-width: 100% }</style>"
            + "<svg><style>p &gt; img { width: 10px }</style></svg>",
        "<style>img { max-width: 100% }</style><p><template shadowrootmode=open>"
            + "<div style='display: flex'><slot></slot></div></template></p>",
        "<style>img { max-width: 100% }</style><div><template shadowrootmode=open>"
            + "<style>::slotted(img) { width: 9px }</style><slot></slot></template></div>",
    ])
    func imageWhoseBoxMayChangeKeepsOneFile(styles: String) throws {
        let text = styles + "<p><img src=http://h/a decoding=sync></p>"
        #expect(try baked(text) == text.replacing("http://h/a", with: "i.webp"))
    }

    @Test(arguments: [
        "<style>.x img { width: 3px } img { max-width: 100% }</style>",
        "<style>#x, a img, img.y, p img + b { width: 3px } img { max-width: 100% }</style>",
        "<style>img::before { width: 3px } img { max-width: 100%; min-height: 0 }</style>",
        "<style>div { display: flex } body { display: grid } img { max-width: 100% }</style>",
        "<style>* { box-sizing: border-box; padding: 0 } img { max-width: 100%; border: 0 }</style>",
        "<style>@media (max-width: 9px) { p { img { max-width: 50% } } }</style>",
        "<style>@font-face { width: 3px } @keyframes x { to { width: 3px } } "
            + "img { max-width: 100%; max-height: none; object-fit: cover }</style>",
        "<style>img { max-width: 100% }</style>"
            + "<link rel=stylesheet href='https://fonts.googleapis.com/css?family=X'>",
        "<link rel=stylesheet href='/css/s.css?v=3'>",
        "<style>img { max-width: 100% }</style>"
            + "<svg><style><![CDATA[ p > b { width: 10px } ]]></style></svg>",
    ])
    func imageWhoseBoxStaysGetsSeveralFiles(styles: String) throws {
        let sheets = [
            "css/s.css": "@import url(t.css); svg[width] { height: 3px }",
            "css/t.css": "img { max-width: 100%; height: auto }",
        ]
        let text = styles + "<p><img src=http://h/a></p>"
        #expect(try baked(text, sheets: sheets).contains(" width=\"1200\" \(sources) sizes="))
    }

    @Test(arguments: [
        "<picture><img src=http://h/a></picture>", "<img src=http://h/a srcset=''>",
        "<img src=http://h/a srcset='http://h/b 2x'>", "<img src=http://h/a data-src=http://h/b>",
        "<img src=http://h/a data-imgbake-widths=off>", "<input type=image src=http://h/a>",
        "<video poster=http://h/a></video>", "<p style='background: url(http://h/a)'></p>",
        "<link rel=icon href=http://h/a>",
    ])
    func otherElementsStayAsTheyAre(text: String) throws {
        let result = try baked(Self.fluid + text)
        #expect(!result.contains("decoding") && !result.contains(sources))
    }

    @Test func attributeThatAStyleSheetAsksForIsNotAdded() throws {
        let text = "<style>img { max-width: 100% } a img[loading=lazy] { opacity: 0 }</style>"
        #expect(
            try baked(text + "<a><img src=http://h/a></a>") == text + "<a><img src=i.webp></a>")
        #expect(try baked(text + "<img src=http://h/a>").contains(sources))
    }

    @Test(arguments: [
        "img[src$='.png'] { opacity: 0 }", "p:has(> img[srcset]) { margin: 0 }",
        "img:not([width]) + b { margin: 0 }", "img[height] { margin: 0 }",
        "img[loading] ~ b::before { content: 'x' }",
    ])
    func imageThatAStyleSheetSelectsByAnAttributeKeepsOneFile(rule: String) throws {
        let text = "<style>img { max-width: 100% } \(rule)</style><p><img src=http://h/a><b>x</b>"
        #expect(try baked(text) == text.replacing("http://h/a", with: "i.webp"))
        #expect(plan(text).references.items.first?.responsive?.missing.map(\.cause) == [.selector])
    }

    @Test func fragmentThatAStyleSheetAsksForStays() throws {
        let text = Self.fluid + "<style>img[src$='#left'] { float: left }</style>"
        let page = try baked(text + "<img src=http://h/a#left>")
        #expect(page.contains("src=i.webp#left ") && page.contains(sources))
    }

    @Test(arguments: [
        "<link rel=preload as=image href=FILE><img src=FILE><img src=FILE>",
        "<link rel=prefetch as=image href=FILE><img src=FILE>",
        "<link rel=preload as=image href=FILE imagesizes=9px><img src=FILE>",
        "<link rel=preload as=image href=FILE><img src=FILE><p style='background: url(FILE)'>",
        "<img src=FILE><link rel=preload as=image imagesizes=50vw imagesrcset='FILE 1200w'>",
        "<link rel=preload as=image href=FILE><img sizes=50vw srcset='FILE 1200w'>",
    ])
    func imageThatIsPreloadedGetsNoOtherFile(text: String) throws {
        let page = Self.fluid + text
        let plan = plan(page.replacing("FILE", with: "http://h/a"))
        #expect(plan.references.items.requests.map(\.widths) == [[]])
        #expect(
            try baked(page.replacing("FILE", with: "http://h/a"))
                == page.replacing("FILE", with: "i.webp"))
    }

    @Test func preloadGetsTheFilesOfItsImage() throws {
        let link = "<link rel=preload as=image href=http://h/a type=image/webp>"
        let image = "<img decoding=sync loading=lazy src=http://h/a>"
        let set = sources.replacing(/^srcset/, with: "imagesrcset")
        let page = try baked(Self.fluid + link + link + image)
        let sizes = "sizes=\"(max-width: 1200px) 100vw, 1200px\""
        let written =
            "<link rel=preload as=image href=i.webp \(set) image\(sizes) type=image/webp>"
        #expect(
            page == Self.fluid + written + written
                + "<img decoding=sync loading=lazy src=i.webp width=\"1200\" height=\"800\" "
                + "\(sources) \(sizes)>")
        let stated = try baked(link + "<img decoding=sync sizes='50vw' src=http://h/a>")
        #expect(stated.contains("href=i.webp \(set) imagesizes=\"50vw\" type"))
        // One file is enough, so the link has only one too.
        #expect(try baked(link + image) == (link + image).replacing("http://h/a", with: "i.webp"))
    }

    @Test func preloadedImageIsNotMadeLazyAndKeepsOneFormat() throws {
        let text =
            "<link rel=preload as=image href=http://h/a>"
            + "<img src=http://h/b><img src=http://h/c><img sizes=9px src=http://h/a>"
        let plan = plan(text) { $0.responsive.formats = [.avif] }
        let last = try #require(plan.references.items.last)
        #expect(last.responsive?.loadsLazily == false && last.request.formats.isEmpty)
        #expect(last.responsive?.missing == [KeptReason(.noPicture, .preloaded)])
        #expect(!last.request.widths.isEmpty)
    }

    @Test func authorStatesTheWidth() throws {
        #expect(
            try baked("<img sizes=50vw src=http://h/a decoding=sync>")
                == "<img sizes=50vw src=i.webp width=\"1200\" \(sources) decoding=sync>")
        let control = "data-imgbake-widths='960 640' data-imgbake-sizes='(width > 3em) 9px, 50vw'"
        #expect(
            try baked("<img src=http://h/a \(control) decoding=sync>")
                == "<img src=i.webp width=\"1200\" \(sources) "
                + "sizes=\"(width > 3em) 9px, 50vw\" decoding=sync>")
    }

    /// Without a `srcset`, `sizes` has no effect, so the box must not begin to follow it.
    @Test(arguments: [
        "<style>img { max-width: 100%; width: auto }</style><img sizes=100vw src=http://h/a>",
        "<style>img { width: auto }</style><img width=300 sizes=100vw src=http://h/a>",
        "<style>img { max-height: 90vh }</style><img sizes=50vw src=http://h/a>",
        "<link rel=stylesheet href=//cdn/a.css><img sizes=50vw src=http://h/a>",
    ])
    func sizesOfTheAuthorDoNotChangeTheBox(text: String) throws {
        #expect(try !baked(text).contains("srcset"))
    }

    /// A script in the tag would set a `src` that a `srcset` hides.
    @Test(arguments: [
        "onerror=\"this.src='none.png'\"", "ONMOUSEOVER='src=&quot;b.png&quot;'",
        "onclick=\"this.setAttribute('src', 'b.png')\"", "usemap=#m", "ismap",
    ])
    func imageWithScriptOrAreasKeepsOneFile(attribute: String) throws {
        let text = Self.fluid + "<img src=http://h/a \(attribute)>"
        #expect(try baked(text) == text.replacing("http://h/a", with: "i.webp"))
    }

    @Test(arguments: [
        "<script>document.getElementById(\"hero\").src = 'b.png'</script>",
        "<script>document.querySelector('#Hero').setAttribute( 'src' , url)</script>",
        "<script>$('.wide-one').attr(\"src\", url)</script>",
        "<script>document.querySelector('p .Wide-One').srcset=''</script>",
        "<script>hero[`src`] = url</script>", "<script>hero.src\n+= '?2'</script>",
        "<button onclick=\"hero.src=&quot;b.png&quot;\">x</button>",
        "<svg><script><![CDATA[ hero.src = url ]]></script></svg>",
        "<script>document.cover.src = url</script>",
        "<script>document.images['Cover'].src = url</script>",
        "<script>document.getElementsByName(\"Cover\")[0].src = url</script>",
        "<script>$('#hero').attr({src: url})</script>",
        "<script>$('#hero').attr({ alt: '',\n // The new one.\n src : url })</script>",
        "<script>Object.assign(hero, {\"srcset\": ''})</script>",
        "<script>Object.assign(hero, {alt, src})</script>",
        "<script>hero.getAttributeNode( 'src' ).value = url</script>",
        "<script>hero.getAttributeNodeNS(null, 'src').value = url</script>",
        "<script>hero.attributes.src.value = url</script>",
        "<script>hero.setAttribute('SRC', url)</script>",
        "<a href='javascript:hero.src=url'>x</a>",
        "<a href=' java&#10;Script:hero.src%20%3D%20url'>x</a>",
        "<button formaction='javascript:hero.src=url'>x</button>",
        // What a script does with a `src` is not read.
        "<script>if (hero.src == '') f(Cover.getAttribute('src'))</script>",
    ])
    func imageThatAScriptNamesKeepsOneFile(script: String) throws {
        let image = "<img id=hero name=Cover class='x Wide-One' src=http://h/a>"
        for text in [Self.fluid + script + image, Self.fluid + image + script] {
            #expect(try baked(text) == text.replacing("http://h/a", with: "i.webp"))
            #expect(
                plan(text).references.items.first?.responsive?.missing.map(\.cause) == [.script])
        }
    }

    @Test(arguments: [
        "<script>other.src = 'b.png'; heroes(); hero_2()</script>",
        "<script>hero.hidden = true</script>", "<button onclick='hero.hidden=true'>x</button>",
        "<script src=/js/hero.js></script>", "<a href='/?hero.src=1'>x</a>",
        "<script>hero.load('img-src: c', source)</script>",
    ])
    func imageThatNoScriptChangesGetsSeveralFiles(script: String) throws {
        #expect(try baked(Self.fluid + script + "<img id=hero src=http://h/a>").contains(sources))
    }

    @Test func statedWidthCountsWhereTheStyleSheetGivesAnother() throws {
        let styles = "<style>img { width: 100% }</style>"
        #expect(
            try baked(styles + "<img src=http://h/a data-imgbake-sizes=90vw decoding=sync>")
                .contains("<img src=i.webp \(sources) sizes=\"90vw\" decoding=sync>"))
    }

    @Test(arguments: [
        "data-imgbake-widths=x", "data-imgbake-widths=0", "data-imgbake-widths=16384",
        "data-imgbake-widths=''", "data-imgbake-sizes=50%",
        "data-imgbake-widths='1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17'",
    ])
    func invalidControlIsNamed(control: String) {
        let references = plan("<img src=http://h/a \(control)>").references
        #expect(references.invalidControls.map(\.problem.code) == [.invalidControl])
        #expect(references.items.isEmpty)
    }

    @Test func hostilePageEndsSoon() throws {
        let rules = (0..<20_000).map { ".c\($0) .d img { width: 3px }" }.joined(separator: "\n")
        let images = (0..<3_000).map { "<p><img class=x\($0) src=http://h/a></p>" }.joined()
        let text = "<style>img { max-width: 100% } \(rules)</style>" + images
        let widths = plan(text).references.items.map(\.request.widths)
        #expect(widths.first?.isEmpty == false)
        #expect(widths.last == [])
    }

    @Test(arguments: [
        ("<img sizes=9px srcset='http://h/a 1600w'>", [true]),
        ("<img sizes=9px srcset='http://h/a 1600w, http://h/b 400w'>", [true, false]),
        ("<img sizes=9px srcset='http://h/a 9w'>", [false]), ("<img src=http://h/a>", [false]),
        ("<img sizes=9px data-imgbake-widths=off srcset='http://h/a 1600w'>", [false]),
    ])
    func widestCandidateCompletesItsSet(text: String, completes: [Bool]) {
        let items = plan(text).references.items
        #expect(items.map(\.completesSet) == completes)
    }

    @Test func bakedImageStaysAsItIs() throws {
        let text = Self.fluid + "<img srcset=\"imgbake/a.webp 3w\" src=imgbake/b.webp>"
        #expect(try baked(text) == text.replacing("imgbake/", with: ""))
    }
}
