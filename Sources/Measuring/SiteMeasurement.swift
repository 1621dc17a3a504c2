package import Baking
import DevTools
import FetchCache
import Foundation
import Reports
import Sites

/// Measures the widths of the images of a built site in a browser.
package struct SiteMeasurement: Sendable {
    /// Returns a stored image of another host by its cache key; nil if there is none.
    package typealias ImageLocation =
        @Sendable (String) async -> (bytes: [UInt8], mediaType: String)?

    package struct Options: Sendable {
        /// The path of the browser.
        package var browser: String
        /// The number of pages that are measured for each place; 20 by default.
        package var pagesPerPlace = 20
        /// The time in which the browser must start, and a page must be loaded and measured; 30 s by
        /// default.
        package var pageTimeout: Duration = .seconds(30)
        /// The time for all pages; two hours by default.
        package var timeout: Duration = .seconds(7_200)

        package init(browser: String) { self.browser = browser }
    }

    /// The names of the programs that can measure, the preferred one first.
    package static let browsers = [
        "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome",
        "chrome-headless-shell", "chromium-headless-shell",
    ]

    /// The windows in which each page is measured, in pixels.
    package static let windows = [
        320, 375, 430, 600, 768, 900, 1024, 1280, 1440, 1680, 1920, 2560,
    ]

    private let site: MeasuredSite
    private let options: Options
    private let image: ImageLocation

    package init(_ site: MeasuredSite, _ options: Options, image: @escaping ImageLocation) {
        self.site = site
        self.options = options
        self.image = image
    }

    /// Measures the images and fits their widths.
    ///
    /// The border between two pieces is searched for on one page for each place, by halving.
    ///
    /// - Throws: ``FatalProblem`` if the browser or a page failed; `CancellationError`.
    package func run() async throws -> MeasuredWidths {
        try await withBrowser { devTools in
            var widths = try await measured(devTools)
            let pages = Dictionary(grouping: widths.widestImages, by: \.page)
            try await each(pages.keys.sorted(), devTools) { page, number in
                try await refine(pages[number] ?? [], on: page)
            } done: { _, samples, _ in
                for (place, samples) in samples { widths.fit(samples, to: place) }
            }
            return widths
        }
    }

    /// Measures the images, without a fit.
    ///
    /// - Throws: As ``run()``.
    package func check() async throws -> MeasuredWidths {
        try await withBrowser { try await measured($0) }
    }

    private func measured(_ devTools: DevTools) async throws -> MeasuredWidths {
        var widths = MeasuredWidths(site)
        let numbers = PageSample.pages(site.pages, perPlace: options.pagesPerPlace)
        try await each(numbers, devTools) { page, _ in
            var views: [Int: [ShownImage]] = [:]
            for window in Self.windows { views[window] = try await page.images(in: window) }
            return views
        } done: { number, views, refused in
            widths.add(views, of: number, refusedSheets: refused)
        }
        return widths
    }

    /// The widths of images of a page in further windows, near each place where they bend or jump.
    private func refine(
        _ images: [MeasuredWidths.Image], on page: MeasuredPage
    ) async throws -> [Int: [WidthFit.Sample]] {
        var known: [Int: [ShownImage]] = [:]
        for window in Self.windows { known[window] = try await page.images(in: window) }
        func width(_ image: MeasuredWidths.Image, _ window: Int) -> Double? {
            guard let shown = known[window], image.index < shown.count,
                shown[image.index].place == image.place, shown[image.index].width > 0
            else { return nil }
            return shown[image.index].width
        }
        var gaps = Array(zip(Self.windows, Self.windows.dropFirst()))
        while !gaps.isEmpty, known.count < Self.mostWindows {
            let (start, end) = gaps.removeFirst()
            guard end - start > 1 else { continue }
            let middle = (start + end) / 2
            known[middle] = try await page.images(in: middle)
            let isBent = images.contains { image in
                guard let first = width(image, start), let last = width(image, end),
                    let width = width(image, middle)
                else { return false }
                let part = Double(middle - start) / Double(end - start)
                return abs(first + (last - first) * part - width) > Self.bend
            }
            if isBent { gaps += [(start, middle), (middle, end)] }
        }
        var samples: [Int: [WidthFit.Sample]] = [:]
        for image in images {
            samples[image.place] = known.keys.sorted().compactMap { window in
                width(image, window).map { WidthFit.Sample(window: window, width: $0) }
            }
        }
        return samples
    }

    /// The most windows in which a page is measured.
    private static let mostWindows = 400
    /// The distance from a straight line, in pixels, from which a width counts as bent.
    private static let bend = 0.6
    /// The number of pages that are open at the same time.
    private static let pagesAtOnce = 2
}

extension SiteMeasurement {
    private func withBrowser(
        _ work: @escaping @Sendable (DevTools) async throws -> MeasuredWidths
    ) async throws -> MeasuredWidths {
        let devTools: DevTools
        do {
            devTools = try await within(options.pageTimeout) {
                try await DevTools.start(options.browser, Self.arguments)
            } orThrow: {
                FatalProblem(
                    problem: Problem(
                        .browserFailed, "the browser did not start in \(options.pageTimeout.asAge)")
                )
            }
        } catch let error as BrowserError {
            throw FatalProblem(problem: Problem(.browserFailed, error.description))
        }
        do {
            let widths = try await within(options.timeout) {
                try await work(devTools)
            } orThrow: {
                FatalProblem(
                    problem: Problem(
                        .browserFailed,
                        "the pages were not measured in \(options.timeout.asAge)",
                        remedy: "measure fewer pages: lower --pages"))
            }
            await devTools.close()
            return widths
        } catch {
            await devTools.close()
            throw error
        }
    }

    /// Nothing is asked from a network, whatever does not pass through the answers: names have no
    /// address, and all connections lead to a proxy that has none either.
    private static let arguments = [
        "--host-resolver-rules=MAP * ~NOTFOUND", "--proxy-server=http://proxy.invalid:1",
        "--proxy-bypass-list=<-loopback>", "--disable-quic",
        "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--dns-prefetch-disable", "--no-pings",
        "--disable-features=SpeculationRulesPrefetchFuture,Prerender2,OptimizationHints",
    ]

    /// Opens pages and works on them.
    ///
    /// - Parameters:
    ///   - numbers: The numbers of the pages.
    ///   - devTools: The browser.
    ///   - work: The work on an open page.
    ///   - done: Called with the number of each page, the result, and the style sheets of other hosts
    ///     that it asked for, in the order of the numbers.
    /// - Throws: ``FatalProblem`` with the page; `CancellationError`.
    private func each<Output: Sendable>(
        _ numbers: [Int], _ devTools: DevTools,
        work: @escaping @Sendable (MeasuredPage, Int) async throws -> Output,
        done: (Int, Output, [String]) -> Void
    ) async throws {
        try await inOrder(numbers, maximumInFlight: Self.pagesAtOnce) { number in
            try await self.result(of: number, devTools, work)
        } each: { number, result in
            let (output, refused) = try result.get()
            done(number, output, refused)
        }
    }

    private func result<Output: Sendable>(
        of number: Int, _ devTools: DevTools,
        _ work: @escaping @Sendable (MeasuredPage, Int) async throws -> Output
    ) async throws -> (Output, [String]) {
        let path = site.pages[number].path
        let place = Diagnostic.Place(site.name(of: path))
        @Sendable func failure(_ reason: String) -> FatalProblem {
            FatalProblem(problem: Problem(.pageNotLoaded, reason), place: place)
        }
        do {
            let answers = SiteAnswers(site, image: image)
            let output = try await within(options.pageTimeout) {
                let page = try await MeasuredPage(devTools, answers)
                try await page.resize(to: Self.windows[Self.windows.count / 2])
                try await page.open(site.url(of: path))
                return try await work(page, number)
            } orThrow: {
                failure("the page was not loaded in \(options.pageTimeout.asAge)")
            }
            return (output, answers.takeRefusedSheets())
        } catch let error as BrowserError {
            if devTools.hasEnded {
                throw FatalProblem(
                    problem: Problem(.browserFailed, error.description), place: place)
            }
            throw failure(error.description)
        } catch is DecodingError {
            throw failure("a script of the page has changed what is measured")
        }
    }
}

/// Does work that may take a limited time.
///
/// - Throws: The errors of `work`; that of `error` if it took too long.
private func within<Output: Sendable>(
    _ limit: Duration, _ work: @escaping @Sendable () async throws -> Output,
    orThrow error: @escaping @Sendable () -> FatalProblem
) async throws -> Output {
    try await withThrowingTaskGroup(of: Output.self) { group in
        group.addTask { try await work() }
        group.addTask {
            try await Task.sleep(for: limit)
            throw error()
        }
        defer { group.cancelAll() }
        guard let output = try await group.next() else { throw CancellationError() }
        return output
    }
}

/// Chooses the pages that are measured.
package enum PageSample {
    /// The most pages of a site.
    package static let most = 1_000

    /// The numbers of pages that together show each place on several pages, spread over the site.
    ///
    /// - Parameters:
    ///   - pages: All pages.
    ///   - perPlace: The number of pages for a place that has as many.
    ///   - most: The most pages in total.
    /// - Returns: The numbers in ascending order.
    package static func pages(
        _ pages: [MeasuredSite.Page], perPlace: Int, most: Int = most
    ) -> [Int] {
        var byPlace: [Int: [Int]] = [:]
        for (number, page) in pages.enumerated() {
            for place in page.places { byPlace[place, default: []].append(number) }
        }
        var chosen: Set<Int> = []
        var covered: [Int: Int] = [:]
        let places = byPlace.keys.sorted()
        // In rounds, so that a total that is too small leaves each place some pages.
        for round in 0..<max(1, perPlace) {
            for place in places {
                let own = byPlace[place] ?? []
                let wanted = min(perPlace, own.count)
                guard round < wanted, covered[place, default: 0] <= round, chosen.count < most
                else {
                    continue
                }
                let spread = own[round * own.count / wanted]
                guard
                    let page = chosen.contains(spread)
                        ? own.first(where: { !chosen.contains($0) })
                        : spread
                else { continue }
                chosen.insert(page)
                for place in pages[page].places { covered[place, default: 0] += 1 }
            }
        }
        return chosen.sorted()
    }
}
