import Documents
import Testing

@Suite(.timeLimit(.minutes(10)))
struct SharedDefinitionTests {
    @Test(arguments: [
        ("![a][r] [r]\n\n[r]: a.png\n", "![a](new.png) [r]\n\n[r]: a.png\n"),
        ("![r][] [l][r]\n\n[r]: a.png\n", "![r](new.png) [l][r]\n\n[r]: a.png\n"),
        ("![r]. [r][]\n\n[r]: a.png\n", "![r](new.png). [r][]\n\n[r]: a.png\n"),
        ("[![r]][R]\n\n[r]: a.png\n", "[![r](new.png)][R]\n\n[r]: a.png\n"),
        ("[![x][r]][r]\n\n[r]: a.png\n", "[![x](new.png)][r]\n\n[r]: a.png\n"),
        ("`![r]` ![r], [r]\n\n[r]: a.png\n", "`![r]` ![r](new.png), [r]\n\n[r]: a.png\n"),
        ("![r] ![b] [r]\n\n[r]: a.png\n[b]: a.png", "![r](new.png) ![b] [r]\n\n[r]: a.png\n[b]: x"),
    ])
    func keepsTargetOfLink(text: String, expected: String) {
        let names = ["new.png", "x"]
        #expect(replaceAll(text, .markdown, with: names) == expected)
    }

    @Test(arguments: [
        (
            "![a][r] ![r] [F][r]\n\n[r]: a.png\n",
            "![a](new.png) ![r](new.png) [F][r]\n\n[r]: a.png\n"
        ),
        (
            "![a][r] ![r], [r][]\n\n[r]: a.png\n",
            "![a](new.png) ![r](new.png), [r][]\n\n[r]: a.png\n"
        ),
        (
            "![a][r] [![r]][r]\n\n[r]: <a b.png> 't'\n",
            "![a](new.png \"t\") [![r](new.png \"t\")][r]\n\n[r]: <a b.png> 't'\n"
        ),
        (
            "![r] ![r]\n\n<!-- imgbake-off -->\n\n![r]\n\n[r]: a.png\n",
            "![r](new.png) ![r](new.png)\n\n<!-- imgbake-off -->\n\n![r]\n\n[r]: a.png\n"
        ),
        (
            "![r] ![r] `[x][r]` [x][r]\n\n[r]: a.png\n",
            "![r](new.png) ![r](new.png) `[x][r]` [x][r]\n\n[r]: a.png\n"
        ),
        (
            "![straße] ![straße] [y][STRASSE]\n\n[straße]: a.png\n",
            "![straße](new.png) ![straße](new.png) [y][STRASSE]\n\n[straße]: a.png\n"
        ),
    ])
    func givesEachImageItsOwnURL(text: String, expected: String) {
        #expect(replaceAll(text, .markdown, with: ["new.png"]) == expected)
        let extraction = extract(Array(text.utf8), kind: .markdown)
        #expect(extraction.references.map(\.kind) == [.markdownDefinition])
    }

    @Test func parenthesesOfTheNewURLDoNotEndTheInlineDestination() {
        #expect(
            replaceAll("![r], [r]\n\n[r]: a.png\n", .markdown, with: ["a)b(.png"])
                == "![r](a\\)b\\(.png), [r]\n\n[r]: a.png\n")
    }

    @Test func keepsOneLinkAmongManyImages() {
        let images = (0..<800).map { "| ![Icon][Freeware Icon] | \($0) |\n" }.joined()
        let text =
            "| a | b |\n|-|-|\n\(images)| [Freeware][Freeware Icon] | x |\n\n"
            + "[Freeware Icon]: https://h/i.png\n"
        #expect(
            replaceAll(text, .markdown, with: ["i.webp"])
                == text.replacing("![Icon][Freeware Icon]", with: "![Icon](i.webp)"))
    }

    @Test func keepsTitleOfImage() {
        let text = "| a |\n|-|\n| ![r], [r] |\n\n[r]: a.png 'a \"b\" | \\\\ &amp;amp;\nc'\n"
        let output = replaceAll(text, .markdown, with: ["n.png"])
        #expect(
            output
                == text.replacing(
                    "![r]", with: "![r](n.png \"a &#34;b&#34; &#124; &#92; &amp;amp;&#10;c\")"))
    }

    @Test func returnsOneReferenceAtTheDefinition() throws {
        let marked = Marked("![a][r] ![r], [r]\n\n[r]: ⟦a.png⟧\n")
        let extraction = extract(marked.bytes, kind: .markdown)
        #expect(extraction.references.map(\.range) == marked.ranges)
        #expect(extraction.references.map(\.kind) == [.markdownDefinition])
        #expect(extraction.problems.isEmpty)
    }

    @Test func refusesImageWithUncertainUse() {
        // The label is in a letter case that Unicode folds, but not character by character.
        let text = "![x][STRASSE] [y][straße]\n\n[straße]: a.png\n"
        let extraction = extract(Array(text.utf8), kind: .markdown)
        #expect(extraction.references.isEmpty)
        #expect(
            extraction.problems == [
                DocumentProblem(offset: 0, url: "a.png", reason: .placeUncertain)
            ])
    }
}

extension String {
    func replacing(_ old: String, with new: String) -> String {
        components(separatedBy: old).joined(separator: new)
    }

    private func components(separatedBy separator: String) -> [String] {
        var result: [String] = []
        var rest = self[...]
        while let range = rest.firstRange(of: separator) {
            result.append(String(rest[..<range.lowerBound]))
            rest = rest[range.upperBound...]
        }
        return result + [String(rest)]
    }
}
