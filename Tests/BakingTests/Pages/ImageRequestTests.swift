import Documents
import ImageFormats
import Recipes
import Testing

@testable import Baking
@testable import Pages
@testable import Pictures
@testable import Reports
@testable import Sites

/// The options of single images: those of the bake, then the role, the control and the claims.
@Suite struct ImageRequestTests {
    private func control(
        format: String? = nil, quality: String? = nil, width: String? = nil
    ) -> ImageControl {
        var control = ImageControl()
        control.format = format
        control.quality = quality
        control.maximumWidth = width
        return control
    }

    @Test(
        arguments: [
            ("webp", .webp), ("AVIF", .avif), ("Jpeg", .jpeg), ("png", .png), ("keep", .keep),
            ("auto", .auto),
        ] as [(String, FormatChoice)])
    func readsFormatInAnyCase(text: String, format: FormatChoice) throws {
        var options = VariantOptions(format: .png, quality: 7)
        options.isForReaders = true
        let controlled = try options.applying(control(format: text))
        #expect(controlled.format == format)
        // The author has decided for the readers, too.
        #expect(!controlled.isForReaders)
        #expect(controlled.quality == 7)
    }

    @Test(
        arguments: [
            (nil, "1", nil, 1, 1600), (nil, "100", nil, 100, 1600), (nil, nil, "1", nil, 1),
            (nil, nil, "65535", nil, 65_535), (nil, nil, "none", nil, nil),
            (nil, nil, "NONE", nil, nil), (nil, "007", "+8", 7, 8), (nil, nil, nil, nil, 1600),
            (nil, "auto", nil, .level(.medium), 1600), (nil, "HIGH", nil, .level(.high), 1600),
            (nil, "low", nil, .level(.low), 1600),
        ] as [(String?, String?, String?, Quality?, Int?)])
    func readsQualityAndWidth(
        format: String?, quality: String?, width: String?, expected: Quality?, maximum: Int?
    ) throws {
        let options = try VariantOptions().applying(
            control(format: format, quality: quality, width: width))
        #expect(options.quality == expected)
        #expect(options.maximumWidth == maximum)
        #expect(options.format == .auto)
    }

    @Test(
        arguments: [
            ("jpg", nil, nil), ("", nil, nil), (nil, "0", nil), (nil, "101", nil),
            (nil, "best", nil), (nil, "", nil), (nil, "80.5", nil), (nil, " 80", nil),
            (nil, nil, "0"), (nil, nil, "65536"), (nil, nil, "-1"), (nil, nil, ""),
            (nil, nil, "99999999999999999999"), ("webp", "80", "wide"),
        ] as [(String?, String?, String?)])
    func reportsInvalidControlWithValue(
        format: String?, quality: String?, width: String?
    ) throws {
        let problem = #expect(throws: Problem.self) {
            try VariantOptions().applying(control(format: format, quality: quality, width: width))
        }
        #expect(try #require(problem).code == .invalidControl)
        let value = [width, quality, format].compactMap(\.self).first ?? ""
        #expect(try #require(problem).reason.contains("\"\(value)\""))
    }

    @Test(
        arguments: [
            (("x", nil, nil), FormatChoice.allCases.map(\.rawValue)),
            ((nil, "x", nil), ["1", "100"] + Quality.names.map(\.name)),
            ((nil, nil, "x"), ["1", "65535"]),
        ] as [((String?, String?, String?), [String])])
    func problemOfAControlTellsTheAllowedValues(
        values: (String?, String?, String?), allowed: [String]
    ) throws {
        let problem = try #require(throws: Problem.self) {
            try VariantOptions().applying(
                control(format: values.0, quality: values.1, width: values.2))
        }
        let words = problem.reason.split { " ,".contains($0) }.map(String.init)
        #expect(Set(allowed).isSubset(of: words))
    }

    @Test(arguments: Reference.Role.allCases)
    func roleLimitsFormat(role: Reference.Role) {
        let options = VariantOptions(format: .avif, quality: 50, maximumWidth: 300)
        let suited = options.suited(to: role)
        switch role {
        case .icon:
            #expect(suited.format == .keep && suited.maximumWidth == nil && suited.quality == 50)
        case .social, .enclosure:
            #expect(suited.isForReaders && suited.format == .avif && suited.maximumWidth == 300)
        default: #expect(suited == options)
        }
    }

    @Test func claimFixesFormatOrSize() {
        var options = VariantOptions(format: .avif, quality: 50, maximumWidth: 300)
        options.isForReaders = true
        #expect(options.keeping([]) == options)
        let format = options.keeping(.format)
        #expect(format.format == .keep && !format.isForReaders && format.maximumWidth == 300)
        let size = options.keeping(.size)
        #expect(size.format == .avif && size.isForReaders && size.maximumWidth == nil)
        #expect(options.keeping([.format, .size]).keeping(.size).format == .keep)
    }

    private func plan(_ text: String, isInPlace: Bool = true) -> PlannedReferences {
        let site = Site(
            root: "/nowhere", displayRoot: ".", isInPlace: isInPlace, reading: ReadingOptions())
        return DocumentPlan(Array(text.utf8), kind: .html, path: "a.html", site: site).references
    }

    @Test func mergesEqualRequests() {
        let references = plan(
            """
            <img src=http://h/a.png><img src=http://h/a.png#b><img src=http://h/b.png>
            <img src=http://h/a.png data-imgbake-quality=5>
            """)
        #expect(references.items.count == 4)
        #expect(
            references.items.requests.map(\.source.key) == [
                "http://h/a.png", "http://h/b.png",
                "http://h/a.png",
            ])
        #expect(references.items.requests.map(\.options.quality) == [nil, nil, 5])
        #expect(references.items.map(\.fragment) == ["", "#b", "", ""])
    }

    @Test func controlOverridesRole() {
        let references = plan(
            """
            <link rel=icon href=http://h/a.png>
            <link rel=icon href=http://h/b.png data-imgbake-max-width=32>
            <meta property=og:image content=http://h/c.png>
            """)
        #expect(references.items.map(\.request.options.format) == [.keep, .keep])
        #expect(references.items.map(\.request.options.maximumWidth) == [nil, 32])
        #expect(references.unusable.map(\.reference.url) == ["http://h/c.png"])
        #expect(references.unusable.map(\.problem.code) == [.needsSiteURL])
    }

    private func finished(_ text: String, baked: [String], isCopy: Bool) -> Set<Int> {
        let references = plan(text)
        let replaced = references.items.filter { baked.contains($0.reference.url) }.map {
            Replacement(reference: $0.reference, url: "x")
        }
        return references.finishedControls(after: replaced, isCopy: isCopy)
    }

    @Test func removesControlWhenAllImagesAreLocal() {
        let text = """
            <img data-imgbake-quality=5 src=http://h/a.png srcset="http://h/b.png 2x">
            <img data-imgbake=off src=http://h/c.png>
            <img data-imgbake-quality=bad src=http://h/d.png>
            """
        let all = ["http://h/a.png", "http://h/b.png"]
        for isCopy in [false, true] {
            #expect(finished(text, baked: ["http://h/a.png"], isCopy: isCopy).contains(0) == false)
            #expect(finished(text, baked: all, isCopy: isCopy).contains(0))
            #expect(!finished(text, baked: all, isCopy: isCopy).contains(2))
        }
        // In place, the next bake still needs it.
        #expect(finished(text, baked: all, isCopy: false) == [0])
        #expect(finished(text, baked: all, isCopy: true) == [0, 1])
    }

    @Test func countsReferencesThatAreNotBaked() {
        let references = plan(
            "<img src=http://h:99999/><img src=local.png><img src=data:,x><img src=ftp://h/x>")
        #expect(references.items.isEmpty)
        #expect(references.unusable.map(\.problem.code) == [.invalidURL, .invalidURL])
        #expect(references.count == 2)
        #expect(references.remote.map(\.url) == ["http://h:99999/", "ftp://h/x"])
    }
}
