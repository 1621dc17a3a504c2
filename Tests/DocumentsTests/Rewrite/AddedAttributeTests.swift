import DocumentSyntax
import StyleSizing
import Testing

@testable import Documents

/// Attributes that a rewrite adds to an `<img>`.
@Suite struct AddedAttributeTests {
    private var options: ExtractionOptions {
        var options = ExtractionOptions()
        options.describesImages = true
        return options
    }

    private var all: Replacement.Responsive {
        var all = Replacement.Responsive()
        all.width = 600
        all.candidates = [.init(url: "s,&.webp", width: 300), .init(url: "n.webp", width: 600)]
        all.sizes = "(width > 600px) 600px, 100vw"
        (all.loadsLazily, all.decodesLater) = (true, true)
        return all
    }

    private func rewritten(
        _ text: String, _ added: Replacement.Responsive, size: Replacement.Size? = nil,
        dropping: Set<Int> = []
    ) throws -> Rewrite {
        let bytes = Array(text.utf8)
        let extraction = extract(bytes, kind: .html, options: options)
        let replacements = extraction.references.map {
            Replacement(reference: $0, url: "n.webp", size: size, responsive: added)
        }
        return try rewrite(
            bytes, extraction: extraction, replacements: replacements, dropping: dropping)
    }

    private func text(_ rewrite: Rewrite) -> String {
        String(decoding: rewrite.bytes, as: UTF8.self)
    }

    private let sources = #"srcset="s,&amp;.webp 300w, n.webp 600w""#
    private let sizes = #"sizes="(width > 600px) 600px, 100vw""#
    private let loading = #"loading="lazy" decoding="async""#

    @Test func missingAttributesAreAddedAfterTheSource() throws {
        #expect(
            text(try rewritten("<img src=a alt=x>", all))
                == #"<img src=n.webp width="600" \#(sources) \#(sizes) \#(loading) alt=x>"#)
        #expect(
            text(try rewritten("\u{FEFF}<p><IMG alt='' SRC='a'/>", all))
                == "\u{FEFF}<p><IMG alt='' SRC='n.webp' "
                + #"width="600" \#(sources) \#(sizes) \#(loading)/>"#)
    }

    @Test func attributesOfTheAuthorStay() throws {
        #expect(
            text(try rewritten("<img width=3 sizes=50vw LOADING=eager decoding='' src=a>", all))
                == #"<img width=3 sizes=50vw LOADING=eager decoding='' src=n.webp \#(sources)>"#)
    }

    @Test(arguments: [LoadingStyle.colour(0x00A0FF), LoadingStyle.picture("UklGRg+/AB==")])
    func styleIsAddedOnce(style: String) throws {
        var added = Replacement.Responsive()
        added.style = style
        let first = try rewritten("<p><img src=a alt=x>", added)
        #expect(text(first) == "<p><img src=n.webp style=\"\(style)\" alt=x>")
        let again = try rewritten(text(first), added)
        #expect(text(again) == text(first))
        let size = Replacement.Size(width: 6, height: 4)
        #expect(
            text(try rewritten("<img src=a>", added, size: size))
                == "<img src=n.webp width=\"6\" height=\"4\" style=\"\(style)\">")
    }

    @Test func stylesOfTheAuthorAreKnown() throws {
        func element(_ text: String) throws -> ImageElement {
            let extraction = extract(Array(text.utf8), kind: .html, options: options)
            return try #require(extraction.references.first?.image)
        }
        let added = LoadingStyle.colour(0)
        #expect(try element("<img src=a>").hasStyle == false)
        #expect(try element("<img src=a style>").hasStyle)
        #expect(try element("<img src=a style='color: red'>").hasStyle)
        #expect(try element("<img src=a style='\(added)'>").attributes.style == added)
        for other in [
            "\(added) ", "background:#12345 content-box", "background:#AABBCC content-box",
        ] {
            #expect(try element("<img src=a style='\(other)'>").attributes.style == nil)
        }
        // The image of another style is a reference.
        let styled = "<img src=a style='background:url(data:image/webp;base64,A) 0 0,url(b)'>"
        let found = extract(Array(styled.utf8), kind: .html, options: options).references
        #expect(found.map(\.url).contains("b"))
    }

    @Test func sizeIsWrittenOnce() throws {
        let size = Replacement.Size(width: 600, height: 400)
        #expect(
            text(try rewritten("<img src=a>", all, size: size))
                == #"<img src=n.webp width="600" height="400" \#(sources) \#(sizes) \#(loading)>"#)
    }

    @Test(arguments: [
        "<picture><img src=a></picture>", "<img src=a srcset='b 2x'>", "<img src=a srcset>",
        "<img src=a data-src=b>", "<input type=image src=a>", "<svg><image href=a /></svg>",
        "---\ntitle: x\n---\n<img src=a>",
    ])
    func otherElementsGetNone(source: String) throws {
        #expect(!text(try rewritten(source, all)).contains("300w"))
    }

    @Test func controlsAreRemovedAtOnce() throws {
        let source = "<img data-imgbake-widths=3 src=a><img src=b data-imgbake-format=png>"
        #expect(
            text(try rewritten(source, all, dropping: [0, 1]))
                == #"<img src=n.webp width="600" \#(sources) \#(sizes) \#(loading)>"#
                + #"<img src=n.webp width="600" \#(sources) \#(sizes) \#(loading)>"#)
    }

    @Test func smallerFilesBelongToTheEditOfTheirImage() throws {
        let result = try rewritten("<img src=a><img src=b>", all)
        #expect(result.edits.map(\.smaller) == [["s,&.webp", "n.webp"], ["s,&.webp", "n.webp"]])
        #expect(result.edits.map { $0.splices.count } == [2, 2])
    }

    @Test(arguments: ["1\" onload=\"x", "1 & 2"])
    func otherTextIsNotWritten(sizes: String) {
        var added = all
        added.sizes = sizes.replacing("&", with: "&amp;")
        #expect(throws: RewriteError.self) { try rewritten("<img src=a>", added) }
    }

    @Test func elementsKnowTheirAncestorsAndNumbers() throws {
        let source = """
            <body class='A b'><img src=a><template><picture><img src=b></picture></template>
            <div id=X style='display: flex'><b><img src=c width=3 fetchpriority=HIGH></b></div>
            """
        let references = extract(Array(source.utf8), kind: .html, options: options).references
        let images = references.map(\.image)
        #expect(images.map { $0?.number } == [0, nil, 2])
        #expect(images[0]?.styled.parent?.classes == ["a", "b"])
        let last = try #require(images[2])
        #expect(last.isUrgent && last.attributes.width == "3")
        #expect(last.styled.parent?.name == "b")
        #expect(last.styled.parent?.parent?.id == "x")
        #expect(last.styled.parent?.parent?.ownEffects == .container)
        #expect(extract(Array(source.utf8), kind: .html).references.allSatisfy { $0.image == nil })
    }

    @Test func styleSheetsOfThePageAreFound() throws {
        let source = """
            <link rel="alternate StyleSheet" href=a.css><link rel=icon href=b>
            <link rel=preload as=style href=c.css><style>img { width: 3px }</style>
            """
        let styles = try #require(
            extract(Array(source.utf8), kind: .html, options: options).styles)
        #expect(styles.links.map(\.url) == ["a.css", "c.css"])
        #expect(styles.rules.count == 1)
    }
}
