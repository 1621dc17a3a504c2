import DocumentSyntax
import Testing

@testable import Documents

@Suite(.timeLimit(.minutes(10)))
struct HTMLPartTests {
    @Test func readsOnlyChangedTags() throws {
        // The second image is in a comment if the text between the two is read otherwise.
        let bytes = Array("<img src=a><p title='<!--'><img src=b><style>a{b:url(c)}</style>".utf8)
        let extraction = extract(bytes, kind: .html)
        guard case .html(let parts, _, _)? = extraction.outline.parts else {
            Issue.record("the page has no parts")
            return
        }
        #expect(parts.count == 3)
        #expect(
            replaceAll(String(decoding: bytes, as: UTF8.self), .html, with: ["n", "n", "n"])
                == "<img src=n><p title='<!--'><img src=n><style>a{b:url(n)}</style>")
    }

    @Test(arguments: [
        "<b style='a:url(c)'>", "<input type=image src=c>", "<body background=c>",
        "<html style='a:url(c)'>", "<table><i data-src='c.png'>x",
        "<b><b style='a:url(c)'>", "<svg><style>a{b:url(c)}</style></svg>",
    ])
    func tagsThatTreeConstructionReadsCanChange(text: String) throws {
        let bytes = Array(text.utf8)
        let extraction = extract(bytes, kind: .html)
        #expect(extraction.references.count == 1)
        let replacements = extraction.references.map { Replacement(reference: $0, url: "n.png") }
        let result = try rewrite(bytes, extraction: extraction, replacements: replacements)
        #expect(result.splices.count == 1)
    }

    /// The fourth of four equal formatting elements closes the first for good.
    @Test(arguments: [
        ("<b style='a:url(c)'>", 1), ("<p><b style='a:url(c)'></p>", 1), ("<b id=x>", 0),
    ])
    func equalFormattingElementsAreLeftAlone(tag: String, problems: Int) {
        let text = String(repeating: tag, count: 4) + "<img src=a.png>"
        let extraction = extract(Array(text.utf8), kind: .html)
        #expect(extraction.references.map(\.url) == ["a.png"])
        #expect(
            extraction.problems.map(\.reason)
                == Array(repeating: .placeUncertain, count: 4 * problems))
        #expect(replaceAll(text, .html, with: ["n"]).hasSuffix("<img src=n>"))
    }

    /// Without the first control, the second would be one of the same element.
    @Test func controlsOfARepeatedBodyStay() throws {
        let bytes = Array(
            "<body data-imgbake-format=png background=a><body data-imgbake-format=jpeg>".utf8)
        let extraction = extract(bytes, kind: .html)
        let result = try rewrite(
            bytes, extraction: extraction,
            replacements: extraction.references.map { Replacement(reference: $0, url: "n") },
            dropping: Set(extraction.controls.indices))
        let text = String(decoding: result.bytes, as: UTF8.self)
        #expect(text.hasPrefix("<body data-imgbake-format=png background=n>"))
    }

    /// A name that decides how other attributes are read is none of a URL.
    @Test func decidingAttributesAreNoLazyOnes() {
        let options = ExtractionOptions(lazyAttributes: ["type", "data-a"])
        let found = extract(
            Array("<img data-a=b.png type=c.png>".utf8), kind: .html, options: options)
        #expect(found.references.map(\.url) == ["b.png"])
    }
}
