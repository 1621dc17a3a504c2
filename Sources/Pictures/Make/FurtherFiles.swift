package import ImageFormats
package import Recipes
package import Sites

/// The further files of an image: which ones are made, and which of those are worth having.
///
/// The pipeline makes files by it, and `imgbake explain` tells the same decisions.
///
/// The largest file of each format is compared with that of the next one, so a browser never loads
/// more bytes because it knows a better format.
package struct FurtherFiles {
    /// Files of one purpose, in ascending order of their widths.
    package struct Group {
        /// The format of the sources of a `<picture>`; nil for the smaller files of a `srcset`,
        /// which are in the format that the options give.
        package var format: ImageFormat?
        /// The options of each file; in a `<picture>`, the last file is as wide as the image.
        package var options: [VariantOptions]
    }

    /// Whether a file that was made is worth having.
    package enum Verdict {
        case isKept
        /// A file of another format, for all browsers or of a later group, has no more bytes.
        case anotherFormatIsSmaller
        /// The next larger file that is kept has hardly more bytes.
        case nextLargerIsAsGood
        /// The file has another format, width or ratio than was planned.
        case isUnlikeImage
    }

    /// The groups in the order in which they are made and judged: the preferred format is last.
    package let groups: [Group]
    private let image: VariantFile
    /// The bytes of the whole image in the format that was kept last.
    private var limit: Int

    /// - Parameters:
    ///   - request: The request for the image.
    ///   - header: The header of the source.
    ///   - image: The image's own file.
    package init(for request: ImageRequest, of header: ImageHeader, beside image: VariantFile) {
        self.image = image
        limit = image.byteCount
        guard header.isStill(for: request.options), image.format.kind == .pixels else {
            groups = []
            return
        }
        let widths = SmallerWidths.planned(request.widths, below: image.width, height: image.height)
        guard !request.formats.isEmpty else {
            let options = widths.suffix(Job.mostVariants).map { request.options.limited(to: $0) }
            groups = options.isEmpty ? [] : [Group(options: options.map(\.ofSeveral))]
            return
        }
        guard image.format.isShownByReaders || request.options.isFormatStated else {
            groups = []
            return
        }
        groups = request.formats.reversed().compactMap { format in
            if format == image.format || header.hasAlpha && !format.hasAlphaChannel { return nil }
            let whole = request.options.inPicture(format)
            let options = widths.suffix(Job.mostVariants - 1).map { whole.limited(to: $0) }
            return Group(format: format, options: (options + [whole]).map(\.ofSeveral))
        }
    }

    /// Judges the files of the next group.
    ///
    /// - Parameters:
    ///   - files: The files in the order of the group's options; nil for one that is not made.
    ///   - group: The group.
    /// - Returns: The verdicts in the same order; nil where there is no file, and for all files if
    ///   the largest one of a `<picture>` is not made.
    package mutating func judge(_ files: [VariantFile?], of group: Group) -> [Verdict?] {
        guard let format = group.format else { return judgeSmaller(files, of: nil, below: limit) }
        guard let largest = files.last ?? nil else { return files.map { _ in nil } }
        let isFit = isFit(largest, format) && largest.width == image.width
        guard isFit, largest.byteCount < limit else {
            let verdict = isFit ? Verdict.anotherFormatIsSmaller : .isUnlikeImage
            return files.map { $0 == nil ? nil : verdict }
        }
        limit = largest.byteCount
        return judgeSmaller(files.dropLast(), of: format, below: limit) + [.isKept]
    }

    private func judgeSmaller(
        _ files: some BidirectionalCollection<VariantFile?>, of format: ImageFormat?,
        below byteCount: Int
    ) -> [Verdict?] {
        var limit = byteCount
        var verdicts: [Verdict?] = []
        for file in files.reversed() {
            guard let file else {
                verdicts.append(nil)
                continue
            }
            if !isFit(file, format) || file.width >= image.width {
                verdicts.append(.isUnlikeImage)
            } else if SmallerWidths.isWorthHaving(file.byteCount, below: limit) {
                limit = file.byteCount
                verdicts.append(.isKept)
            } else {
                verdicts.append(.nextLargerIsAsGood)
            }
        }
        return verdicts.reversed()
    }

    /// Whether a file can stand for the image: it has its ratio, and the planned format.
    private func isFit(_ file: VariantFile, _ format: ImageFormat?) -> Bool {
        file.format.kind == .pixels && (format == nil || file.format == format)
            && SmallerWidths.isProportional(file, to: image.width, image.height)
    }
}

extension ImageHeader {
    /// Whether one picture is made of the image.
    package func isStill(for options: VariantOptions) -> Bool {
        format.kind == .pixels && (!isAnimated || options.frames == .first)
    }
}

/// Decides the widths of the smaller files of an image.
enum SmallerWidths {
    /// The part of a width that it may be lowered by, so that the height is a whole number.
    private static let tolerance = 32

    /// The widths to make.
    ///
    /// The ratio of a file decides the height of its box. So each width is lowered by up to a
    /// thirty-second, to the one at which the rounded height changes the ratio least.
    ///
    /// - Parameters:
    ///   - wanted: The wanted widths in any order.
    ///   - width: The width of the image.
    ///   - height: The height of the image.
    /// - Returns: Widths below that of the image, in ascending order.
    static func planned(_ wanted: [Int], below width: Int, height: Int) -> [Int] {
        guard width > 0, height > 0 else { return [] }
        let smaller = Set(wanted.filter { $0 > 0 && $0 < width })
        return Set(smaller.map { exact($0, width, height) }).sorted()
    }

    private static func exact(_ wanted: Int, _ width: Int, _ height: Int) -> Int {
        var best = wanted
        var least = Double.infinity
        for candidate in stride(from: wanted, to: wanted - wanted / tolerance - 1, by: -1) {
            let exact = Double(candidate) * Double(height) / Double(width)
            let error = abs(exact.rounded() - exact) / exact
            // A smaller width must be better by more than what can be seen.
            if error < least - 0.5 / 100_000 { (best, least) = (candidate, error) }
        }
        return best
    }

    /// Whether a file has the ratio of the image, up to the rounding of its height.
    static func isProportional(_ file: VariantFile, to width: Int, _ height: Int) -> Bool {
        let exact = Double(file.width) * Double(height) / Double(width)
        return abs(Double(file.height) - exact) <= 0.5
    }

    /// Decides whether a file has so many fewer bytes than the next larger one that it is worth
    /// having.
    ///
    /// - Parameters:
    ///   - byteCount: The bytes of the file.
    ///   - larger: The bytes of the next larger file.
    /// - Returns: Whether it has at most 85 % of the bytes.
    static func isWorthHaving(_ byteCount: Int, below larger: Int) -> Bool {
        Double(byteCount) <= Double(larger) * 0.85
    }
}
