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
        "tags: a\ntags: b\nimage: ⟦https://h.org/a.png⟧",
        "image: ⟦https://h.org/a.png⟧\ntitle: Foo: bar",
        "image: ⟦http://h.org/a.png⟧\nimage: '⟦//h.org/b.png⟧'",
        "image: \"⟦http://h.org/a.png⟧",
        "a: 1\n\timage: ⟦http://h.org/a.png⟧\n# http://h.org/no.png",
        "title: {{ x }} y\ncover: {image: ⟦http://h.org/a.png⟧, alt: x}",
        "a: b: c\nimages: [\"⟦http://h.org/a.png⟧\", ⟦http://h.org/b.png⟧]",
        "a: b: c\nimages:\n- ⟦http://h.org/a.png⟧\n- '⟦//h.org/b.png⟧'",
        "a: b: c\ncover:\n  src: ⟦http://h.org/a.png⟧",
        "a: b: c\nx:\n  - \"featuredImage\" : ⟦http://h.org/a.png?image=http://h.org/b.png⟧",
        "a: b: c\nmore:\n  teaser: ⟦http://h.org/a.png⟧",
        "a: b: c\nimage: x\nlink: ⟦http://h.org/a.png⟧",
    ])
    func refusesImagesInInvalidYAML(yaml: String) {
        expectRefusals("---\n\(yaml)\n---\ntext", keys: ["header.teaser"])
        let crlf = yaml.replacing("\n", with: "\r\n")
        expectRefusals("---\r\n\(crlf)\r\n---\r\ntext", keys: ["header.teaser"])
    }

    @Test(arguments: [
        "image = \"⟦http://h.org/a.png⟧",
        "image = '⟦http://h.org/a.png⟧' x", "image = ['⟦http://h.org/a.png⟧'",
        "cover.image = {url = '⟦http://h.org/a.png⟧'", "images = ['⟦http://h.org/a.png⟧']]",
        "images = [\n  '⟦http://h.org/a.png⟧',\n  '⟦http://h.org/b.png⟧'\n",
        "a = b c\nimage='⟦//h.org/a.png⟧'",
        "image = ['⟦http://h.org/a.png⟧' 'x']", "[cover] image = '⟦http://h.org/a.png⟧'",
        "image = {url = '⟦http://h.org/a.png⟧']",
    ])
    func refusesImagesInInvalidTOML(toml: String) {
        expectRefusals("+++\n\(toml)\n+++\ntext")
    }

    @Test func refusesImagesInInvalidJSON() {
        expectRefusals("---json\n{\"image\": \"⟦http://h.org/a.png⟧\",}\n---\ntext")
    }

    @Test(arguments: [
        "title: Foo: bar\n# image: http://h.org/a.png", "image: a.png: b",
        "a: b: c\nlink: http://h.org/page", "a: b: c\nimage: //",
    ])
    func ignoresTextWithoutRemoteImages(yaml: String) {
        expectRefusals("---\n\(yaml)\n---\ntext")
    }

    @Test func findsImagesAfterInvalidFrontMatter() throws {
        let text = "---\nimage: http://h.org/a.png\na: b: c\n---\n![x](x.png)\n"
        #expect(
            replaceAll(text, .markdown, with: ["y.png"])
                == text.replacing("x.png", with: "y.png"))
    }

    @Test(arguments: [
        "image: ", "image: //", ":", "image:\n", " - ", "//", "image: http://h.org/ ", "'",
    ])
    func readsLongInput(pattern: String) {
        let text = "---\na: b: c\n\(String(repeating: pattern, count: 20_000))\n---\n"
        #expect(extract(Array(text.utf8), kind: .markdown).references.isEmpty)
    }
}
