import Documents
import Testing

/// Tests attributes from which scripts read image URLs.
@Suite(.timeLimit(.minutes(10)))
struct LazyAttributeTests {
    @Test(
        arguments: [
            "data-src", "data-original", "original", "data-lazy", "data-lazy-src", "data-image",
            "data-asset-url", "data-source-standard", "data-ezsrc", "data-hi-res-src",
            "data-orig-file", "data-medium-file", "data-large-file", "data-src-retina",
        ], [DocumentKind.html, .markdown, .mdx])
    func findsImagesInLazyAttributes(name: String, kind: DocumentKind) {
        expectReferences("<img \(name)=\"⟦https://h/a?w=3⟧\" alt=\"x\" src='⟦b.png⟧'>", kind)
        expectReferences("<p \(name)=\"https://h/a?w=3\" \(name)-x=c.png>d</p>", kind)
        expectReferences("<b \(name.uppercased())=\"⟦https://h/a.JPG?w=3#x⟧\">d</b>", kind)
        #expect(extract(Array("<p \(name)='a.png'>".utf8), kind: kind).references.count == 1)
    }

    @Test(
        arguments: [
            "<img data-srcset='⟦a⟧ 1x, ⟦b⟧ 2x' data-lazy-srcset=⟦c⟧ data-ezsrcset=\"⟦d⟧ 2x\">",
            "<div data-srcset='a 1x, ⟦b.png⟧ 2x, c.mp4 3x'></div>",
            "<img data-lazy=true data-image=12 data-lazy=\"false\" original=\"no\" src=\"⟦a⟧\">",
            "<img data-lazy=⟦a.webp⟧ data-image=\"⟦//h/x⟧\">",
            "<picture><source data-src=⟦a⟧><img data-src=⟦b⟧></picture>",
            "<div data-bg=\"⟦https://h/photo-1?w=3⟧\" data-background='⟦https://h/b⟧'>x</div>",
            "<div data-src=\"url(⟦https://h/b⟧)\">x</div>",
            "<video data-src=a.png></video><iframe data-src=b.png></iframe>",
        ], [DocumentKind.html, .markdown])
    func ignoresOtherValuesOfLazyAttributes(text: String, kind: DocumentKind) {
        expectReferences(text, kind)
    }

    @Test(
        arguments: [
            ("<img src=a.png>", false), ("<img data-src=a>", false),
            ("<img data-image=https://h/a.png>", false), ("<img data-image=https://h/a>", true),
            ("<div data-src=https://h/a.png>", true), ("<div data-bg=https://h/a>", true),
            ("<div data-srcset='a.png 2x'>", true), ("<div data-bg='url(a)'>", false),
        ], [DocumentKind.html, .markdown])
    func marksUncertainImagesAsGuesses(
        case given: (text: String, isGuess: Bool), kind: DocumentKind
    ) {
        let references = extract(Array(given.text.utf8), kind: kind).references
        #expect(references.map(\.isGuess) == [given.isGuess])
    }

    @Test func treatsConfiguredAttributesAsCertain() {
        let text = "<div data-src=https://h/a data-mine=b>"
        let options = ExtractionOptions(lazyAttributes: ["data-src", "data-mine"])
        let references = extract(Array(text.utf8), kind: .html, options: options).references
        #expect(references.map(\.url) == ["https://h/a", "b"])
        #expect(references.map(\.isGuess) == [false, false])
    }
}
