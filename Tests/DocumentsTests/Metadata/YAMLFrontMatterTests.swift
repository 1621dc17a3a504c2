import DocumentSyntax
import Documents
import Testing

@Suite(.timeLimit(.minutes(10)))
struct YAMLFrontMatterTests {
    @Test(arguments: [
        "image: ⟦http://h/a.png⟧",
        "image: '⟦http://h/a.png⟧'",
        "image: \"⟦http://h/a.png⟧\"",
        "image:   ⟦http://h/a.png⟧   # http://h/no.png",
        "title: x\nimage:\n  ⟦http://h/a.png⟧\ntags: [a, b]",
        "images: [⟦http://h/a.png⟧, '⟦http://h/b.png⟧', \"⟦//h/c.png⟧\"]",
        "images:\n- ⟦http://h/a.png⟧\n- \"⟦http://h/b.png⟧\"",
        "images:\n  - src: ⟦http://h/a.png⟧\n    alt: http://h/no.png\n  - {url: '⟦http://h/b.png⟧'}",
        "cover: {image: \"⟦http://h/a.png⟧\", alt: x, relative: false}",
        "cover:\n    image: ⟦http://h/a.png⟧\n    caption: \"x: http://h/no.png\"",
        "params:\n  deep:\n    - more:\n        - avatar: ⟦http://h/a.png⟧",
        "a: b\n? image\n: ⟦http://h/a.png⟧",
        "\"image\": ⟦http://h/a.png⟧\n'logo' : ⟦http://h/b.png⟧",
        "image: !!str ⟦http://h/a.png⟧\nlogo: &b '⟦http://h/b.png⟧'\nhero: &c !!str ⟦/c.png⟧",
        "é: é\n\"日本\": {logo: ⟦http://h/日本.png⟧, é: é, hero: ⟦http://h/b.png⟧}",
        "a: \"\u{2028}\"\nb: \"\u{85}\"\nimage: ⟦http://h/a.png⟧",
        "a: \"😀 \t 😀\"\nx: {\ty: 😀,\timage: \"⟦http://h/a.png⟧\"}",
        "body: |\n  image: http://h/no.png\nimage: ⟦http://h/a.png⟧",
        "text: \"a\n  image: http://h/no.png\n  b\"\nimage: ⟦http://h/a.png⟧",
        "# image: http://h/no.png\nimage: ⟦http://h/a.png⟧",
        "image: ⟦a.png⟧\nlogo: ⟦/img/logo⟧\nhero: ⟦img/b.webp?x#y⟧",
        "image: \" ⟦http://h/a b.png⟧ \"",
        "image: ⟦http://h/a.png?x=1&y=2#z⟧",
    ])
    func findsScalars(yaml: String) {
        expectReferences("---\n\(yaml)\n---\ntext", .markdown)
        expectReferences("---\n\(yaml)\n...\n![x](⟦x.png⟧)", .mdx)
        expectReferences("\u{FEFF}---yaml\n\(yaml)\n---\n", .markdown)
        let crlf = yaml.replacing("\n", with: "\r\n")
        expectReferences("---\r\n\(crlf)\r\n---\r\n![x](⟦x.png⟧)", .markdown)
    }

    @Test(arguments: [
        "image", "images", "cover", "thumbnail", "banner", "featured_image", "featured-image",
        "featuredImage", "og_image", "og-image", "ogImage", "hero", "logo", "avatar", "poster",
        "Image", "heroImage", "coverImage", "feature_image",
    ])
    func recognisesImageKey(key: String) throws {
        let text = "---\nx:\n  - \(key): ⟦http://h/a.png⟧\n---\n"
        expectReferences(text, .markdown)
        let reference = try #require(extract(Marked(text).bytes, kind: .markdown).references.first)
        #expect(reference.kind == .frontMatter(key: "x.\(key)"))
        #expect(reference.form == .rooted)
    }

    @Test(arguments: [
        "title: http://h/a.png", "image: Sunset", "image: a/b is a path", "image:", "image: ''",
        "image: true", "image: {alt: http://h/a.png}", "image: {{ site.logo }}.png",
        "image: \"{{ site.url }}/a.png\"", "imagery: http://h/a.png", "image: <%= x %>/a.png",
        "header: {drawing: http://h/a.png}", "image: {url: {src: {alt: http://h/a.png}}}",
        "http://h/a.png: image", "image: [", "image: *none",
    ])
    func ignoresOtherValues(yaml: String) {
        expectReferences("---\ntitle: x\n\(yaml)\n---\n![x](⟦x.png⟧)", .markdown)
    }

    @Test(arguments: [
        ("image: '⟦http://h/it''s.png⟧'", "http://h/it's.png"),
        ("image: \"⟦http:\\/\\/h/\\x61\\u00e9\\U0001F600.png⟧\"", "http://h/aé😀.png"),
        ("image: \"⟦http://h/a\\\"b.png⟧\"", "http://h/a\"b.png"),
    ])
    func decodesEscapes(yaml: String, url: String) {
        expectReferences("---\n\(yaml)\n---\n", .markdown, urls: [url])
    }

    @Test func keepsQuotationMarks() {
        let text =
            "---\nimage: a.png\nlogo: 'a.png'\nhero: \"a.png\"\nimages: [a.png, b.png]\n---\n"
        let url = "/i/it's [1],{2}: \"x\"\\.png"
        let written = "/i/it%27s%20%5B1%5D%2C%7B2%7D:%20%22x%22%5C.png"
        #expect(
            replaceAll(text, .markdown, with: Array(repeating: url, count: 5))
                == "---\nimage: \(written)\nlogo: '\(written)'\nhero: \"\(written)\"\n"
                + "images: [\(written), \(written)]\n---\n")
    }

    @Test(arguments: [
        ("image: |\n  http://h/a.png", "http://h/a.png\n"),
        ("image: >-\n  http://h/a.png", "http://h/a.png"),
        ("image: http://h/a\n  b.png", "http://h/a b.png"),
        ("image: \"http://h/a\n  b.png\"", "http://h/a b.png"),
        ("image: \"http://h/a\\\n  b.png\"", "http://h/ab.png"),
        ("image: 'http://h/a\n\n  b.png'", "http://h/a\nb.png"),
        ("image: &x http://h/a.png\nlink: *x", "http://h/a.png"),
        ("link: &x http://h/a.png\nimage: *x", "http://h/a.png"),
        ("image: &x\n  http://h/a.png", "http://h/a.png"),
        ("image: //h/a\n  .png", "//h/a .png"),
    ])
    func refusesImagesThatCannotBeReplaced(yaml: String, url: String) throws {
        let text = "---\n\(yaml)\n---\n"
        let extraction = extract(Array(text.utf8), kind: .markdown)
        #expect(extraction.references.isEmpty)
        let problem = try #require(extraction.problems.first)
        #expect(extraction.problems.count == 1)
        #expect(problem.url == url)
        #expect(problem.reason == .placeUncertain)
        let line = positions(of: [problem.offset], in: Array(text.utf8))[0].line
        #expect((2...3).contains(line))
    }

    @Test(arguments: ["image: |\n  text", "image: a\n  b.png", "image: |\n  a.png"])
    func ignoresLocalImagesThatCannotBeReplaced(yaml: String) {
        expectReferences("---\n\(yaml)\n---\n", .markdown)
    }

    @Test(arguments: [
        "image: &x ⟦http://h/a.png⟧\nlogo: *x",
        "base: &b\n  image: ⟦http://h/a.png⟧\nfirst:\n  <<: *b\nsecond: *b",
    ])
    func readsAliasAsTheSameImage(yaml: String) {
        expectReferences("---\n\(yaml)\n---\n", .markdown)
    }

    @Test func findsConfiguredKeys() throws {
        let text = Marked(
            "---\nheader:\n  drawing: ⟦http://h/a.png⟧\n  other: http://h/b.png\n"
                + "items:\n- sketch: {src: '⟦http://h/c.png⟧'}\ndrawing: http://h/no.png\n---\n")
        let options = ExtractionOptions(frontMatterKeys: ["header.drawing", "items.sketch"])
        let extraction = extract(text.bytes, kind: .markdown, options: options)
        #expect(extraction.references.map(\.range) == text.ranges)
        #expect(
            extraction.references.map(\.kind)
                == [.frontMatter(key: "header.drawing"), .frontMatter(key: "items.sketch.src")])
        let replacements = extraction.references.map { Replacement(reference: $0, url: "/n") }
        let result = try rewrite(text.bytes, extraction: extraction, replacements: replacements)
        #expect(String(decoding: result.bytes, as: UTF8.self) == text.replacing(["/n", "/n"]))
    }

    @Test func rejectsURLThatWouldBeParsedDifferently() throws {
        let bytes = Array("---\nimage: http://h/a.png\n---\n".utf8)
        let extraction = extract(bytes, kind: .markdown)
        let reference = try #require(extraction.references.first)
        let error = #expect(throws: RewriteError.self) {
            try rewrite(
                bytes, extraction: extraction,
                replacements: [Replacement(reference: reference, url: "a:")])
        }
        #expect(error?.code == .treeChanged)
    }

    @Test func refusesBlockWithInvalidUTF8() {
        let bytes = Array("---\nimage: http://h/".utf8) + [0xE9] + Array(".png\n---\n".utf8)
        let extraction = extract(bytes, kind: .markdown)
        #expect(extraction.references.isEmpty)
        let problem = DocumentProblem(
            offset: 11, url: "http://h/\u{FFFD}.png", reason: .metadataUnreadable)
        #expect(extraction.problems == [problem])
    }
}

@Suite(.timeLimit(.minutes(10)))
struct YAMLCostTests {
    private func extraction(_ yaml: String) -> Extraction {
        extract(Array("---\nimage: http://h/a.png\n\(yaml)\n---\n".utf8), kind: .markdown)
    }

    @Test(arguments: [
        (String(repeating: "[", count: 200), "nested too deeply"),
        (String(repeating: "- ", count: 300), "nested too deeply"),
        (String(repeating: "x", count: 300_000), "of more than 256 KiB"),
        (
            "a0: &a0 [x]\n"
                + (1..<40).map { "a\($0): &a\($0) [*a\($0 - 1), *a\($0 - 1)]\n" }.joined(),
            "with too many aliases"
        ),
    ])
    func refusesExcessiveYAML(yaml: String, words: String) {
        let extraction = extraction(yaml)
        #expect(extraction.references.isEmpty)
        #expect(
            extraction.problems == [
                DocumentProblem(offset: 4, reason: .tooComplex("front matter " + words))
            ])
    }

    @Test(arguments: [
        String(repeating: "[ \"]\", ", count: 3_000),
        String(repeating: "{a: '}', b: ", count: 3_000),
        String(repeating: "? ", count: 150), String(repeating: "*x ", count: 3_000),
        String(repeating: "&x ", count: 3_000), String(repeating: "& * ", count: 3_000),
        String(repeating: "\"", count: 3_001),
        String(repeating: "a: ", count: 3_000), String(repeating: "---\n", count: 3_000),
        String(repeating: "!", count: 3_000), String(repeating: "\u{0}", count: 3_000),
        String(repeating: "%", count: 3_000), "{? [*x]: 1}", "a: \"\\ud800\"",
    ])
    func readsBrokenYAMLWithoutFailure(yaml: String) {
        #expect(extraction(yaml).references.count <= 1)
    }

    @Test func findsManyValues() {
        let flow = (0..<3_000).map { "⟦http://h/é\($0).png⟧" }.joined(separator: ", ")
        expectReferences("---\nimages: [\(flow)]\n---\n", .markdown)
        let block = (0..<3_000).map { "- image: '⟦http://h/\($0).png⟧'\r\n" }.joined()
        expectReferences("---\r\nlist:\r\n\(block)---\r\n", .markdown)
    }

    @Test func ignoresAnchorSignsWithoutName() {
        let text = "Q & A, \(String(repeating: "*.jpg ", count: 2_000))"
        expectReferences("---\ntitle: \"\(text)\"\nimage: ⟦http://h/a.png⟧\n---\n", .markdown)
    }

    @Test func acceptsManyUsesOfOneAnchor() {
        let uses = (0..<300).map { "x\($0): *a\n" }.joined()
        expectReferences("---\na: &a {b: c}\nimage: ⟦http://h/a.png⟧\n\(uses)---\n", .markdown)
    }

    @Test(arguments: [
        ("teaser", Reference.Role.content), ("overlay_image", .content), ("preview", .content),
        ("photo", .content), ("photos", .content), ("img", .content), ("socialImage", .social),
        ("social_image", .social), ("card_image", .social), ("card-image", .social),
        ("share_image", .social), ("twitterImage", .social), ("twitter_image", .social),
        ("og_image", .social),
    ])
    func recognisesKeysOfManyThemes(key: String, role: Reference.Role) {
        let text = "---\n\(key): ⟦https://h/a⟧\nheader:\n  \(key): ⟦b.png⟧\n---\nx\n"
        for kind in [DocumentKind.markdown, .html] {
            expectReferences(text, kind)
            let references = extract(Marked(text).bytes, kind: kind).references
            #expect(references.map(\.role) == [role, role])
        }
        expectReferences("---\n\(key): true\npreviews: a.png\n---\n", .markdown)
        expectReferences("+++\n\(key) = \"⟦https://h/a⟧\"\n+++\n", .markdown)
        expectReferences("{\"\(key)\": [\"⟦https://h/a⟧\"]}\n", .markdown)
    }
}
