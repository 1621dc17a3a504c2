import DocumentSyntax
import StyleSizing
import Testing

@testable import Documents

/// Sources that a rewrite adds to a `<picture>` of the author.
@Suite struct AddedSourceTests {
    private var options: ExtractionOptions {
        var options = ExtractionOptions()
        options.describesImages = true
        return options
    }

    private func found(_ text: String) -> Extraction {
        extract(Array(text.utf8), kind: .html, options: options)
    }

    /// The text with a source before each child of a picture, by the first reference of each.
    private func rewritten(
        _ text: String, _ sources: [Replacement.Responsive.Source]? = nil, to url: String = "n.jpg",
        dropping: Set<Int> = []
    ) throws -> Rewrite {
        let extraction = found(text)
        var seen: Set<AuthorPicture.Place> = []
        let replacements = extraction.references.map { reference in
            let isFirst = reference.member.map { seen.insert($0).inserted } ?? false
            return Replacement(
                reference: reference, url: url, sources: isFirst ? sources ?? [source] : [])
        }
        return try rewrite(
            Array(text.utf8), extraction: extraction, replacements: replacements,
            dropping: dropping)
    }

    private var source: Replacement.Responsive.Source {
        var source = Replacement.Responsive.Source(
            mediaType: "image/avif",
            candidates: [.init(url: "s,&.avif", width: 300), .init(url: "n.avif", width: 600)],
            sizes: "50vw")
        (source.media, source.width, source.height) = ("(width > 9px)", "600", "400")
        return source
    }

    private let added =
        #"<source style="display:none" type="image/avif" media="(width > 9px)" "#
        + #"srcset="s,&amp;.avif 300w, n.avif 600w" sizes="50vw" width="600" height="400">"#

    private func text(_ rewrite: Rewrite) -> String {
        String(decoding: rewrite.bytes, as: UTF8.self)
    }

    /// `@` stands for the place of a new source, `#` for a URL.
    @Test(arguments: [
        "<picture>@<img src=#></picture>", "<p><PICTURE >\n @<IMG src='#' alt=x>\n</picture>y",
        "<picture>@<source srcset='# 300w, # 600w' sizes=9px>@<img src=#></picture>",
        "<picture>\n@<source media=print type=image/png srcset='#'/>\n@<img src='#' srcset='# 2x'/>",
        "<b><picture>@<img src=#></picture><p></b>x<picture id=a>@<img src=#></picture>",
        "<picture>x<source media=a><!-- < -->@<img src=#><source srcset=x.jpg></picture>y",
        "<ul><li><picture>@<img src=#><li></picture><template><picture>@<img src=#></template>",
    ])
    func sourceStandsBeforeTheChild(document: String) throws {
        let original = document.replacing("@", with: "").replacing("#", with: "http://h/a.jpg")
        let skipped = document.contains("x.jpg")
        var expected = document.replacing("#", with: "n.jpg").replacing("@", with: added)
        if skipped {
            // An element after the image is no child that counts, but it names an image.
            expected = expected.replacing("srcset=x.jpg", with: "srcset=n.jpg")
        }
        let extraction = found(original)
        if skipped {
            #expect(extraction.pictures.map(\.isIrregular) == [true])
            return
        }
        #expect(extraction.pictures.allSatisfy { !$0.isIrregular && $0.image != nil })
        let result = try rewritten(original)
        #expect(text(result) == expected)
        #expect(apply(result.edits.splices, to: Array(original.utf8)) == result.bytes)
    }

    @Test func childrenAreDescribed() throws {
        let text = """
            <picture class=p><source media='(a)' type=image/webp srcset='a 1x, b 2x' width=3 height=4>\
            <source srcset='c 9w' sizes=1px><img class=i src=d></picture>\
            <picture><source media=all></picture><picture><span><img src=e></span></picture>
            """
        let pictures = found(text).pictures
        let members = try #require(pictures.first?.members)
        #expect(members.map(\.media) == ["(a)", nil, nil])
        #expect(members.map(\.type) == ["image/webp", nil, nil])
        #expect(members.map(\.sizes) == [nil, "1px", nil])
        #expect(members.map(\.width) == ["3", nil, nil])
        #expect(members.map(\.height) == ["4", nil, nil])
        #expect(members.map(\.hasSet) == [true, true, false])
        #expect(members.map(\.isImage) == [false, false, true])
        #expect(pictures[0].image?.classes == ["i"])
        #expect(pictures.dropFirst().allSatisfy { $0.image == nil })
        let places = found(text).references.map(\.member)
        #expect(places.map { $0?.member } == [0, 0, 1, 2, nil])
    }

    @Test(arguments: [
        "<picture><img src=a data-src=b></picture>", "<picture><img src=a><img src=b></picture>",
        "<picture><source src=a><img src=b></picture>",
        "<picture style=\"display:contents\"><img src=a></picture>",
    ])
    func pictureIsIrregular(text: String) {
        #expect(found(text).pictures.map(\.isIrregular) == [true])
    }

    @Test(arguments: ["<img src=a>", "<svg><picture><source srcset=a></picture></svg>"])
    func elementIsInNoPicture(text: String) {
        #expect(found(text).pictures.isEmpty)
    }

    @Test func oneEditHoldsTheSourcesOfAChild() throws {
        let result = try rewritten(
            "<picture><source srcset='a 1w, b 2w'><img src=c></picture>")
        #expect(result.edits.map { $0.splices.count } == [3, 2])
        #expect(result.edits.map(\.smaller) == Array(repeating: ["s,&.avif", "n.avif"], count: 2))
        for edit in result.edits {
            for image in edit.images { #expect(edit.splices[image.splice].text == "n.jpg") }
        }
    }

    @Test func sourcesOfAnEarlierBakeCanBeRewritten() throws {
        let first = text(
            try rewritten("<picture><source srcset='a 1w'><img src=b></picture>"))
        #expect(found(first).pictures.first?.members.count == 4)
        let again = text(try rewritten(first, [], to: "m.jpg"))
        #expect(
            again
                == first.replacing("s,&amp;.avif", with: "m.jpg")
                .replacing("n.avif", with: "m.jpg").replacing("n.jpg", with: "m.jpg"))
    }

    @Test func controlsAreRemovedAtOnce() throws {
        let result = try rewritten(
            "<picture><img data-imgbake-formats=avif src=a></picture>", dropping: [0])
        #expect(text(result) == "<picture>\(added)<img src=n.jpg></picture>")
    }

    @Test(arguments: ["1\" onload=\"x", "a\"><p>", "a\"><source srcset=\""])
    func otherTextIsNotWritten(value: String) {
        for path: WritableKeyPath<Replacement.Responsive.Source, String?> in [
            \.sizes, \.media, \.width,
        ] {
            var source = source
            source[keyPath: path] = value
            #expect(throws: RewriteError.self) {
                try rewritten("<picture><img src=a></picture>", [source])
            }
        }
    }
}
