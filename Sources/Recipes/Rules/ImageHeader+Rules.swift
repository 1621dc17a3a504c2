import ImageFormats

extension ImageHeader {
    /// The largest width and height of any image; the product of two fits into an `Int`.
    package static let longestSide = Int(Int32.max)

    /// Checks a header that a worker has sent or that the cache has returned.
    ///
    /// - Parameters:
    ///   - file: The facts that the command has read from the source.
    ///   - limits: The limits of the job; nil for a stored header.
    /// - Throws: ``BrokenRule``.
    package func check(against file: FileFacts, limits: Limits? = nil) throws(BrokenRule) {
        try checkFormat(against: file)
        let isUnsized = format.kind == .drawing && width == 0 && height == 0
        let sides = 1...Self.longestSide
        try require(
            isUnsized || sides.contains(width) && sides.contains(height),
            "the image cannot be \(width)×\(height)")
        if let limits, format.kind != .drawing {
            try require(width * height <= limits.pixels, "it has more than \(limits.pixels) pixels")
        }
        let mostFrames = format.mayBeAnimated ? max(1, file.byteCount) : 1
        try require(
            (1...mostFrames).contains(frameCount), "the image cannot have \(frameCount) frames")
        if let shownWidth {
            try require(
                sides.contains(shownWidth) && format.kind == .pixels,
                "the image cannot be shown \(shownWidth) pixels wide")
        }
        try checkTexts()
        try require(
            file.size.map { isSame($0, width, height, isTurned: isReoriented) } ?? true,
            "the file is not \(width)×\(height)")
    }

    private func checkFormat(against file: FileFacts) throws(BrokenRule) {
        // Only the decoder knows what is coded in a HEIF file.
        let isSame = file.format == format || file.format == .avif && format == .heic
        try require(isSame, "the file is not \(format.phrase)")
        try require(
            format.decoder != nil || format.kind == .collection, "\(format.phrase) is not decoded")
    }

    private func checkTexts() throws(BrokenRule) {
        for text in [objection, removals].compactMap(\.self) {
            try require(
                format.kind == .drawing && ForeignText.isTidy(text),
                "a text about the SVG is not allowed")
        }
    }

    /// Whether a stored size is that of this image, or of one turned by a quarter if it may be.
    func isSame(_ size: ImageSize, _ width: Int, _ height: Int, isTurned: Bool) -> Bool {
        // The crop of a HEIF file is a fraction, and rounded.
        let tolerance = [.avif, .heic].contains(format) ? 1 : 0
        func isNear(_ one: Int, _ other: Int) -> Bool { abs(one - other) <= tolerance }
        return isNear(size.width, width) && isNear(size.height, height)
            || isTurned && isNear(size.width, height) && isNear(size.height, width)
    }
}
