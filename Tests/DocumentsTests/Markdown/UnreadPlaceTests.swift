import DocumentSyntax
import Documents
import Testing

/// Tests places that name images and are not read, or only by what their names say.
@Suite(.timeLimit(.minutes(10)))
struct UnreadPlaceTests {
    private func unread(
        _ text: String, _ kind: DocumentKind = .markdown,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> [UnreadImage] {
        let bytes = Array(text.utf8)
        let found = extract(bytes, kind: kind)
        #expect(found.problems == [], sourceLocation: sourceLocation)
        if !found.unread.isEmpty {
            #expect(mayNameImages(bytes, kind: kind), sourceLocation: sourceLocation)
        }
        return found.unread
    }

    @Test(arguments: [
        "header_image: ⟦https://h/a.jpg⟧", "headerImage: ⟦https://h/a.jpg⟧",
        "page-photo: ⟦https://h/a.jpg⟧",
        "gallery:\n- src: ⟦https://h/a.jpg⟧\n- src: ⟦https://h/b.jpg⟧",
        "image: {facebook: ⟦https://h/a.jpg⟧, twitter: ⟦https://h/b.jpg⟧}",
    ])
    func readsKeysThatEndLikeImages(yaml: String) {
        expectReferences("---\n\(yaml)\n---\ntext\n", .markdown)
    }

    @Test(arguments: [
        "header_image: https://h/page", "chairman_photos_of: https://h/page.html",
        "gallery:\n- alt: x", "# drawing: https://h/a.png", "title: x",
    ])
    func readsNoOtherValues(yaml: String) {
        let text = "---\n\(yaml)\n---\ntext\n"
        expectReferences(text, .markdown)
        #expect(unread(text).isEmpty)
    }

    @Test(arguments: [
        (
            "---\nhead:\n  - [meta, {property: og:image, content: https://h/a.png}]\n  - [link, {href: https://h/b.png}]\n---\n",
            3, 2
        ),
        ("---\nimage: a.png\ndrawing: https://h/a.png\n---\n", 3, 1),
        ("+++\n# https://h/n.png\ndrawing = 'https://h/a.png'\n+++\n", 3, 1),
        ("---js\n{ drawing: 'https://h/a.png' }\n---\n", 2, 1),
        ("---\nheader-includes: |\n  <link rel=icon href=\"https://h/a.png\">\n---\n", 3, 1),
    ])
    func namesUnknownKeys(text: String, line: Int, count: Int) throws {
        for kind in [DocumentKind.markdown, .html] {
            let all = unread(text + "text\n", kind)
            let found = try #require(all.first)
            #expect(found.place == .metadata)
            #expect(found.url == "https://h/a.png")
            #expect(all.count == count)
            #expect(positions(of: [found.offset], in: Array(text.utf8)).map(\.line) == [line])
        }
    }

    @Test(arguments: [
        "## A {background-image=\"https://h/a.png\"}\n",
        "x {.c style=\"background: url(https://h/a.png)\"}\n",
        "<!-- .slide: data-background=\"https://h/a.png\" -->\n# A\n",
        "<!-- _backgroundImage: url(https://h/a.png) -->\n",
        "# A\n\n---\nlayout: image\nimage: https://h/a.png\n---\n\n# B\n",
        "```{video} x.mp4\n:poster: https://h/a.png\n```\n",
    ])
    func namesImagesOfSlidesAndOptions(text: String) {
        #expect(unread("x\n\n" + text).map(\.url) == ["https://h/a.png"])
        #expect(unread("````\n" + text + "````\n").isEmpty)
        #expect(unread("<!-- imgbake-off -->\n\n" + text).isEmpty)
    }

    @Test(arguments: [
        "Logo: https://h/a.png\n", "[x](https://h/a.png){.c}\n",
        "<!-- <img src=\"https://h/a.png\"> -->\n",
        "<!-- TODO: https://h/a.png -->\n", "---\nsee https://h/a.png\n---\n",
        "x {href=\"https://h/a.png\"}\n",
        ":::{button-link} https://h/a.png\n:::\n",
        "{{< x src=\"https://h/a.png\" >}}\n".replacing("a.png", with: "a"),
    ])
    func linksAndTextAreNoImages(text: String) {
        #expect(unread("x\n\n" + text).isEmpty)
    }

    @Test func cardsAreRead() throws {
        let rule = try #require(ShortcodeRule("card img-top"))
        for (open, close) in [(":::{card} T", ":::"), ("```{card}", "```")] {
            expectReferences(
                "\(open)\n:link: https://h/b.png\n:img-top: ⟦https://h/a.png⟧\n\n![](⟦c.png⟧)\n\(close)\n",
                .markdown,
                options: ExtractionOptions(shortcodes: [rule], dialect: .directives))
        }
    }

    @Test func twoProblemsInFrontMatterAreNamed() {
        let text = "---\nimage: [https://h/a.png\ndrawing: https://h/b.png\n---\ntext\n"
        let found = extract(Array(text.utf8), kind: .markdown)
        #expect(found.problems.map(\.url) == ["https://h/a.png", "https://h/b.png"])
        #expect(found.unread.isEmpty)
    }

    @Test func bracesInTheTextOfJSONLDAreNoTemplate() {
        for sign in ["{{ x }}", "${x}"] {
            let text =
                "<script type=\"application/ld+json\">{\"image\": \"a.png\", \"text\": \"\(sign)\"}</script>"
            for kind in [DocumentKind.html, .markdown] { #expect(unread(text, kind).isEmpty) }
        }
    }

    @Test(arguments: [
        "``` {eval-rst}\n.. image:: https://h/a.png\n```\n",
        "```{eval-rst}\n.. image:: https://h/a.png\n```\n",
        "~~~{raw} html\n<img src=\"https://h/a.png\">\n~~~\n",
    ])
    func namesBlocksOfOtherLanguages(text: String) {
        let found = unread("x\n\n" + text)
        #expect(found.map(\.place) == [.embedded])
        #expect(found.map(\.url) == ["https://h/a.png"])
        #expect(unread("<!-- imgbake-off -->\n\n" + text).isEmpty)
        #expect(unread("````\n" + text + "````\n").isEmpty)
    }

    @Test(arguments: [
        "```{=html}\n<p>\n  <img src=\"⟦https://h/a.png⟧\">\n\n![](b.png)\n```\n",
        "> - x\n>\n>   ~~~ {=html5}\n>   <img src=\"⟦https://h/a.png⟧\">\n>   ~~~\n",
        "```{=html}\n<!-- <img src=\"a.png\"> -->\n```\n\n![](⟦https://h/a.png⟧)\n",
    ])
    func readsHTMLOfRawAttributes(text: String) {
        expectReferences(text, .markdown)
        let plain = text.filter { !"⟦⟧".contains($0) }
        expectReferences("<!-- imgbake-off -->\n\n" + plain, .markdown)
    }

    @Test func ignoresCodeInOtherLanguages() {
        #expect(unread("```html\n<img src=\"https://h/a.png\">\n```\n").isEmpty)
        #expect(unread("```{=latex}\nhttps://h/a.png\n```\n").isEmpty)
    }

    /// Scripts without an end contain those that follow.
    @Test func imagesInScriptsWithoutAnEndAreCountedOnce() throws {
        let script = "<script>\nf('https://h/a.png')\n"
        let text = "text\n\n" + String(repeating: script, count: 3_000)
        let found = try #require(unread(text).first)
        #expect(found.place == .script)
    }
}
