import DocumentSyntax
import Testing

@testable import Documents

/// Tests Hugo shortcodes, Liquid tags, MyST directives and MDX components.
@Suite struct ShortcodeTests {
    private static let rules = [
        "figure src", "img", "include figure.html image_path", "image", "Image src", "gallery a",
        "gallery b",
    ].compactMap { ShortcodeRule($0) }
    private static let options = ExtractionOptions(shortcodes: rules)

    private func extraction(_ text: String, _ kind: DocumentKind = .markdown) -> Extraction {
        extract(Array(text.utf8), kind: kind, options: Self.options)
    }

    /// The document with every reference replaced by `/n.webp`.
    private func baked(_ text: String, _ kind: DocumentKind = .markdown) throws -> String {
        let bytes = Array(text.utf8)
        let extraction = extraction(text, kind)
        let result = try rewrite(
            bytes, extraction: extraction,
            replacements: extraction.references.map { Replacement(reference: $0, url: "/n.webp") })
        return String(decoding: result.bytes, as: UTF8.self)
    }

    @Test(arguments: [
        #"{{< figure src="U" alt="a" >}}"#, #"{{<figure src=U>}}"#, "{{% figure src=`U` %}}",
        #"{{< figure alt="x > y" src="U" />}}"#, #"{{< img "U" >}}"#, "{{< img U class=x >}}",
        #"a {{< figure src="U" >}} b *c*"#, #"- > {{< figure src="U" >}}"#,
        "{{< figure\n  src=\"U\"\n  alt=\"x\" >}}", "> {{< figure\n>   src=\"U\" >}}\n> b",
        #"<div>\n{{< figure src="U" >}}\n</div>"#, "| a |\n| - |\n| {{< img U >}} |",
        #"{{< gallery a="U" c="http://h/c.png" b="U" >}}"#,
        #"{% include figure.html image_path="U" alt="x" %}"#,
        #"{%- include figure.html alt='x' image_path='U' -%}"#, "{% img U 10 20 %}",
        #"{% image "U", "alt" %}"#, "```{image} U\n:alt: x\n```", ":::{image} U\n:::",
        "---\nimage: U\n---\n{{< img U >}}\n![a](U) <img src=\"U\">",
    ])
    func replacesOnlyArgumentsNamedByRules(text: String) throws {
        let text = text.replacing("\\n", with: "\n").replacing("U", with: "https://h/a.png?b=c&d")
        let result = try baked(text)
        #expect(result == text.replacing("https://h/a.png?b=c&d", with: "/n.webp"))
    }

    @Test func findsImagesOfComponentsInMDX() throws {
        let text = "import X from 'x'\n\n<Image src=\"http://h/a.png\" alt='x' />\n"
        #expect(try baked(text, .mdx) == text.replacing("http://h/a.png", with: "/n.webp"))
        #expect(
            extraction(text, .mdx).references.map(\.kind)
                == [.shortcode(name: "Image", attribute: "src")])
    }

    @Test(arguments: [
        "```\n{{< img U >}}\n```", "    {{< img U >}}", "`{{< img U >}}`",
        "<!-- {{< img U >}} -->", "<!-- a\n\n{{< img U >}}\n-->", "{{</* img U */>}}",
        "{% raw %}{% img U %}{% endraw %}", "{% comment %}\n{% img U %}\n{% endcomment %}",
        "<!-- imgbake-off -->\n\n{{< img U >}}", "{{< /img U >}}", "{{< img {{U}} >}}",
        "{{< img U", "<script>\nlet a = '{{< img U >}}'\n</script>",
        "````\n```{image} U\n```\n````", "{{< img \"a b.png\" >}}",
    ])
    func ignoresShortcodesInCodeAndComments(text: String) {
        let text = text.replacing("U", with: "https://h/a.png")
        #expect(extraction(text).references.isEmpty)
        #expect(extraction(text).problems.isEmpty)
    }

    @Test func refusesShortcodesWithoutRuleOnce() throws {
        let text = """
            {{< slide bg="x" >}} {{< slide url="https://h/page" >}}
            {{< slide pic="https://h/a.png" >}} {% hero https://h/b.jpg?x %}
            `{{< slide pic="https://h/c.png" >}}`
            """
        let extraction = extraction(text)
        #expect(extraction.references.isEmpty)
        let problem = try #require(extraction.problems.first)
        #expect(extraction.problems.count == 1)
        #expect(problem.url == "https://h/a.png")
        #expect(problem.reason == .shortcodes(count: 2, name: "slide pic"))
    }

    @Test func parsesRules() {
        #expect(ShortcodeRule("figure src") == ShortcodeRule(name: "figure", attribute: "src"))
        #expect(ShortcodeRule("img") == ShortcodeRule(name: "img", attribute: nil))
        #expect(
            ShortcodeRule("include a.html image")
                == ShortcodeRule(name: "include a.html", attribute: "image"))
        #expect(ShortcodeRule("include") == nil)
        #expect(ShortcodeRule("a b c") == nil)
        #expect(ShortcodeRule(" ") == nil)
    }

    @Test func readsManyShortcodesInLinearTime() {
        let open = String(repeating: "{{< img ", count: 20_000)
        #expect(extraction(open).references.isEmpty)
        let many = String(repeating: "{{< img https://h/a.png >}}\n", count: 5_000)
        #expect(extraction(many).references.count == 5_000)
        let directives = String(repeating: "```{", count: 200_000)
        #expect(extraction(directives).references.isEmpty)
    }
}
