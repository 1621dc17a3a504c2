import DocumentSyntax
import Documents
import Testing

/// Tests images in what the Markdown of generators has beyond CommonMark.
@Suite(.timeLimit(.minutes(10)))
struct DialectTests {
    private static let material: MarkdownDialect = [
        .admonitions, .details, .tabs, .definitionLists, .markdownInHTML,
    ]

    private func expectReferences(
        _ text: String, _ dialect: MarkdownDialect = Self.material,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        DocumentsTests.expectReferences(
            text, .markdown, options: ExtractionOptions(dialect: dialect),
            sourceLocation: sourceLocation)
    }

    @Test(arguments: [
        "!!! note\n\n    ![](⟦https://h/a.png⟧)\n",
        "!!! note inline end \"A title\"\n    ![](⟦https://h/a.png⟧)\n\n    ![](⟦https://h/b.png⟧)\n",
        "!!!note\n    ![](⟦https://h/a.png⟧)\n",
        "??? note \"T\"\n\n    ![](⟦https://h/a.png⟧)\n", "??? \"T\"\n    ![](⟦https://h/a.png⟧)\n",
        "???+ tip\n\n    x\n\n    <img src=\"⟦https://h/a.png⟧\">\n",
        "=== \"Tab\"\n\n    ![a][r]\n\n    [r]: ⟦https://h/a.png⟧\n\n=== \"B\"\n\n    ![](⟦https://h/b.png⟧)\n",
        "=== \"![](⟦https://h/a.png⟧)\"\n\n    x\n",
        "x\n===! \"Tab\"\n\n    > - ![](⟦https://h/a.png⟧)\n",
        "- x\n\n    !!! note\n\n        ![](⟦https://h/a.png⟧)\n",
        "1. x\n    === \"T\"\n        ![](⟦https://h/a.png⟧)\n",
        "> !!! note\n>\n>     ![](⟦https://h/a.png⟧)\n",
        "!!! a\n\n    === \"b\"\n\n        ??? c\n\n            ![](⟦https://h/a.png⟧)\n\n    ![](⟦https://h/b.png⟧)\n",
        "Term\n\n:   Definition\n\n    ![](⟦https://h/a.png⟧)\n",
    ])
    func readsIndentedContent(text: String) {
        expectReferences(text)
    }

    @Test(arguments: [
        "!!! note\n\n    ```\n    ![](https://h/a.png)\n\n    ![](https://h/a.png)\n    ```\n",
        "!!! note\n\n    text\n\n        ![](https://h/a.png)\n",
        "!!! note\n\n        ![](https://h/a.png)\n", "!!! note\n        ![](https://h/a.png)\n",
        "```\n!!! note\n\n    ![](https://h/a.png)\n```\n",
        "x\n\n    !!! note\n\n        ![](https://h/a.png)\n",
        "!!! really, this is a sentence!\n\n    ![](https://h/a.png)\n",
        "=== no quote\n\n    ![](https://h/a.png)\n",
        "~~~ html\n<div markdown>\n![](https://h/a.png)\n</div>\n~~~\n",
        "x\n\n    <div markdown>\n\n    ![](https://h/a.png)\n",
        "`<p markdown>![](https://h/a.png)`\n",
    ])
    func leavesCode(text: String) {
        expectReferences(text)
    }

    @Test(arguments: [MarkdownDialect.definitionLists, .markdownInHTML, []])
    func readsMarkersAsCodeWithoutTheirExtension(dialect: MarkdownDialect) {
        for sign in ["!!! note", "??? note", "=== \"Tab\""] {
            expectReferences("\(sign)\n\n    ![](https://h/a.png)\n", dialect)
        }
    }

    @Test(arguments: [
        "<figure markdown=\"span\">\n  ![x](⟦https://h/3.png⟧){ width=\"3\" }\n  <figcaption>T</figcaption>\n</figure>\n",
        "<figure markdown=span>\n    ![x](⟦https://h/3.png⟧)\n    <figcaption>T</figcaption>\n</figure>\n",
        "<figure markdown>![x](⟦https://h/3.png⟧)</figure>\n",
        "<div class=a markdown>\n![x](⟦https://h/3.png⟧){ width=3 }\n</div>\n",
        "<div class=\"grid cards\" markdown>\n\n-   ![x](⟦https://h/3.png⟧)\n\n    ---\n\n    ![x][d]\n\n</div>\n\n[d]: ⟦https://h/4.png⟧\n",
        "<div class=\"grid\" markdown>\n\n=== \"A\"\n\n    ![x](⟦https://h/3.png⟧)\n\n</div>\n",
        "=== \"A\"\n\n    ``` html\n    ![x](3.png)\n    ```\n\n    <div class=\"result\" markdown>\n\n    ![x](⟦https://h/3.png⟧)\n\n    </div>\n",
        "<details markdown=\"1\">\n<summary>T</summary>\n![x](⟦https://h/3.png⟧)\n</details>\n![y](⟦https://h/4.png⟧)\n",
        "<table><tr>\n<td markdown=\"1\">![x](⟦https://h/3.png⟧)</td>\n</tr></table>\n\n![y](⟦https://h/4.png⟧)\n",
        "<div markdown=\"block\"\n     class=\"a\">\n![x](⟦https://h/3.png⟧)\n</div>\n",
        "<div markdown><figure markdown>![x](⟦https://h/3.png⟧)</figure></div>\n",
        "<DIV style=\"color: red\" MARKDOWN=1>\n![x](⟦https://h/3.png⟧)\n</DIV>\n",
        "<figure markdown>\n  <img src=\"⟦https://h/3.png⟧\">\n  <figcaption>T</figcaption>\n</figure>\n",
        "<!-- imgbake-off -->\n<div markdown>\n![x](https://h/3.png)\n</div>\n\n<!-- imgbake-on -->\n\n![y](⟦https://h/4.png⟧)\n",
        "---\ntitle: x\n---\r\n<div markdown>\r\n![x](⟦https://h/3.png⟧)\r\n</div>\r\n",
    ])
    func readsMarkdownInElements(text: String) {
        expectReferences(text)
    }

    @Test(
        arguments: [
            ("<div markdown>\n![x](https://h/3.png)\n</div>\n", []),
            (
                "<div markdown style=\"background: url(x.png)\">\n![x](https://h/3.png)\n</div>\n",
                .markdownInHTML
            ),
            (
                "<div markdown>\n<section>\n![x](https://h/3.png)\n</section>\n</div>\n",
                .markdownInHTML
            ),
            (
                "{::options parse_block_html=\"true\" /}\n\n<div>\n![x](https://h/3.png)\n</div>\n",
                .markdownInHTML
            ),
            ("<div>\n![x](https://h/3.png)\n</div>\n", [.markdownInHTML, .uncertainHTML]),
            ("=== \"A\"\n\n    <div>\n    ![x](https://h/3.png)\n    </div>\n", .tabs),
        ] as [(String, MarkdownDialect)])
    func namesMarkdownInOtherElements(text: String, dialect: MarkdownDialect) {
        let extraction = extract(
            Array(text.utf8), kind: .markdown, options: ExtractionOptions(dialect: dialect))
        #expect(extraction.problems.map(\.url) == ["https://h/3.png"])
        #expect(extraction.problems.map(\.reason) == [.markdownInHTML])
        let places = positions(of: extraction.problems.map(\.offset), in: Array(text.utf8))
        let line = text.split(separator: "\n", omittingEmptySubsequences: false).firstIndex {
            $0.contains("![")
        }
        #expect(places.map(\.line) == [line.map { $0 + 1 }])
    }

    @Test(arguments: [
        "```{note}\n![](⟦https://h/a.png⟧)\n```\n",
        "````{admonition} A title\n:class: tip\n\n![][r]\n\n```{figure} b.png\n```\n\n```\n![](c.png)\n```\n````\n\n[r]: ⟦https://h/a.png⟧\n",
        "- x\n\n  ~~~{dropdown} T\n  ![](⟦https://h/a.png⟧)\n  ~~~\n",
        ":::{tip}\n![](⟦https://h/a.png⟧)\n:::\n",
        "```{code-block} md\n![](a.png)\n```\n\n```\n```{note}\n![](a.png)\n```\n",
        "```{figure} c.png\n:name: x\n\nA ![](⟦https://h/a.png⟧)\n```\n\n```\n![](a.png)\n```\n",
        "- x\n\n  ~~~~{figure} c.png\n  ---\n  name: x\n  ---\n  A ![](⟦https://h/a.png⟧)\n  ~~~~\n",
        "```{list-table} A\n:header-rows: 1\n\n* - ![](⟦https://h/a.png⟧)\n  - b\n```\n",
        "```{list-table}\n* - x\n  - ![](⟦https://h/a.png⟧)\n```\n",
        "```{figure-md} fig\n![A](⟦https://h/a.png⟧)\n\nB\n```\n",
        "```{only} html\n![](⟦https://h/a.png⟧)\n```\n",
        ":::{grid-item}\n\n```{only} html\n![](⟦https://h/a.png⟧)\n```\n:::\n",
        "```{of-an-extension}\n![](⟦https://h/a.png⟧)\n```\n",
        "```{.python}\n![](a.png)\n```\n\n```{mermaid}\n![](a.png)\n```\n",
        "```{note}\n```\n\n```{math}\n![](a.png)\n```\n![](⟦https://h/a.png⟧)\n",
    ])
    func readsDirectives(text: String) {
        expectReferences(text, .directives)
    }

    @Test func readsArgumentsOfDirectives() {
        for name in ["image", "figure", "photo"] {
            DocumentsTests.expectReferences(
                "```{\(name)} ⟦https://h/a.png⟧\n:width: 3\n```\n", .markdown,
                options: ExtractionOptions(
                    shortcodes: ["image", "figure", "photo"].compactMap { ShortcodeRule($0) },
                    dialect: .directives))
        }
    }

    @Test(arguments: [
        "<div class=b>\n    <b>x</b>\n\n    <a href=x>\n        <img src=\"⟦https://h/a.png⟧\">\n    </a>\n</div>\n",
        "<div>\n\n    <div>\n\n    </div>\n\n\t<img\n        src=\"⟦https://h/a.png⟧\">\n\n</div>\n",
        "x\n<P>\n\r\n        x <img src=\"⟦https://h/a.png⟧\">\n\n    <img src=\"⟦https://h/b.png⟧\"></P>\n",
        "<div></div>\n\n    <img src=\"https://h/a.png\">\n",
        "<div>\n</div>\n\n    <img src=\"https://h/a.png\">\n",
        "```html\n<div>\n```\n\n    <img src=\"https://h/a.png\">\n",
        "    <div>\n\n    <img src=\"https://h/a.png\">\n",
        "<b>\n\n    <img src=\"https://h/a.png\">\n</b>\n",
    ])
    func readsElementsUpToTheirEndTags(text: String) {
        expectReferences(text, .wholeElements)
    }

    @Test func readsIndentationInElementsAsCodeInCommonMark() {
        expectReferences("<div>\n\n    <img src=\"https://h/a.png\">\n</div>\n", .markdownInHTML)
    }

    @Test func leavesRawElements() {
        expectReferences(
            "<div>\n![x](https://h/3.png)\n</div>\n\n<p markdown=\"0\">\n![x](https://h/3.png)\n</p>\n",
            .markdownInHTML)
    }

    @Test func readsLongTextsWithManyTagsInLinearTime() {
        for part in [
            "<p>\n\n    ", "<p>", "<p markdown>", "<p markdown>\n", "<p markdown a='", "1", "> ",
            "!!! a\n    ",
        ] {
            let text = String(repeating: part, count: 200_000) + "markdown"
            let extraction = extract(
                Array(text.utf8), kind: .markdown,
                options: ExtractionOptions(dialect: Self.material))
            #expect(extraction.references.isEmpty)
        }
    }
}
