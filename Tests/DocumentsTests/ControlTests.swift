import DocumentSyntax
import Documents
import Testing

/// Tests the settings that a document gives for one image.
@Suite(.timeLimit(.minutes(10)))
struct ControlTests {
    private func extraction(_ text: String, _ kind: DocumentKind) -> Extraction {
        extract(Array(text.utf8), kind: kind)
    }

    /// The text with all references replaced by `n` and all controls removed.
    private func dropped(_ text: String, _ kind: DocumentKind) -> String {
        let bytes = Array(text.utf8)
        let extraction = extract(bytes, kind: kind)
        do {
            let result = try rewrite(
                bytes, extraction: extraction,
                replacements: extraction.references.map { Replacement(reference: $0, url: "n") },
                dropping: Set(extraction.controls.indices))
            return String(decoding: result.bytes, as: UTF8.self)
        } catch {
            return "\(error)"
        }
    }

    @Test(
        arguments: [
            "<img src=a.png data-imgbake=off>", "<img data-imgbake='OFF' src=\"a.png\">",
            "<picture data-imgbake=off><source srcset=a.png><img src=b.png></picture>",
            "<p style=\"background:url(a.png)\" data-imgbake=off>x</p>",
        ], [DocumentKind.html, .markdown])
    func ignoresImagesThatAreOff(text: String, kind: DocumentKind) {
        let extraction = extraction(text, kind)
        #expect(extraction.references.isEmpty)
        #expect(extraction.problems.isEmpty)
        #expect(extraction.controls.map(\.isOff) == [true])
    }

    @Test(arguments: [DocumentKind.html, .markdown])
    func returnsControlsWithTheirReferences(kind: DocumentKind) throws {
        let text =
            "<img src=a.png><img data-imgbake-format=avif src=\"b.png\" srcset=\"c.png 2x\" "
            + "data-imgbake-quality='40' DATA-IMGBAKE-MAX-WIDTH=\"300\" data-imgbake-other=1 "
            + "data-imgbake-frames=first>"
        let extraction = extraction(text, kind)
        #expect(extraction.references.map(\.control) == [nil, 0, 0])
        let control = try #require(extraction.controls.first)
        #expect(!control.isOff)
        #expect(control.format == "avif")
        #expect(control.quality == "40")
        #expect(control.maximumWidth == "300")
        #expect(control.frames == "first")
        #expect(extraction.controls.count == 1)
    }

    @Test(arguments: [DocumentKind.html, .markdown])
    func appliesControlOfPictureToItsChildren(kind: DocumentKind) {
        let text =
            "<picture data-imgbake-format=avif><source srcset=a.png>"
            + "<img src=b.png data-imgbake-format=webp></picture><img src=c.png>"
        let extraction = extraction(text, kind)
        #expect(extraction.references.map(\.control) == [0, 1, nil])
        #expect(extraction.controls.map(\.format) == ["avif", "webp"])
    }

    @Test(
        arguments: [
            ("<img src=\"a.png\" data-imgbake=\"off\" alt=x>", "<img src=\"a.png\" alt=x>"),
            ("<img data-imgbake-format=avif src=a.png>", "<img src=n>"),
            (
                "<img data-imgbake-quality='40'\n  data-imgbake-max-width=\"30\"\n  src='a.png'/>",
                "<img\n  src='n'/>"
            ),
            (
                "<picture data-imgbake=off><img src=a.png></picture>",
                "<picture><img src=a.png></picture>"
            ),
        ], [DocumentKind.html, .markdown])
    func removesControls(text: (String, String), kind: DocumentKind) {
        #expect(dropped(text.0, kind) == text.1)
    }

    @Test(arguments: [DocumentKind.html, .markdown])
    func keepsRepeatedControls(kind: DocumentKind) {
        #expect(
            dropped("<img data-imgbake-quality=5 data-imgbake-quality=6 src=\"a.png\">", kind)
                == "<img data-imgbake-quality=5 data-imgbake-quality=6 src=\"n\">")
    }

    @Test func appliesControlOfPictureToAllDescendants() {
        for kind in [DocumentKind.html, .markdown] {
            let text =
                "<picture data-imgbake=\"off\"><source srcset=a.png><p><img src=b.png></p></picture>"
            #expect(extraction(text, kind).references.isEmpty)
        }
    }

    @Test func keepsNecessaryWhitespace() {
        #expect(
            dropped("<img data-imgbake-quality=\"5\"src=\"a.png\">", .html)
                == "<img src=\"n\">")
    }

    @Test func removesControlsWithoutWhitespaceBefore() {
        #expect(
            dropped("<img src=\"a.png\"data-imgbake-format=avif alt>", .html)
                == "<img src=\"n\" alt>")
    }

    @Test func removesControlsInContainers() {
        #expect(
            dropped("> <img\n> src=\"a.png\" data-imgbake-format=avif>\n", .markdown)
                == "> <img\n> src=\"n\">\n")
        #expect(
            dropped("- <img data-imgbake-format=avif\n  src=\"a.png\">\n", .markdown)
                == "- <img\n  src=\"n\">\n")
    }

    @Test func keepsControlsWithUncertainRange() {
        let text = "> <img\n> data-imgbake-format=avif src=\"a.png\">\n"
        #expect(dropped(text, .markdown).hasPrefix("> <img\n> "))
        #expect(dropped(text, .markdown).contains("src=\"n\""))
    }

    @Test(arguments: ["data-imgbake", "data-imgbake  \n data-imgbake-format", "data-imgbake=''"])
    func ignoresControlsWithoutValue(attributes: String) {
        for kind in [DocumentKind.html, .markdown] {
            let extraction = extraction("<img \(attributes) src=\"a.png\">", kind)
            #expect(extraction.references.map(\.url) == ["a.png"])
            #expect(extraction.controls.map(\.isOff) == [false])
        }
    }

    @Test func keepsControlsThatAreNotDropped() throws {
        let bytes = Array("<img src=a.png data-imgbake-format=avif>".utf8)
        let extraction = extract(bytes, kind: .html)
        let result = try rewrite(
            bytes, extraction: extraction,
            replacements: extraction.references.map { Replacement(reference: $0, url: "n") })
        #expect(
            String(decoding: result.bytes, as: UTF8.self) == "<img src=n data-imgbake-format=avif>")
    }

    @Test func rejectsUnknownControls() {
        let bytes = Array("<img src=a.png>".utf8)
        #expect(throws: RewriteError.self) {
            try rewrite(
                bytes, extraction: extract(bytes, kind: .html), replacements: [], dropping: [0])
        }
    }
}

@Suite(.timeLimit(.minutes(10)))
struct ToggleCommentTests {
    @Test(arguments: [
        (
            DocumentKind.html,
            "<img src=⟦a.png⟧><!-- imgbake-off --><img src=b.png><p>"
                + "<!--imgbake-on--><img src=⟦c.png⟧>"
        ),
        (.html, "<img src=⟦a.png⟧><!-- IMGBAKE-OFF --><img src=b.png><p style='a:url(c.png)'>"),
        (.html, "<!-- imgbake-on --><!-- imgbake-offer --><img src=⟦a.png⟧>"),
        (
            .html,
            "<!-- imgbake-off --><table><!-- imgbake-on --><tr><td>x</td></tr><img src=⟦a.png⟧></table>"
        ),
        (
            .markdown,
            "![a](⟦a.png⟧)\n\n<!-- imgbake-off -->\n\n![b](b.png) <img src=c.png>\n\n"
                + "<!-- imgbake-on -->\n\n![d](⟦d.png⟧)"
        ),
        (.markdown, "x <!-- imgbake-off --> ![b](b.png) <!-- imgbake-on --> ![d](⟦d.png⟧)"),
        (.markdown, "`<!-- imgbake-off -->` ![d](⟦d.png⟧)"),
        (
            .mdx,
            "{/* imgbake-off */}\n\n![b](b.png)\n\n{/* imgbake-on */}\n\n![d](⟦d.png⟧) "
                + "{/* ![e](e.png) */}"
        ),
    ])
    func ignoresImagesBetweenOffAndOn(kind: DocumentKind, text: String) {
        expectReferences(text, kind)
    }

    @Test func keepsDefinitionUsedWhileOff() {
        let text =
            "![a][r]\n\n<!-- imgbake-off -->\n\n![b][r]\n\n<!-- imgbake-on -->\n\n[r]: a.png 't'\n"
        #expect(
            replaceAll(text, .markdown, with: ["n.png"])
                == "![a](n.png \"t\")\n\n<!-- imgbake-off -->\n\n![b][r]\n\n<!-- imgbake-on -->\n\n"
                + "[r]: a.png 't'\n")
    }
}
