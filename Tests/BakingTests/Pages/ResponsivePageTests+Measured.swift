import Foundation
import Testing

@testable import Baking
@testable import Pages
@testable import Reports
@testable import Sites

/// Widths that were measured.
extension ResponsivePageTests {
    private func sizes(
        _ place: String, _ text: String, stretches: Bool = false, error: Double = 0
    ) -> (inout ReadingOptions) -> Void {
        let groups = [WidthPieces(text)].compactMap(\.self).map {
            SizesFile.Group(place: place, widths: $0, stretches: stretches, error: error)
        }
        return { $0.sizes = SizesFile(groups) }
    }

    private var group: (inout ReadingOptions) -> Void {
        sizes("body > p.a.b > img", "(min-width: 900px) 700px, calc(100vw - 40px)")
    }

    private func sizesOf(_ html: String, _ change: (inout ReadingOptions) -> Void) throws -> String?
    {
        let page = try baked(html, change)
        let parts = page.components(separatedBy: "sizes=\"")
        return parts.count > 1 ? parts[1].components(separatedBy: "\"")[0] : nil
    }

    @Test func measuredWidthComesAfterTheAuthorAndBeforeAuto() throws {
        let measured = "(min-width: 900px) 700px, calc(100vw - 40px)"
        let image = Self.fluid + "<p class='b a'><img src=http://h/a"
        #expect(try sizesOf(image + ">", group) == measured)
        #expect(try sizesOf(image + " sizes=50vw>", group) == nil)
        #expect(try sizesOf(image + " data-imgbake-sizes=50vw>", group) == "50vw")
        // Without the file this is auto.
        let lazy = image + " width=1200 height=800 loading=lazy>"
        #expect(try sizesOf(lazy) { _ in }?.hasPrefix("auto, ") == true)
        #expect(try sizesOf(lazy, group) == measured)
        #expect(
            try sizesOf(image + ">") { reading in
                group(&reading)
                reading.responsive.sizes = ImageSizes("70vw") ?? .viewport
            } == measured)
    }

    @Test func measuredWidthIsLimitedByTheImage() throws {
        let wide = sizes("body > p > img", "calc(100vw - 40px)")
        let image = Self.fluid + "<p><img src=http://h/a"
        #expect(
            try sizesOf(image + ">", wide) == "(min-width: 1240px) 1200px, calc(100vw - 40px)")
        #expect(
            try sizesOf(image + " width=600>", wide)
                == "(min-width: 640px) 600px, calc(100vw - 40px)")
    }

    @Test func measuredWidthServesImagesWhoseStyleDecidesIt() throws {
        let styles = "<style>p { display: grid } img { width: 100% }</style>"
        let html = styles + "<p><img src=http://h/a>"
        #expect(try sizesOf(html) { _ in } == nil)
        let stretched = sizes("body > p > img", "calc(100vw - 40px)", stretches: true)
        #expect(try sizesOf(html, stretched) == "calc(100vw - 40px)")
        let page = try baked(html, stretched)
        #expect(page.contains(sources) && !page.contains("width=\"1200\""))
    }

    @Test func unevenGroupsAndNaturalSizesKeepOneFile() throws {
        let uneven = sizes("body > p > img", "50vw", stretches: true, error: 5.1)
        let html = "<style>img { width: 100% }</style><p><img src=http://h/a>"
        #expect(try sizesOf(html, uneven) == nil)
        let even = sizes("body > p > img", "50vw", stretches: true, error: 5)
        #expect(try sizesOf(html, even) == "50vw")
        let natural =
            "<style>img { width: 100%; object-fit: none }</style><p><img src=http://h/a>"
        #expect(try sizesOf(natural, even) == nil)
        let unknown = "<link rel=stylesheet href=http://other/x.css><p><img src=http://h/a>"
        #expect(try sizesOf(unknown, even) == nil)
    }

    @Test func placesHaveNamesClassesAndSizingStyles() throws {
        func unmeasured(_ html: String) -> [String] {
            let plan = plan(html, group)
            return plan.references.items.compactMap { $0.responsive?.unmeasuredPlace }
        }
        #expect(
            unmeasured("<body class='post-12 home'><main><img class='b A' src=http://h/a>")
                == ["body.home > main > img.a.b"])
        #expect(
            unmeasured("<p style='color:red'><img style='width: 50%;  float: left' src=http://h/a>")
                == ["body > p > img[style=width: 50%;float: left]"])
        #expect(unmeasured("<p><img width=50% src=http://h/a>") == ["body > p > img[width=50%]"])
        #expect(
            unmeasured(String(repeating: "<div class=x>", count: 300) + "<img src=http://h/a>")
                == [])
        // It is used, also where the image is the site's own and is not baked.
        #expect(plan("<p class='a b'><img src=/own.png>", group).references.usedGroups == [0])
    }
}
