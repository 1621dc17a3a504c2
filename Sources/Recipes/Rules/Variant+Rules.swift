package import ImageFormats

extension JobResult.Variant {
    /// Checks a variant that a worker has made or that the cache has returned.
    ///
    /// - Parameters:
    ///   - header: The header of the source, which was checked.
    ///   - recipe: The recipe that the command has planned.
    ///   - limits: The limits of the job; nil for a stored variant.
    /// - Throws: ``BrokenRule``.
    package func check(
        of header: ImageHeader, by recipe: Recipe, limits: Limits? = nil
    ) throws(BrokenRule) {
        if recipe.isPlaceholder {
            try require(
                !isSource && colour.map((0...0xFF_FFFF).contains) == true,
                "it is no placeholder")
        } else {
            try require(colour == nil, "only a placeholder has a colour")
        }
        try require(
            quality.map { !isSource && Quality.numbers.contains($0) } ?? true,
            "it cannot have the quality \(quality ?? 0)")
        let own = recipe.ownFormat(of: header)
        let formats = [own, recipe.encoding.format, recipe.alternative.encoding?.format]
        try require(
            formats.contains(format) && format.isShownByBrowsers,
            "the recipe makes nothing in the format \(format.rawValue)")
        if isSource {
            try require(
                format == header.format && format == own && header.objection == nil,
                "the source cannot be the variant")
        }
        if format == own, width == header.width, height == header.height { return }
        let sides = 1...min(ImageHeader.longestSide, format.longestSide)
        try require(
            !isSource && format.kind == .pixels && sides.contains(width) && sides.contains(height)
                && recipe.mayGive(width, height, of: header),
            "the recipe makes nothing of the size \(width)×\(height)")
        if let limits {
            try require(width * height <= limits.pixels, "it has more than \(limits.pixels) pixels")
        }
    }

    /// Checks the file of a variant: the output, or the source if that is the variant.
    ///
    /// - Parameters:
    ///   - file: The facts that the command has read from the file.
    ///   - content: What it holds besides its picture, read by the command, too.
    ///   - header: The header of the source.
    ///   - metadata: The metadata that the recipe keeps.
    /// - Throws: ``BrokenRule``.
    package func check(
        _ file: FileFacts, _ content: FileContent, of header: ImageHeader,
        metadata: Recipe.Metadata?
    ) throws(BrokenRule) {
        try require(file.format == format, "the file is not \(format.phrase)")
        try require(
            colour == nil || file.byteCount <= LoadingPlaceholder.mostBytes,
            "a placeholder cannot have \(file.byteCount) bytes")
        let isOwn = format == header.format
        if let size = file.size {
            // An orientation stays in the EXIF of a file whose metadata is removed.
            let isSame = header.isSame(
                size, width, height, isTurned: isOwn && header.isReoriented)
            try require(isSame, "the file is not \(width)×\(height)")
        } else {
            try require(isOwn || format.kind == .drawing, "the file has no size")
        }
        let most = metadata != nil ? FileContent.metadata : isOwn ? .orientation : .picture
        try require(content <= most, "the file holds more than a picture")
    }
}

extension Recipe {
    /// The format of the source's own bytes, if they may become the variant.
    fileprivate func ownFormat(of header: ImageHeader) -> ImageFormat? {
        let isDrawn = header.format.kind == .drawing && encoding.format.kind != .drawing
        if isDrawn { return nil }
        return header.format == .svgz ? .svg : header.format
    }

    /// Whether an encoding may have this size.
    ///
    /// Decoders that scale round in several steps, so the height may differ a little.
    fileprivate func mayGive(_ newWidth: Int, _ newHeight: Int, of header: ImageHeader) -> Bool {
        guard header.width > 0 else { return newWidth <= (width ?? ImageHeader.longestSide) + 1 }
        let expected = min(width ?? header.width, header.width)
        // The lengths of an SVG are rounded to pixels before they are scaled.
        if header.format.kind == .drawing { return abs(newWidth - expected) <= 1 + expected / 16 }
        let height = Double(header.height) * Double(expected) / Double(header.width)
        return abs(newWidth - expected) <= 1
            && abs(Double(newHeight) - height) <= max(2, height / 16)
    }
}
