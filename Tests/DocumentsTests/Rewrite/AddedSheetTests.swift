import DocumentSyntax
import StyleSizing
import Testing

@testable import Documents

/// Classes that stand for `style` attributes, and the link to their style sheet.
@Suite struct AddedSheetTests {
    private var options: ExtractionOptions {
        var options = ExtractionOptions()
        options.describesImages = true
        return options
    }

    private let url = "i&/imgbake-0123456789abcdef.css"
    private let link = "<link rel=\"stylesheet\" href=\"i&amp;/imgbake-0123456789abcdef.css\">"

    private func rewritten(_ text: String, isInPicture: Bool = false) throws -> Rewrite {
        var added = Replacement.Responsive()
        added.className = AddedSheet.colourClass(0x3366FF)
        if isInPicture {
            var source = Replacement.Responsive.Source(
                mediaType: "image/avif", candidates: [.init(url: "n.avif", width: nil)])
            source.isStyledByClass = true
            added.sources = [source]
        }
        let bytes = Array(text.utf8)
        let extraction = extract(bytes, kind: .html, options: options)
        let replacements = extraction.references.map { reference in
            var replacement = Replacement(
                reference: reference, url: "n.webp",
                responsive: reference.image == nil ? nil : added)
            if replacement.usesClasses { replacement.sheet = url }
            return replacement
        }
        return try rewrite(bytes, extraction: extraction, replacements: replacements)
    }

    private func text(_ rewrite: Rewrite) -> String {
        String(decoding: rewrite.bytes, as: UTF8.self)
    }

    @Test func sheetHasEachColour() {
        let lines = AddedSheet.text.split(separator: "\n")
        #expect(Set(lines).count == 2 + 6 * 6 * 6)
        for colour in stride(from: 0, through: 0xFF_FFFF, by: 0x01_0307) {
            let name = AddedSheet.colourClass(colour)
            #expect(AddedSheet.isColourClass(name.utf8))
            let digits = name.suffix(3)
            #expect(lines.contains(".\(name){background:#\(digits) content-box}"))
            for (digit, shift) in zip(digits, [16, 8, 0]) {
                let value = (digit.hexDigitValue ?? 0) * 17
                #expect(abs(value - colour >> shift & 0xFF) <= 25, "\(name), \(colour)")
            }
        }
        for other in ["", "imgbake-c", "imgbake-c0000", "imgbake-c001", "imgbake-picture", "x"] {
            #expect(!AddedSheet.isColourClass(other.utf8))
        }
    }

    /// Documents whose images are `@`, and the place of the link is `^`.
    @Test(arguments: [
        "<head>^</head>@", "<!doctype html><html><head><title>x</title>\n^</head>\n<body>@@</body>",
        "\u{FEFF}<title>x</title>^</HEAD><p>@", "<meta charset=utf-8>^</head>@<!-- </head> -->",
        "<head><link rel=icon href='n.webp'><style>p { background: url(n.webp) }</style>^</head>@",
        "<head><link rel=\"stylesheet\" href=\"imgbake-0123456789abcdef.css\">\n^</head>@",
        "<head><template>@</template>^</head>", "<head><script>'</head>'</script>^</head>@</head>",
    ])
    func linkStandsAtTheEndOfTheHead(document: String) throws {
        func page(_ link: String, _ image: String) -> String {
            document.replacing("^", with: link).replacing("@", with: image)
        }
        let image = "<img src=n.webp class=\"imgbake-c36f\" alt=x>"
        let source = page("", "<img src=a alt=x>")
        let result = try rewritten(source)
        #expect(text(result) == page(link, image))
        #expect(apply(result.edits.splices, to: Array(source.utf8)) == result.bytes)
        let again = try rewritten(text(result))
        #expect(text(again) == text(result))
        let more = page(link, image + "<img src=a alt=x>")
        #expect(text(try rewritten(more)) == page(link, image + image))
    }

    @Test(arguments: [
        "<img src=a>", "<head><title>x</title><p><img src=a>", "<p></head><img src=a>",
        "<head></head ><img src=a>", "<head><noscript></head></noscript><img src=a>",
        "<head></header><img src=a>", "---\nx: y\n---\n<head></head><img src=a>",
    ])
    func otherDocumentsHaveNoPlaceForIt(document: String) {
        let extraction = extract(Array(document.utf8), kind: .html, options: options)
        #expect(extraction.headEnd == nil)
    }

    @Test func linkOfAnEarlierRewriteIsKnown() throws {
        func sheet(_ text: String) -> String? {
            extract(Array(text.utf8), kind: .html, options: options).headEnd?.sheet
        }
        #expect(sheet("<head>\(link)</head>") == "i&amp;/imgbake-0123456789abcdef.css")
        for other in [
            link + " ", link.replacing("abcdef", with: "abcde"), link.uppercased(),
            link.replacing("\"", with: "'"), link.replacing("i&", with: "i\" x=\""),
        ] {
            #expect(sheet("<head>\(other)</head>") == nil)
        }
        let page = "<head>\(link)</head><link rel=stylesheet href=x.css>"
        let styles = extract(Array(page.utf8), kind: .html, options: options).styles
        #expect(styles?.links.map(\.url) == ["x.css"])
    }

    @Test func linkIsAnEditOfItsOwn() throws {
        let result = try rewritten("<head></head><img src=a><img src=b>")
        #expect(result.edits.map(\.splices.count) == [1, 2, 2])
        #expect(result.edits.map(\.images.count) == [0, 1, 1])
        #expect(result.edits.map(\.smaller) == [[url], [url], [url]])
    }

    @Test func picturesAndSourcesHaveClassesToo() throws {
        let baked =
            "<picture class=\"imgbake-picture\"><source class=\"imgbake-source\" "
            + "type=\"image/avif\" srcset=\"n.avif\">"
            + "<img src=n.webp class=\"imgbake-c36f\"></picture>"
        let result = try rewritten("<head></head><img src=a><p><img src=b>", isInPicture: true)
        #expect(text(result) == "<head>\(link)</head>\(baked)<p>\(baked)")
        let again = try rewritten(text(result))
        #expect(text(again) == text(result).replacing("n.avif", with: "n.webp"))
    }

    @Test func sourceOfTheAuthorsPictureHasAClassToo() throws {
        let page = "<head></head><picture><img src=\"a\"></picture>"
        let extraction = extract(Array(page.utf8), kind: .html, options: options)
        var source = Replacement.Responsive.Source(
            mediaType: "image/avif", candidates: [.init(url: "n.avif", width: nil)])
        source.isStyledByClass = true
        var replacement = Replacement(
            reference: try #require(extraction.references.first), url: "n.jpg", sources: [source])
        #expect(replacement.usesClasses)
        replacement.sheet = url
        let result = try rewrite(
            Array(page.utf8), extraction: extraction, replacements: [replacement])
        #expect(
            text(result) == "<head>\(link)</head><picture><source class=\"imgbake-source\" "
                + "type=\"image/avif\" srcset=\"n.avif\"><img src=\"n.jpg\"></picture>")
    }

    /// A policy, the URLs of a style sheet and of the site, and whether the style sheet applies.
    private static let policies: [(String, String, String?, Bool)] = [
        ("style-src 'self'", "i/s.css", nil, true), ("default-src 'self'", "/i/s.css", nil, true),
        ("default-src 'none'", "i/s.css", nil, false), ("style-src *", "i/s.css", nil, true),
        ("style-src 'nonce-a' 'sha256-b'", "i/s.css", nil, false),
        ("style-src https:", "i/s.css", nil, false),
        ("style-src https:", "i/s.css", "https://h.org/x/", true),
        ("style-src https:", "i/s.css", "http://h.org/x/", false),
        ("style-src H.ORG", "i/s.css", "https://h.org/x/", true),
        ("style-src https://h.org/", "https://h.org/i/s.css", nil, true),
        ("style-src https://h.org/css/", "https://h.org/css/s.css", nil, false),
        ("style-src *.h.org", "https://a.h.org/s.css", nil, true),
        ("style-src *.h.org", "https://h.org/s.css", nil, false),
        ("style-src 'self'", "https://cdn/s.css", "https://h.org/", false),
        ("style-src 'self'", "https://h.org/s.css", "https://h.org/", true),
        ("style-src 'self'", "//h.org/s.css", "https://h.org/", false),
        ("style-src 'self', style-src 'none'", "i/s.css", nil, false),
        ("style-src-elem 'none'; style-src 'self'", "i/s.css", nil, false),
        ("style-src-attr 'none'; style-src 'self' 'unsafe-inline'", "i/s.css", nil, true),
    ]

    @Test(arguments: policies)
    func policyDecidesAboutTheSheet(policy: String, url: String, site: String?, allows: Bool) {
        var read = ContentPolicy(policy)
        #expect(!read.allowsStyleAttributes)
        #expect(read.allowsSheet(at: url, of: site) == allows)
        read.add(ContentPolicy("default-src 'none'"))
        #expect(!read.allowsSheet(at: url, of: site))
    }

    @Test(arguments: [
        "img[class]", "img:not([class])", "[class]", ":not([class]) + p", "[class^=imgbake]",
        "[class*='C' i]", "[class$='f']", ".x:has([class]) p", "p > :nth-child(2 of [class])",
        "link", "head > :last-child", "head *", ":root:has(link) p", "html:has(:last-child) p",
        ":has([href]) p", "p:is(head *)",
    ])
    func selectorMayNoticeClasses(selector: String) {
        let rules = SizingRules(Array("\(selector) { color: red }".utf8))
        #expect(rules.mayNoticeClasses)
    }

    @Test(arguments: [
        "img", "*", "a[class]", "ul[class] > li", "a:not([class])", ".hero[class]", "head",
        "[class*='col-']", "[class^=icon-], [class*=' icon-']", "img[class=wide]", "[class='']",
        "html:has(.open) p", "html:has([data-x]) p", "body:has(> :last-child)", ".x:has(> img) p",
        "p > :nth-child(2 of .x)", "img[loading]",
    ])
    func selectorDoesNotNoticeClasses(selector: String) {
        let rules = SizingRules(Array("\(selector) { color: red }".utf8))
        #expect(!rules.mayNoticeClasses)
    }

    @Test func nestedSelectorsAreJoinedBefore() {
        func mayNotice(_ css: String) -> Bool { SizingRules(Array(css.utf8)).mayNoticeClasses }
        #expect(mayNotice("img { &[class] { color: red } }"))
        #expect(!mayNotice("a { &[class] { color: red } }"))
    }
}
