import Documents
import ImageFormats

extension FailurePlaceholder {
    /// The number of characters of a text that are used; wrapping takes quadratic time.
    private static let longestText = 4_000

    /// The placeholder at a reference.
    ///
    /// The size is the one that the document gives. If it gives only a part of it, the rest follows
    /// from the known size of the image, or from ``unknownSize``.
    ///
    /// - Parameters:
    ///   - reference: The reference.
    ///   - known: The size of the image; nil if it is not known.
    init(at reference: Reference, known: ImageSize?) {
        let natural = known.map { ($0.width, $0.height) } ?? Self.unknownSize
        let ratio = Double(max(1, natural.1)) / Double(max(1, natural.0))
        let width = reference.shown.width ?? reference.describedWidth
        let height = reference.shown.height
        func side(_ value: Double) -> Int { max(1, Int(min(65_535, value).rounded())) }
        self.init(
            width: width ?? side(height.map { Double($0) / ratio } ?? Double(natural.0)),
            height: height ?? side(width.map { Double($0) * ratio } ?? Double(natural.1)),
            text: String((reference.shown.alt ?? "").prefix(Self.longestText)))
    }
}

extension Reference {
    /// The width in the descriptor of a `srcset` candidate, as in `800w`.
    fileprivate var describedWidth: Int? {
        let descriptors = claims.first { $0.kind == .descriptors }?.text ?? ""
        for word in descriptors.split(whereSeparator: \.isWhitespace) where word.hasSuffix("w") {
            if let width = Int(word.dropLast()), (1...65_535).contains(width) { return width }
        }
        return nil
    }

    /// Whether a placeholder may stand for the image.
    ///
    /// Feed readers, social networks and systems do not show SVG, and a link leads to a file.
    package var takesPlaceholder: Bool {
        switch role {
        case .content, .background, .poster: !isGuess && !fixed.contains(.format)
        case .icon, .social, .enclosure, .preload: false
        }
    }

    /// The format that a claim gives for the image.
    var claimedFormat: ImageFormat? {
        let claim = claims.first { $0.kind == .mediaType }?.text
        return claim.flatMap { text in ImageFormat.all.first { $0.isMediaType(text) } }
    }
}
