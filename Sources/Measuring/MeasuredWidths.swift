import Baking
package import Reports
package import Sites

/// The widths of the images of a site in several windows.
///
/// A group has the width of its widest image: a file that is too small is blurred, and one that is
/// too large costs bytes only.
package struct MeasuredWidths: Sendable {
    /// An image of a page.
    struct Image: Sendable {
        /// The number of the page.
        var page: Int
        /// Its number among the images of the page.
        var index: Int
        /// The number of its place.
        var place: Int
        /// The width that it has where nothing makes it narrower or wider.
        var natural: Double
        /// The padding and border in its attribute `width`.
        var inset = 0.0
        /// The width in each window where it is shown.
        var widths: [Int: Double] = [:]
        /// The ratio of the box that it covers in each of them; 0 for none.
        var covers: [Double] = []

        var total: Double { widths.values.reduce(0, +) }
    }

    /// The largest difference between an image and the width of its group.
    package struct Difference: Codable, Sendable {
        package var page: String
        package var place: String
        /// The width of the window, in pixels.
        package var window: Int
        /// The width of the image, in pixels.
        package var width: Double
        package var predicted: Double
        /// In percent of the width; 0 if it is at most two pixels.
        package var percent: Double
    }

    private let site: MeasuredSite
    /// The images in each place, by its number.
    private var images: [Int: [Image]] = [:]
    private var fits: [Int: WidthPieces] = [:]
    /// The numbers of images that could not be shown, by the number of their place.
    private var unloaded: [Int: Int] = [:]
    /// The number of pages that were measured.
    package private(set) var pages = 0
    package private(set) var diagnostics: [Diagnostic] = []

    init(_ site: MeasuredSite) { self.site = site }

    /// The number of images that were measured.
    package var imageCount: Int { images.values.reduce(0) { $0 + $1.count } }

    /// Adds what a page shows in each window.
    mutating func add(_ views: [Int: [ShownImage]], of page: Int, refusedSheets: [String]) {
        if !refusedSheets.isEmpty {
            let sheets = listed(refusedSheets, most: 1)
            diagnostics.append(
                Diagnostic(
                    Problem(
                        .pageNotMeasured,
                        "the page needs a style sheet of another host: \(sheets)"),
                    .warning, at: Diagnostic.Place(site.name(of: site.pages[page].path))))
            return
        }
        pages += 1
        // Scripts may add images; then they stay in their order.
        let count = views.values.map(\.count).min() ?? 0
        for index in 0..<count {
            guard let place = views.values.first?[index].place, site.places.indices.contains(place),
                views.values.allSatisfy({ $0[index].place == place })
            else { continue }
            var image = Image(page: page, index: index, place: place, natural: 0)
            for (window, shown) in views {
                image.natural = max(image.natural, shown[index].natural)
                image.inset = max(image.inset, shown[index].inset)
                guard shown[index].width > 0 else { continue }
                image.widths[window] = shown[index].width
                image.covers.append(shown[index].cover)
            }
            if image.natural == 0 {
                unloaded[place, default: 0] += 1
            } else if !image.widths.isEmpty {
                images[place, default: []].append(image)
            }
        }
    }

    /// The image of each place that decides its width: the widest one, so that none gets a file that
    /// is too small.
    var widestImages: [Image] {
        images.sorted { $0.key < $1.key }.compactMap { _, images in
            images.max { $0.total < $1.total }
        }
    }

    /// Fits the width of a place to samples of its widest image.
    mutating func fit(_ samples: [WidthFit.Sample], to place: Int) {
        fits[place] = WidthFit.pieces(samples)
    }

    /// The groups that were fitted, without those that no file can state.
    package var sizes: SizesFile { SizesFile(groups.filter(\.isPossible)) }

    private var groups: [SizesFile.Group] {
        fits.keys.sorted().compactMap { place in
            guard var group = group(place) else { return nil }
            let error = differences(from: group, place).map(\.percent).max() ?? 0
            group.error = (error * 10).rounded(.up) / 10
            return group
        }
    }

    private func group(_ place: Int) -> SizesFile.Group? {
        fits[place].map {
            let inset = (images[place] ?? []).map(\.inset).max() ?? 0
            return SizesFile.Group(
                place: site.places[place], widths: $0, stretches: stretches(place),
                inset: (inset * 10).rounded() / 10, cover: cover(place), error: 0)
        }
    }

    /// The ratio of all boxes that the images of a place cover; nil if there is none.
    private func cover(_ place: Int) -> Double? {
        let ratios = (images[place] ?? []).flatMap(\.covers)
        guard let least = ratios.min(), let most = ratios.max(), least > 0, most <= least * 1.01
        else { return nil }
        return ((least + most) * 500).rounded() / 1_000
    }

    private func stretches(_ place: Int) -> Bool {
        (images[place] ?? []).contains { image in
            image.widths.values.contains { $0 > image.natural + 1 }
        }
    }

    /// The largest difference between an image and the width of its group; nil without images.
    package var largestDifference: Difference? {
        fits.keys.sorted().flatMap { place in
            group(place).map { differences(from: $0, place) } ?? []
        }.max { $0.percent < $1.percent }
    }

    /// The difference of each image in each window.
    private func differences(from group: SizesFile.Group, _ place: Int) -> [Difference] {
        (images[place] ?? []).flatMap { image in
            image.widths.sorted { $0.key < $1.key }.map { window, width in
                difference(
                    image, window, width, group.width(in: Double(window), natural: image.natural))
            }
        }
    }

    private func difference(
        _ image: Image, _ window: Int, _ width: Double, _ predicted: Double
    ) -> Difference {
        let error = abs(predicted - width)
        return Difference(
            page: site.name(of: site.pages[image.page].path), place: site.places[image.place],
            window: window, width: width, predicted: predicted,
            percent: error <= 2 ? 0 : 100 * error / max(width, 1))
    }
}

extension MeasuredWidths {
    /// Warnings about images that could not be shown, and places without a measured image.
    package var warnings: [Diagnostic] {
        var result = diagnostics
        let count = unloaded.values.reduce(0, +)
        if count > 0 {
            let what = count == 1 ? "1 image was not loaded" : "\(count) images were not loaded"
            let names = listed(unloaded.keys.sorted().map { "'\(site.places[$0])'" })
            result.append(
                Diagnostic(Problem(.imageNotMeasured, "\(what), in places \(names)"), .warning))
        }
        result += groups.filter { !$0.isPossible }.map { group in
            Diagnostic(
                Problem(.imageNotMeasured, "the images in '\(group.place)' are too wide"),
                .warning)
        }
        return result
    }

    /// Compares the widths with those of a file.
    ///
    /// The width of a group in a window is that of its widest image.
    ///
    /// - Returns: An error for each group that differs by more than 5 %, a warning that names places
    ///   that the file lacks, and a note that names those that it has in vain.
    package func differences(from file: SizesFile) -> [Diagnostic] {
        var result: [Diagnostic] = []
        var missing: [String: Int] = [:]
        for (place, images) in images.sorted(by: { $0.key < $1.key }) {
            let name = site.places[place]
            guard let group = file.index(of: name).map({ file.groups[$0] }) else {
                missing[name] = site.counts[place]
                continue
            }
            let worst = SiteMeasurement.windows.compactMap { window -> Difference? in
                let shown = images.filter { $0.widths[window] != nil }
                guard
                    let widest = shown.max(by: { $0.widths[window] ?? 0 < $1.widths[window] ?? 0 })
                else { return nil }
                let predicted = shown.map { group.width(in: Double(window), natural: $0.natural) }
                return difference(
                    widest, window, widest.widths[window] ?? 0, predicted.max() ?? 0)
            }.max { $0.percent < $1.percent }
            if let worst, worst.percent > 5 { result.append(worst.diagnostic) }
        }
        result += [Diagnostic.unmeasured(missing, .warning)].compactMap(\.self)
        let unused = file.groups.map(\.place).filter { !site.places.contains($0) }
        return result + [Diagnostic.unused(unused)].compactMap(\.self)
    }
}

extension MeasuredWidths.Difference {
    fileprivate var diagnostic: Diagnostic {
        let reason =
            "in a window of \(window) px, '\(place)' is \(width.pixels) px wide, and "
            + "\(SizesFile.name) says \(predicted.pixels) px"
        return Diagnostic(Problem(.sizesDiffer, reason), .error, at: Diagnostic.Place(page))
    }
}

extension Double {
    /// Rounded to whole pixels.
    fileprivate var pixels: String { String(Int(rounded())) }
}
