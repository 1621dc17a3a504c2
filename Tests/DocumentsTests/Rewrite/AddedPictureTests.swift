import DocumentSyntax
import Testing

@testable import Documents

/// A `<picture>` that a rewrite puts around an `<img>`.
@Suite struct AddedPictureTests {
    private var options: ExtractionOptions {
        var options = ExtractionOptions()
        options.describesImages = true
        return options
    }

    private var added: Replacement.Responsive {
        var added = Replacement.Responsive()
        added.width = 600
        added.sources = [
            .init(
                mediaType: "image/avif",
                candidates: [.init(url: "s,&.avif", width: 300), .init(url: "n.avif", width: 600)],
                sizes: "(width > 600px) 600px, 100vw"),
            .init(mediaType: "image/webp", candidates: [.init(url: "n.webp", width: nil)]),
        ]
        return added
    }

    private let sources =
        #"<source style="display:none" type="image/avif" srcset="s,&amp;.avif 300w, n.avif 600w" "#
        + #"sizes="(width > 600px) 600px, 100vw"><source style="display:none" type="image/webp" srcset="n.webp">"#
    private var start: String { #"<picture style="display:contents">"# + sources }

    private func rewritten(
        _ text: String, _ added: Replacement.Responsive? = nil, dropping: Set<Int> = []
    ) throws -> Rewrite {
        let bytes = Array(text.utf8)
        let extraction = extract(bytes, kind: .html, options: options)
        let replacements = extraction.references.map { reference in
            Replacement(
                reference: reference, url: "n.jpg",
                responsive: reference.image == nil ? nil : added ?? self.added)
        }
        return try rewrite(
            bytes, extraction: extraction, replacements: replacements, dropping: dropping)
    }

    private func text(_ rewrite: Rewrite) -> String {
        String(decoding: rewrite.bytes, as: UTF8.self)
    }

    /// The documents around an image, with what is added to its tag.
    @Test(arguments: [
        "@", "<p>a @ b", "<body>@@<p>", "<a href=x>@</a><b>@", "<table>@<tr><td>@</table>",
        "<table><colgroup>@", "<head><title>x</title>@", "<b><p>@</b>@<i>", "<button>@</button>",
        "<svg><foreignObject>x</foreignObject></svg>@", "<noscript>@</noscript>",
        "<template>@</template>", "\u{FEFF}<ul><li>@<li>@", "<select><option>x</select>@",
        "<math><mi>x</mi></math>@<!-- @ -->", "<style>p { }</style>@<script>'@'</script>",
    ])
    func pictureStandsAroundTheImage(document: String) throws {
        let image = "<IMG class=x src='a' alt=\"&lt;\">"
        let baked = start + "<IMG class=x src='n.jpg' width=\"600\" alt=\"&lt;\"></picture>"
        let source = document.replacing("@", with: image)
        let result = try rewritten(source)
        // What is in scripts and comments is no element.
        let expected = document.split(separator: "'@'", omittingEmptySubsequences: false)
            .map { part in
                part.split(separator: "<!-- @ -->", omittingEmptySubsequences: false)
                    .map { $0.replacing("@", with: baked) }.joined(separator: "<!-- \(image) -->")
            }.joined(separator: "'\(image)'")
        #expect(text(result) == expected)
        #expect(apply(result.edits.splices, to: Array(source.utf8)) == result.bytes)
    }

    @Test func imagesThatTakeNone() {
        let source = """
            <picture><img src=a></picture><picture><span><img src=b></span></picture>
            <svg><img src=c></svg><svg><p><img src=d></p></svg><img src=e><img src=f srcset=g>
            """
        let references = extract(Array(source.utf8), kind: .html, options: options).references
        let images = references.map { ($0.url, $0.image?.takesPicture) }
        #expect(images.map(\.0) == ["a", "b", "c", "d", "e", "f", "g"])
        #expect(images.map(\.1) == [nil, false, false, true, true, nil, nil])
    }

    @Test func eachPictureIsAnEditOfItsOwn() throws {
        let result = try rewritten("<img src=a><img src=b>")
        #expect(result.edits.map { $0.splices.count } == [4, 4])
        #expect(
            result.edits.map(\.smaller)
                == Array(repeating: ["s,&.avif", "n.avif", "n.webp"], count: 2))
        let images = result.edits.map { $0.images[0] }
        for (edit, image) in zip(result.edits, images) {
            #expect(edit.splices[image.splice].text == "n.jpg")
        }
    }

    @Test func controlsAreRemovedAtOnce() throws {
        let result = try rewritten(
            "<img data-imgbake-formats=avif src=a><img src=b data-imgbake-widths=3>",
            dropping: [0, 1])
        let image = "<img src=n.jpg width=\"600\"></picture>"
        #expect(text(result) == start + image + start + image)
    }

    @Test func picturesOfAnEarlierBakeCanBeRewritten() throws {
        let first = text(try rewritten("<p>x<img src=a>y</p><img src=b>"))
        let again = text(try rewritten(first))
        let image = "<img src=n.jpg width=\"600\"></picture>"
        let expected = "<p>x" + start + image + "y</p>" + start + image
        #expect(
            again
                == expected.replacing("s,&amp;.avif 300w, n.avif", with: "n.jpg 300w, n.jpg")
                .replacing("srcset=\"n.webp\"", with: "srcset=\"n.jpg\""))
    }

    @Test(arguments: ["1\" onload=\"x", "a\"><p>"])
    func otherTextIsNotWritten(sizes: String) {
        var added = added
        added.sources[0].sizes = sizes
        #expect(throws: RewriteError.self) { try rewritten("<img src=a>", added) }
    }

    @Test(arguments: ["image/webp\"><p", "image/webp\" x=\""])
    func otherTypeIsNotWritten(type: String) {
        var added = added
        added.sources[0].mediaType = type
        #expect(throws: RewriteError.self) { try rewritten("<img src=a>", added) }
    }

    /// Documents in which an added picture would be another element.
    @Test func pictureInADrawingIsRejected() {
        #expect(throws: RewriteError.self) { try rewritten("<svg><img src=c></svg>") }
    }

    @Test(arguments: [
        ("default-src 'self'", true), ("style-src 'self' 'unsafe-inline'", false),
        ("img-src *", false), ("style-src-attr 'unsafe-inline'; style-src 'none'", false),
        ("STYLE-SRC 'unsafe-inline' 'nonce-abc'", true), ("style-src 'sha256-x'", true),
        ("default-src *; style-src-attr 'none'", true), ("", false),
        ("default-src 'unsafe-inline', style-src 'self'", true),
        ("style-src 'unsafe-inline'; style-src 'none'", false),
    ])
    func policyDecidesAboutStyleAttributes(policy: String, forbids: Bool) throws {
        let source =
            "<meta http-equiv=Content-Security-Policy content=\"\(policy)\"><img src=a>"
        let styles = try #require(
            extract(Array(source.utf8), kind: .html, options: options).styles)
        #expect(styles.policy.allowsStyleAttributes == !forbids)
    }
}
