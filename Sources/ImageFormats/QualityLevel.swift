/// How good a lossy encoding looks, in every format alike.
package enum QualityLevel: String, CaseIterable, Codable, Sendable {
    case low, medium, high
}

extension ImageFormat.Encoder {
    /// The number of this encoder for a level.
    ///
    /// - Parameters:
    ///   - level: The level.
    ///   - isSmooth: Whether the picture is smooth: its blocks and bands would be seen, so it gets
    ///     the number of the next level, which costs few bytes.
    /// - Returns: A number from 1 to 100; nil for a lossless format.
    package func number(of level: QualityLevel, isSmooth: Bool) -> Int? {
        numbers.map { numbers in
            switch level {
            case .low: isSmooth ? numbers.medium : numbers.low
            case .medium: isSmooth ? numbers.high : numbers.medium
            case .high: isSmooth ? numbers.highest : numbers.high
            }
        }
    }

    /// The numbers of an encoder that look equally good in all formats.
    package struct Numbers: Sendable {
        package let low: Int
        package let medium: Int
        package let high: Int
        /// Of smooth pictures at the highest level.
        package let highest: Int

        init(_ low: Int, _ medium: Int, _ high: Int, _ highest: Int) {
            (self.low, self.medium, self.high, self.highest) = (low, medium, high, highest)
        }
    }
}

/// How much work an encoder does to make files smaller.
///
/// It changes time and bytes. With a lossy format, it changes the picture by less than an eye sees.
package enum Effort: String, CaseIterable, Codable, Sendable {
    /// The least time, for drafts and tests.
    case low
    /// About the time of `vipsthumbnail`, at equal or fewer bytes.
    case normal
    /// The fewest bytes, for several times the time.
    case high
}
