import Documents
import Testing

/// Tests front matter that cannot be parsed.
@Suite(.timeLimit(.minutes(10)))
struct UnreadableMetadataTests {
    /// Checks that exactly the marked ranges are refused.
    private func expectRefusals(
        _ text: String, keys: [String] = [], sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let marked = Marked(text)
        let options = ExtractionOptions(frontMatterKeys: keys)
        let extraction = extract(marked.bytes, kind: .markdown, options: options)
        #expect(extraction.references.isEmpty, sourceLocation: sourceLocation)
        let expected = zip(marked.ranges, marked.marks).map {
            DocumentProblem(offset: $0.lowerBound, url: $1, reason: .metadataUnreadable)
        }
        #expect(extraction.problems == expected, sourceLocation: sourceLocation)
    }

    @Test(arguments: [
        "tags: a\ntags: b\nimage: ⟦https://h/a.png⟧",
        "image: ⟦https://h/a.png⟧\ntitle: Foo: bar",
        "image: ⟦http://h/a.png⟧\nimage: '⟦//h/b.png⟧'",
        "image: \"⟦http://h/a.png⟧",
        "a: 1\n\timage: ⟦http://h/a.png⟧ # http://h/no.png",
        "a: 1\nimage: ⟦http://h/a.png:⟧ b",
        "title: {{ x }} y\ncover: {image: ⟦http://h/a.png⟧, alt: x}",
        "a: b: c\nimages: [\"⟦http://h/a.png⟧\", ⟦http://h/b.png⟧]\nx: http://h/no.png",
        "a: b: c\nimages:\n- ⟦http://h/a.png⟧\n- '⟦//h/b.png⟧'\nlink: http://h/no.png",
        "a: b: c\ncover:\n  src: ⟦http://h/a.png⟧\nsrc: http://h/no.png",
        "a: b: c\nx:\n  - \"featuredImage\" : ⟦http://h/a.png?image=http://h/b.png⟧",
        "a: b: c\nmore:\n  teaser: ⟦http://h/a.png⟧",
    ])
    func refusesImagesInInvalidYAML(yaml: String) {
        expectRefusals("---\n\(yaml)\n---\ntext", keys: ["header.teaser"])
        let crlf = yaml.replacing("\n", with: "\r\n")
        expectRefusals("---\r\n\(crlf)\r\n---\r\ntext", keys: ["header.teaser"])
    }

    @Test(arguments: [
        "image = \"⟦http://h/a.png⟧", "image = \"⟦http://h/\\q.png⟧\"",
        "image = '⟦http://h/a.png⟧' x", "image = ['⟦http://h/a.png⟧'",
        "cover.image = {url = '⟦http://h/a.png⟧'", "images = ['⟦http://h/a.png⟧']]",
        "images = [\n  '⟦http://h/a.png⟧',\n  '⟦http://h/b.png⟧'\n", "a = b c\nimage='⟦//h/a.png⟧'",
        "image = ['⟦http://h/a.png⟧' 'x']", "[cover] image = '⟦http://h/a.png⟧'",
        "image = {url = '⟦http://h/a.png⟧']",
    ])
    func refusesImagesInInvalidTOML(toml: String) {
        expectRefusals("+++\n\(toml)\n+++\ntext")
    }

    @Test func refusesImagesInInvalidJSON() {
        expectRefusals("---json\n{\"image\": \"⟦http://h/a.png⟧\",}\n---\ntext")
    }

    @Test(arguments: [
        "title: Foo: bar\n# image: http://h/a.png", "image: a.png: b",
        "title: http://h/a.png: b", "a: b: c\nimage: http://h/{{ x }}.png", "a: b: c\nimage: //",
        "a: b: c\nlink: x\n  http://h/a.png", "a: b: c\nimagery: http://h/a.png",
    ])
    func ignoresTextWithoutRemoteImages(yaml: String) {
        expectRefusals("---\n\(yaml)\n---\ntext")
    }

    @Test func findsImagesAfterInvalidFrontMatter() throws {
        let text = "---\nimage: http://h/a.png\na: b: c\n---\n![x](x.png)\n"
        #expect(
            replaceAll(text, .markdown, with: ["y.png"])
                == text.replacing("x.png", with: "y.png"))
    }

    @Test(arguments: [
        "image: ", "image: //", ":", "image:\n", " - ", "//", "image: http://h/ ", "'",
    ])
    func readsLongInput(pattern: String) {
        let text = "---\na: b: c\n\(String(repeating: pattern, count: 20_000))\n---\n"
        #expect(extract(Array(text.utf8), kind: .markdown).references.isEmpty)
    }
}
