import Documents
import ImageFormats
import Recipes
import StyleSizing
import Testing

@testable import Baking
@testable import Pages
@testable import Pictures
@testable import Reports
@testable import Sites

/// Which images get a `<picture>`, and what it holds.
@Suite struct ResponsivePictureTests {
    private static let fluid = "<style>img { max-width: 100%; height: auto }</style>"

    private func plan(
        _ text: String, sheets: [String: String] = [:],
        _ change: (inout ReadingOptions) -> Void = { _ in }
    ) -> DocumentPlan {
        var reading = ReadingOptions()
        reading.responsive.isOn = true
        reading.responsive.formats = [.avif, .webp]
        reading.styles = SiteStyles(sheets: sheets.mapValues { SizingRules(Array($0.utf8)) })
        change(&reading)
        let site = Site(root: "/nowhere", displayRoot: "site", isInPlace: true, reading: reading)
        return DocumentPlan(Array(text.utf8), kind: .html, path: "a.html", site: site)
    }

    /// The formats that are asked for, for each image of a page.
    private func formats(_ text: String, sheets: [String: String] = [:]) -> [[ImageFormat]] {
        plan(text, sheets: sheets).references.items.map(\.request.formats)
    }

    /// The page after a bake of an image of 1200 × 800 pixels with files in AVIF and WebP.
    private func baked(_ text: String, withWebP: Bool = true) throws -> String {
        let plan = plan(text)
        var known: [ImageRequest: ImageOutcome] = [:]
        for request in plan.references.items.requests {
            var image = BakedImage(
                url: request.source.key, options: request.options, sourceDigest: .ofNoBytes,
                sourceByteCount: 9000, fileName: "i.jpg", byteCount: 900, format: .jpeg,
                width: 1200, height: 800,
                original: .init(format: .jpeg, width: 1200, height: 800))
            image.formats = request.formats
            let widths = request.widths.filter { $0 < 1200 }.suffix(1) + [1200]
            for width in request.formats.isEmpty ? [] : widths {
                image.alternatives.append(file(width, .avif))
            }
            if withWebP, !request.formats.isEmpty { image.alternatives.append(file(1200, .webp)) }
            known[request] = .baked(image, warning: nil)
        }
        let result = try BakedReferences(of: plan, outcomes: known).rewritten()
        return String(decoding: result.bytes ?? plan.bytes, as: UTF8.self)
            .replacing("imgbake/", with: "")
    }

    private func file(_ width: Int, _ format: ImageFormat) -> VariantFile {
        VariantFile(
            fileName: "\(width).\(format)", byteCount: width, format: format, width: width,
            height: width * 2 / 3)
    }

    private let start = "<picture style=\"display:contents\">"

    @Test func eachFormatIsASource() throws {
        let sizes = "sizes=\"(max-width: 1200px) 100vw, 1200px\""
        #expect(
            try baked(Self.fluid + "<p><img class=x id=y src=http://h/a alt=z decoding=sync>")
                == Self.fluid + "<p>" + start
                + "<source style=\"display:none\" type=\"image/avif\" srcset=\"960.avif 960w, 1200.avif 1200w\" \(sizes)>"
                + "<source style=\"display:none\" type=\"image/webp\" srcset=\"1200.webp\">"
                + "<img class=x id=y src=i.jpg width=\"1200\" height=\"800\" alt=z decoding=sync></picture>"
        )
    }

    @Test func imageOfUnknownWidthHasOneFilePerFormat() throws {
        #expect(
            try baked("<img src=http://h/a decoding=sync>")
                == start
                + "<source style=\"display:none\" type=\"image/avif\" srcset=\"1200.avif\">"
                + "<source style=\"display:none\" type=\"image/webp\" srcset=\"1200.webp\">"
                + "<img src=i.jpg decoding=sync></picture>")
    }

    @Test func automaticSizesStandOnBoth() throws {
        let sizes = "sizes=\"auto, (max-width: 600px) 100vw, 600px\""
        let image = "<img width=600 height=400 loading=lazy decoding=sync src=http://h/a>"
        #expect(
            try baked(Self.fluid + image, withWebP: false) == Self.fluid + start
                + "<source style=\"display:none\" type=\"image/avif\" srcset=\"960.avif 960w, 1200.avif 1200w\" \(sizes)>"
                + "<img width=600 height=400 loading=lazy decoding=sync src=i.jpg \(sizes)>"
                + "</picture>")
    }

    @Test func sizesOfTheAuthorStandInTheSourcesToo() throws {
        #expect(
            try baked("<img sizes=50vw decoding=sync src=http://h/a>", withWebP: false) == start
                + "<source style=\"display:none\" type=\"image/avif\" srcset=\"960.avif 960w, 1200.avif 1200w\" "
                + "sizes=\"50vw\"><img sizes=50vw decoding=sync src=i.jpg width=\"1200\">"
                + "</picture>")
    }

    @Test(arguments: [
        "<svg><img src=http://h/a></svg>", "<img src=http://h/a data-src=http://h/b>",
        "<img src=http://h/a style='width: inherit'>",
        "<img src=http://h/a data-imgbake-formats=off>",
        "<img src=http://h/a data-imgbake-widths=off>",
        "<style>p > img { color: red }</style><p><img src=http://h/a>",
        "<style>a > img { color: red }</style><a><img src=http://h/a></a>",
        "<style>img:first-child { color: red }</style><img src=http://h/a>",
        "<style>p > *::before { content: 'x' }</style><p><img src=http://h/a>",
        "<style>figure > img + figcaption { color: red }</style>"
            + "<figure><img src=http://h/a><figcaption>x</figure>",
        "<link rel=stylesheet href=s.css><b><img src=http://h/a></b>",
        "<link rel=stylesheet href=missing.css><img src=http://h/a>",
        "<link rel=stylesheet href=https://h/s.css><img src=http://h/a>",
        "<meta http-equiv=content-security-policy content=\"style-src 'self'\"><img src=http://h/a>",
        "<link rel=preload as=image href=http://h/a><img src=http://h/a>",
        "<link rel=icon href=http://h/a>", "<video poster=http://h/a></video>",
        "<style>* { display: inherit }</style><img src=http://h/a>", "<img slot=x src=http://h/a>",
        "<p><template shadowrootmode=open><style>::slotted(img) { color: red }</style><slot></slot>"
            + "</template><img src=http://h/a>",
    ])
    func elementGetsNoPicture(text: String) {
        let asked = formats(text, sheets: ["s.css": "b > * { color: red }"])
        #expect(!asked.isEmpty && asked.allSatisfy(\.isEmpty))
    }

    @Test(arguments: [
        "<style>p > img { color: red }</style><p><b><img src=http://h/a></b>",
        "<style>figure > img + figcaption { color: red }</style><p><img src=http://h/a>",
        "<link rel=stylesheet href=s.css><p><img src=http://h/a>",
        "<style>p { display: flex } img { width: 50% }</style><p><img src=http://h/a>",
        "<style>* { box-sizing: inherit } picture { display: block }</style><img src=http://h/a>",
        "<style>*, ::before { margin: 0 } ::after { content: none }</style><img src=http://h/a>",
        "<meta http-equiv=content-security-policy content=\"img-src *\"><img src=http://h/a>",
    ])
    func elementGetsAPicture(text: String) {
        let asked = formats(text, sheets: ["s.css": "b > * { color: red }"])
        #expect(asked == [[.avif, .webp]])
    }

    @Test func controlOfAnElementCounts() {
        #expect(
            formats("<img src=http://h/a data-imgbake-formats='JPEG, avif'>") == [[.jpeg, .avif]])
        #expect(formats("<img src=http://h/a data-imgbake-formats=Off>") == [[]])
    }

    @Test(arguments: ["", "gif", "webp png svg", "webp webp", "none"])
    func invalidControlIsNamed(value: String) {
        let references = plan("<img src=http://h/a data-imgbake-formats='\(value)'>").references
        #expect(references.invalidControls.map(\.problem.code) == [.invalidControl])
        #expect(references.items.isEmpty)
    }

    @Test func rememberedDocumentKeepsItsFiles() throws {
        var image = BakedImage(
            url: "http://h/a.jpg", options: VariantOptions(),
            sourceDigest: .ofNoBytes, sourceByteCount: 9,
            fileName: "i-0123456789abcdef.jpg", byteCount: 9, format: .jpeg, width: 3, height: 2,
            original: .init(format: .jpeg, width: 3, height: 2))
        (image.widths, image.formats) = ([], [.avif, .webp])
        image.alternatives = [ImageFormat.avif, .webp].map { format in
            VariantFile(
                fileName: "i-0123456789abcdef.\(format)", byteCount: 8, format: format, width: 3,
                height: 2)
        }
        let document = BakedDocument(referenceCount: 1, images: [image])
        #expect(remembered(document) == document)
    }
}
