import Documents
import ImageFormats
import Recipes
import Testing

@testable import Baking
@testable import Pages
@testable import Pictures
@testable import Sites

/// Which sources a `<picture>` of the author gets, and what they hold.
@Suite struct PictureCompletionTests {
    private func plan(_ text: String) -> DocumentPlan {
        var reading = ReadingOptions()
        reading.responsive.isOn = true
        reading.responsive.formats = [.avif, .webp]
        reading.responsive.widths = [300]
        reading.styles = SiteStyles(sheets: [:])
        let site = Site(root: "/nowhere", displayRoot: "site", isInPlace: true, reading: reading)
        return DocumentPlan(Array(text.utf8), kind: .html, path: "a.html", site: site)
    }

    /// The page after a bake of images whose URLs give their widths, such as `http://h/600`; there
    /// are no files of these in `lacking`.
    private func baked(_ text: String, lacking: [Int: ImageFormat] = [:]) throws -> String {
        let plan = plan(text.replacing("@", with: "http://h/"))
        var known: [ImageRequest: ImageOutcome] = [:]
        for request in plan.references.items.requests {
            let width = Int(request.source.key.dropFirst("http://h/".count)) ?? 9
            var image = BakedImage(
                url: request.source.key, options: request.options, sourceDigest: .ofNoBytes,
                sourceByteCount: 9000, fileName: "\(width).jpg", byteCount: 900, format: .jpeg,
                width: width, height: width / 2,
                original: .init(format: .jpeg, width: width, height: width / 2))
            if request.options.isFormatStated {
                image.format = width == 700 ? .avif : .webp
                image.fileName = "\(width).\(image.format)"
            }
            image.formats = request.formats
            for format in request.formats where lacking[width] != format {
                for one in request.widths.filter({ $0 < width }) + [width] {
                    image.alternatives.append(
                        VariantFile(
                            fileName: "\(one).\(format)", byteCount: one, format: format,
                            width: one, height: one / 2))
                }
            }
            known[request] = .baked(image, warning: nil)
        }
        let result = try BakedReferences(of: plan, outcomes: known).rewritten()
        return String(decoding: result.bytes ?? plan.bytes, as: UTF8.self)
            .replacing("imgbake/", with: "").replacing(" style=\"display:none\"", with: "")
            .replacing(" type=\"image/", with: " ")
    }

    @Test func eachFormatStandsBeforeTheImage() throws {
        #expect(
            try baked("<picture><img alt=x src=@600></picture>")
                == "<picture><source avif\" srcset=\"600.avif\"><source webp\" srcset=\"600.webp\">"
                + "<img alt=x src=600.jpg></picture>")
    }

    @Test func eachMediaGroupGetsItsOwn() throws {
        let text = "<picture><source media=print srcset=@500><source media='(a)' width=4 height=2 "
        let rest = "srcset='@400, @800 2x'><img src=@600></picture>"
        let middle = "media=\"(a)\" srcset=\"400.avif, 800.avif 2x\" width=\"4\" height=\"2\">"
        #expect(
            try baked(text + rest)
                == "<picture><source avif\" media=\"print\" srcset=\"500.avif\">"
                + "<source webp\" media=\"print\" srcset=\"500.webp\"><source media=print srcset=500.jpg>"
                + "<source avif\" \(middle)<source webp\" \(middle.replacing("avif", with: "webp"))"
                + "<source media='(a)' width=4 height=2 srcset='400.jpg, 800.jpg 2x'>"
                + "<source avif\" srcset=\"600.avif\"><source webp\" srcset=\"600.webp\">"
                + "<img src=600.jpg></picture>")
    }

    @Test func onlyMissingFormatsAreAddedInTheirOrder() throws {
        #expect(
            try baked("<picture><source srcset=@600 type=image/webp><img src=@600></picture>")
                == "<picture><source avif\" srcset=\"600.avif\"><source srcset=600.webp type=image/webp>"
                + "<img src=600.jpg></picture>")
        #expect(
            try baked("<picture><source type=image/avif srcset=@700><img src=@500></picture>")
                == "<picture><source type=image/avif srcset=700.avif><source webp\" srcset=\"500.webp\">"
                + "<img src=500.jpg></picture>")
        let both =
            "<picture><source type=image/webp srcset=@400><source type=image/avif srcset=@500>"
        #expect(try !baked(both + "<img src=@600></picture>").contains("<source avif"))
    }

    @Test func fallbackIsForAllBrowsers() {
        let items = plan(
            "<picture><source type=image/avif srcset=http://h/1><source type=image/webp srcset=http://h/2>"
                + "<source srcset=http://h/3><img src=http://h/4></picture>"
        ).references.items
        #expect(items.map(\.request.options.isForReaders) == [false, false, true, true])
        #expect(items.map(\.request.options.isFormatStated) == [true, true, false, false])
    }

    @Test func widthsOfASetAreCompleted() throws {
        #expect(
            try baked(
                "<picture><source srcset='@500 500w, @900 900w' sizes=50vw><img src=@600></picture>"
            )
            .hasPrefix(
                "<picture><source avif\" srcset=\"300.avif 300w, 500.avif 500w, 900.avif 900w\" "
                    + "sizes=\"50vw\"><source webp\" "))
    }

    @Test func imageOfOneDensityBelongsToTheSet() throws {
        #expect(
            try baked("<picture><img src=@400 srcset='@800 2x'></picture>")
                .hasPrefix("<picture><source avif\" srcset=\"400.avif, 800.avif 2x\"><source webp"))
        #expect(
            try baked("<picture><img src=@200 srcset='@400 1x, @800 2x'></picture>")
                .hasPrefix("<picture><source avif\" srcset=\"400.avif 1x, 800.avif 2x\"><source"))
    }

    @Test func formatThatABrowserCouldNotChooseAmongIsLeftOut() throws {
        let set = "<picture><img src=@400 srcset='@800 2x'></picture>"
        #expect(try !baked(set, lacking: [800: .avif]).contains("avif"))
        let wide = "<picture><source srcset='@500 500w, @900 900w'><img src=@600></picture>"
        #expect(try !baked(wide, lacking: [900: .avif]).contains("900.avif"))
        #expect(
            try baked(wide, lacking: [500: .avif]).contains("\"300.avif 300w, 900.avif 900w\""))
    }

    @Test(arguments: [
        "<style>img:first-child { color: red }</style><picture><img src=http://h/1></picture>",
        "<style>* + img { color: red }</style><picture><img src=http://h/1></picture>",
        "<style>source + img { color: red }</style>"
            + "<picture><source srcset=http://h/2 media=print><img src=http://h/1></picture>",
        "<style>source + source + img { color: red }</style>"
            + "<picture><source srcset=http://h/2 media=print><img src=http://h/1></picture>",
        "<style>img:nth-child(2) { color: red }</style>"
            + "<picture><source srcset=http://h/2 media=print><img src=http://h/1></picture>",
        "<style>picture:has(source) { color: red }</style><picture><img src=http://h/1></picture>",
        "<style>p:is(:has(> source)) { margin: 0 }</style><picture><img src=http://h/1></picture>",
        "<style>a:has(img:not(:first-child)) { margin: 0 }</style>"
            + "<picture><img src=http://h/1></picture>",
        "<style>@scope (source + img) { b { margin: 0 } }</style>"
            + "<picture><img src=http://h/1></picture>",
        "<link rel=stylesheet href=missing.css><picture><img src=http://h/1></picture>",
        "<meta http-equiv=content-security-policy content=\"style-src 'self'\">"
            + "<picture><img src=http://h/1></picture>",
        "<link rel=preload as=image href=http://h/1><picture><img src=http://h/1></picture>",
        "<picture><img src=http://h/1 data-imgbake-formats=off></picture>",
        "<picture data-imgbake-widths=off><img src=http://h/1></picture>",
        "<picture><img src=http://h/1 data-src=http://h/2></picture>",
        "<picture><img src=http://h/1 srcset='http://h/2 100h'></picture>",
        "<picture><source type=image/jxl srcset=http://h/2><source media='\u{E9}' srcset=http://h/2>"
            + "</picture>",
    ])
    func pictureStaysAsItIs(text: String) {
        let items = plan(text).references.items
        #expect(!items.isEmpty && items.allSatisfy { $0.request.formats.isEmpty })
    }

    @Test(arguments: [
        "<style>p > img, img:hover { color: red }</style>",
        "<style>p:first-child, img + p { color: red }</style>",
        "<style>* + * { margin: 0 }</style>", "<style>picture > img { color: red }</style>",
    ])
    func styleSheetNoticesNothing(text: String) {
        let picture =
            "<picture><source media=print srcset=http://h/2><img src=http://h/1></picture>"
        #expect(
            plan(text + picture).references.items.map(\.request.formats)
                == [[.avif, .webp], [.avif, .webp]])
    }
}
