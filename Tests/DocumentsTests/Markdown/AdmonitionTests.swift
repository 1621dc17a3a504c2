import DocumentSyntax
import Documents
import Testing

/// Tests images in blocks that CommonMark reads as code and MkDocs does not.
@Suite(.timeLimit(.minutes(10)))
struct AdmonitionTests {
    @Test(arguments: [
        "!!! note\n\n    ![](https://h/a.png)\n", "??? note \"T\"\n\n    ![](https://h/a.png)\n",
        "???+ tip\n\n    x\n\n    <img src=\"https://h/a.png\">\n",
        "=== \"Tab\"\n\n    ![a][r]\n\n    [r]: https://h/a.png\n",
        "x\n=== \"Tab\"\n\n    > - ![](https://h/a.png)\n",
        "- x\n\n    !!! note\n\n        ![](https://h/a.png)\n",
        "!!! a\n\n    !!! b\n\n        ![](https://h/a.png)\n",
        "!!!note\n\n    ![](https://h/a.png)\n",
    ])
    func refusesImagesInAdmonitionsAndTabs(text: String) {
        let extraction = extract(Array(text.utf8), kind: .markdown)
        #expect(extraction.references.isEmpty)
        #expect(extraction.problems.map(\.url) == ["https://h/a.png"])
        #expect(extraction.problems.map(\.reason) == [.markdownInAdmonition])
        let line = positions(of: extraction.problems.map(\.offset), in: Array(text.utf8))[0].line
        let expected = text.split(separator: "\n", omittingEmptySubsequences: false)
            .firstIndex { $0.contains("https://h/a.png") }.map { $0 + 1 }
        #expect(line == expected)
    }

    @Test(arguments: [
        "x\n\n    ![](https://h/a.png)\n",
        "!!! note\n\n    ```\n    ![](https://h/a.png)\n    ```\n",
        "!!! note\n\n    `![](https://h/a.png)`\n", "!!! note\n\n```\n![](https://h/a.png)\n```\n",
        "!!! note\n\n    text\n\n        ![](https://h/a.png)\n",
        "!!! note\n\n    <!-- imgbake-off -->\n\n    ![](https://h/a.png)\n",
    ])
    func ignoresImagesInCode(text: String) {
        expectReferences(text, .markdown)
    }

    @Test func findsImagesThatCommonMarkReadsToo() {
        expectReferences("!!! note\n    ![](⟦https://h/a.png⟧)\n", .markdown)
    }
}
