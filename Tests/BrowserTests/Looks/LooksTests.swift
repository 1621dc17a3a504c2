import TestSupport
import Testing

/// A bake does not change the appearance of a page.
///
/// Each page is loaded in Chromium before and after, at several widths and densities, on screen and in
/// print, in light and dark.
@Suite(.timeLimit(.minutes(10)), .needs(.headlessChromium))
struct LooksTests {
    private let site = LookSite.shared

    @Test(arguments: LookCase.all)
    func imagesKeepTheirBoxes(of lookCase: LookCase) async throws {
        let page = LookPage.holding(lookCase)
        for view in page.views {
            try await compare(lookCase, on: page, view, after: .standard)
        }
    }

    @Test(arguments: LookCase.candidates + LookCase.elements + LookCase.styles)
    func imagesKeepTheirBoxesInAnotherFormat(of lookCase: LookCase) async throws {
        try await compare(lookCase, on: .holding(lookCase), .desktop, after: .jpeg)
    }

    @Test(arguments: LookCase.candidates)
    func imagesKeepTheirBoxesWithoutLimit(of lookCase: LookCase) async throws {
        var exact = lookCase
        exact.tolerance = 0
        exact.mayMergeCandidates = false
        for view in [LookView.desktop, LookView(width: 1200, scale: 2)] {
            try await compare(exact, on: .candidates, view, after: .unlimited)
        }
    }

    /// Pages with the rule `height: auto`, which added dimensions need, and pages without rules.
    @Test(
        arguments: LookCase.candidates + LookCase.formats
            + LookCase.layout.filter { $0.css.isEmpty || $0.css.contains("height: auto") })
    func imagesKeepTheirBoxesWithDimensions(of lookCase: LookCase) async throws {
        try await compare(lookCase, on: .holding(lookCase), .desktop, after: .dimensions)
    }

    /// The files differ from those of another bake, and so do their natural sizes.
    @Test(arguments: LookCase.layout + LookCase.formats + LookCase.styles + LookCase.elements)
    func imagesKeepTheirBoxesWithSeveralFiles(of lookCase: LookCase) async throws {
        let page = LookPage.holding(lookCase)
        for view in page.views {
            let before = try await site.look(page.file, view, after: .standard).boxes(of: lookCase)
            let after = try await site.look(page.file, view, after: .responsive).boxes(of: lookCase)
            try #require(before.map(\.path) == after.map(\.path), "\(view)")
            for (old, new) in zip(before, after) {
                let tolerance = max(lookCase.tolerance, 1.0 / 32)
                // An image that loads lazily and is hidden is not loaded.
                let differences = new.differences(from: old, tolerance: tolerance)
                    .filter { new.width > 0 || !$0.hasSuffix("complete: false") }
                #expect(differences == [], "\(view)")
            }
        }
    }

    @Test(arguments: LookPage.allCases)
    func pixelsAreNearlyEqual(on page: LookPage) async throws {
        for view in page.viewsOfPixels {
            let before = try await site.look(page.file, view, after: nil)
            let after = try await site.look(page.file, view, after: .standard)
            let differences = try await PictureDifference.compare(
                before.picture, after.picture, height: 300, count: page.cases.count)
            for (lookCase, difference) in zip(page.cases, differences) where !lookCase.moves {
                #expect(
                    difference.mean < 8 && difference.worst < 24,
                    "\(lookCase.name), \(view): \(difference)")
            }
        }
    }

    @Test(arguments: [LookPage.candidates, .elements, .styles], [LookBake.standard, .jpeg])
    func typesStayCorrect(on page: LookPage, after bake: LookBake) async throws {
        let before = try await site.look(page.file, .desktop, after: nil).files
        let wrong = before.filter { $0.declared != $0.actual }.map(\.place)
        let files = try await site.look(page.file, .desktop, after: bake).files
            .filter { !wrong.contains($0.place) }
        try #require(!files.isEmpty)
        #expect(files.filter { $0.declared != $0.actual } == [])
    }

    @Test func iconsKeepTheirFormat() async throws {
        func icons(after bake: LookBake?) async throws -> [PageFile] {
            try await site.look(LookPage.elements.file, .desktop, after: bake).files
                .filter { $0.place.contains("icon") }
        }
        try #require(try await icons(after: nil).count >= 5)
        #expect(try await icons(after: .standard) == icons(after: nil))
        #expect(try await icons(after: .jpeg) == icons(after: nil))
    }

    @Test func preloadedImagesAreLoadedOnce() async throws {
        // Two images and the page.
        for bake in [LookBake?.none, .standard, .jpeg, .responsive] {
            let look = try await site.look("preload.html", .desktop, after: bake)
            #expect(look.requests.count == 3, "\(look.requests.map(\.url))")
            #expect(look.boxes.map(\.isComplete) == [true, true], "\(String(describing: bake))")
        }
    }

    @Test(arguments: LookBake.allCases)
    func bakedSiteNeedsNoOtherHost(bake: LookBake) async throws {
        let result = try await site.baked(bake).result
        #expect(result.exitCode == 0)
        // Some of the candidates are not as wide as they say, some images keep one file, and one is an
        // animated PNG.
        let expected = ["animation-kept", "misstated-width", "one-file", "no-picture"]
        #expect(try result.diagnostics.allSatisfy { expected.contains($0.code) })
        for page in bake.pages {
            for view in bake == .standard ? page.views : [.desktop] {
                let look = try await site.look(page.file, view, after: bake)
                #expect(look.requests.filter { !$0.hasSucceeded } == [], "\(page), \(view)")
                let foreign = look.requests.filter { ($0.host ?? look.host) != look.host }
                #expect(foreign == [], "\(page), \(view)")
                let missing = look.boxes.filter {
                    !$0.isComplete && ($0.width > 0 || bake != .responsive)
                }
                #expect(missing == [], "\(page), \(view)")
            }
        }
    }

    @Test func onlyAnUnconstrainedImageWiderThanTheLimitIsShownSmaller() async throws {
        func size(_ file: String, after bake: LookBake?) async throws -> [Double] {
            let boxes = try await site.look(file, .desktop, after: bake).boxes
            return boxes.flatMap { [$0.width, $0.height] }
        }
        #expect(try await size("wide.html", after: nil) == [3000, 2000])
        #expect(try await size("wide.html", after: .standard) == [1600, 1067])
        #expect(try await size("wide.html", after: .unlimited) == [3000, 2000])
        #expect(try await size("narrow.html", after: nil) == [1600, 900])
        #expect(try await size("narrow.html", after: .standard) == [1600, 900])
    }

    private func compare(
        _ lookCase: LookCase, on page: LookPage, _ view: LookView, after bake: LookBake
    ) async throws {
        let before = try await site.look(page.file, view, after: nil).boxes(of: lookCase)
        let after = try await site.look(page.file, view, after: bake).boxes(of: lookCase)
        try #require(!before.isEmpty)
        try #require(before.map(\.path) == after.map(\.path), "\(view)")
        for (old, new) in zip(before, after) {
            let differences = new.differences(from: old, tolerance: lookCase.tolerance)
            #expect(differences == [], "\(view)")
            if !lookCase.mayMergeCandidates { #expect(new.source == old.source, "\(view)") }
        }
    }
}
