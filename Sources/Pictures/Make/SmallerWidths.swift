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
    ///   - ratio: See ``ResponsiveOptions/ratio``.
    /// - Returns: Whether it has at most this part of the bytes.
    static func isWorthHaving(_ byteCount: Int, below larger: Int, at ratio: Double) -> Bool {
        Double(byteCount) <= Double(larger) * ratio
    }
}
