import DocumentSyntax
import Documents
import Testing

@Suite(.timeLimit(.minutes(10)))
struct RewriteTests {
    private let text = "![a](a.png) ![b](b.png)\n\n[x](x)\n"

    @Test(arguments: DocumentKind.allCases)
    func returnsSameBytesWithoutReplacements(kind: DocumentKind) throws {
        let bytes = Array("![a](a.png) <img src=b.png> url(c.png) \r\n\0".utf8) + [0xFF]
        let extraction = extract(bytes, kind: kind)
        let result = try rewrite(bytes, extraction: extraction, replacements: [])
        #expect(result.bytes == bytes)
        #expect(result.splices.isEmpty)
    }

    @Test func acceptsReplacementsInAnyOrder() throws {
        let bytes = Array(text.utf8)
        let extraction = extract(bytes, kind: .markdown)
        let replacements = extraction.references.map { Replacement(reference: $0, url: "n") }
        let result = try rewrite(
            bytes, extraction: extraction, replacements: replacements.reversed())
        #expect(String(decoding: result.bytes, as: UTF8.self) == "![a](n) ![b](n)\n\n[x](x)\n")
    }

    @Test func keepsReferencesWithoutReplacement() throws {
        let bytes = Array(text.utf8)
        let extraction = extract(bytes, kind: .markdown)
        let last = try #require(extraction.references.last)
        let result = try rewrite(
            bytes, extraction: extraction, replacements: [Replacement(reference: last, url: "n")])
        #expect(
            String(decoding: result.bytes, as: UTF8.self) == "![a](a.png) ![b](n)\n\n[x](x)\n")
    }

    @Test func returnsSplicesThatCanBeStored() throws {
        let bytes = Array(text.utf8)
        let extraction = extract(bytes, kind: .markdown)
        let replacements = extraction.references.map { Replacement(reference: $0, url: "é") }
        let result = try rewrite(bytes, extraction: extraction, replacements: replacements)
        #expect(result.splices == extraction.references.map { Splice(range: $0.range, text: "é") })
        #expect(apply(result.splices, to: bytes) == result.bytes)
    }

    @Test(arguments: [
        (
            "![a](a)", "a b(c)&d[e]<f>\"g\"`h`\\i*j_k|l\n",
            "![a](a%20b\\(c\\)&amp;d[e]%3Cf%3E%22g%22%60h%60%5Ci*j_k%7Cl%0A)"
        ),
        ("![a](<a>)", "a b(c)&amp;", "![a](<a%20b(c)&amp;amp;>)"),
        ("![r]\n\n[r]: a", "a (b)", "![r]\n\n[r]: a%20\\(b\\)"),
        ("x <img src=a>", "a'b=c&d", "x <img src=a&#39;b&#61;c&amp;d>"),
        ("x <img src='a'>", "a'b", "x <img src='a&#39;b'>"),
    ])
    func escapesURLsForMarkdown(text: String, url: String, expected: String) {
        #expect(replaceAll(text, .markdown, with: [url]) == expected)
    }

    @Test(arguments: [
        ("<img src=\"a\">", "a'b\"c&amp;<d>", "<img src=\"a'b%22c&amp;amp;%3Cd%3E\">"),
        ("<img src='a'>", "a'b", "<img src='a&#39;b'>"),
        ("<img src=a>", "'a=b c/", "<img src=&#39;a&#61;b%20c/>"),
    ])
    func escapesURLsForHTML(text: String, url: String, expected: String) {
        #expect(replaceAll(text, .html, with: [url]) == expected)
    }
}

@Suite(.timeLimit(.minutes(10)))
struct RewriteErrorTests {
    @Test func rejectsReplacementThatChangesTheTree() throws {
        // A line of `=` turns the line before it into a heading.
        let bytes = Array("text\n\n![r]\n\n[r]:\na.png\n".utf8)
        let extraction = extract(bytes, kind: .markdown)
        let reference = try #require(extraction.references.first)
        let error = #expect(throws: RewriteError.self) {
            try rewrite(
                bytes, extraction: extraction,
                replacements: [Replacement(reference: reference, url: "===")])
        }
        #expect(error?.code == .treeChanged)
        #expect(error?.line == 3)
    }

    @Test(arguments: [", b 2x", " 1x,b 2x", " 1x, "])
    func rejectsDescriptorsThatAddACandidate(descriptors: String) throws {
        let bytes = Array("<p>\n<img srcset='a 1x'>".utf8)
        let extraction = extract(bytes, kind: .html)
        let reference = try #require(extraction.references.first)
        var replacement = Replacement(reference: reference, url: "n")
        replacement.claims = [.descriptors: descriptors]
        let error = #expect(throws: RewriteError.self) {
            try rewrite(bytes, extraction: extraction, replacements: [replacement])
        }
        #expect(error?.code == .treeChanged)
    }

    @Test func rejectsReplacementsOfAnotherDocument() throws {
        let bytes = Array("![a](a.png)".utf8)
        let extraction = extract(bytes, kind: .markdown)
        let stranger = Reference(range: 5..<9, kind: .markdownImage, url: "a.png")
        for replacements in [
            [Replacement(reference: stranger, url: "n")],
            extraction.references.map { Replacement(reference: $0, url: "n") }
                + extraction.references.map { Replacement(reference: $0, url: "m") },
        ] {
            let error = #expect(throws: RewriteError.self) {
                try rewrite(bytes, extraction: extraction, replacements: replacements)
            }
            #expect(error?.code == .mismatchedInput)
        }
        let reference = try #require(extraction.references.first)
        for (document, url) in [(bytes + [0x20], "n"), (bytes, "")] {
            let error = #expect(throws: RewriteError.self) {
                try rewrite(
                    document, extraction: extraction,
                    replacements: [Replacement(reference: reference, url: url)])
            }
            #expect(error?.code == .mismatchedInput)
        }
    }
}

struct SpliceTests {
    private let bytes = Array("0123456789".utf8)

    @Test func appliesInsertionsReplacementsAndDeletions() {
        let splices = [
            Splice(range: 0..<0, text: "a"), Splice(range: 2..<4, text: "é"),
            Splice(range: 4..<5, text: ""), Splice(range: 10..<10, text: "z"),
        ]
        #expect(
            apply(splices, to: bytes).map { String(decoding: $0, as: UTF8.self) } == "a01é56789z")
    }

    @Test(arguments: [
        [Splice(range: 5..<6, text: ""), Splice(range: 4..<5, text: "")],
        [Splice(range: 3..<6, text: ""), Splice(range: 5..<7, text: "")],
        [Splice(range: 9..<11, text: "")], [Splice(range: 11..<11, text: "")],
    ])
    func returnsNilForInvalidSplices(splices: [Splice]) {
        #expect(apply(splices, to: bytes) == nil)
    }
}
