package import Baking

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
