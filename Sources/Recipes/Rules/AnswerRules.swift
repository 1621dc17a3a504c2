package import ImageFormats

/// Checks the answer to a job before anything of it is stored, computed with or printed.
///
/// The plan of each variant is made here again, from the header in the answer. So the command relies
/// on no plan of a worker.
package struct AnswerRules: Sendable {
    private let job: Job
    private let source: FileFacts

    /// - Parameters:
    ///   - job: The job.
    ///   - source: The facts that the command has read from the source.
    package init(for job: Job, on source: FileFacts) {
        self.job = job
        self.source = source
    }

    /// Checks an answer without its outputs.
    package func check(_ answer: JobResult) throws(BrokenRule) {
        switch answer {
        case .failure(let failure): try check(failure)
        case .image(let image):
            try image.header.check(against: source, limits: job.limits)
            try require(
                image.variants.count == job.variants.count, "it is the answer to another job")
            for (options, outcome) in zip(job.variants, image.variants) {
                try check(outcome, planVariant(of: image.header, options: options), image.header)
            }
        }
    }

    private func check(
        _ outcome: JobResult.Outcome, _ plan: VariantPlan, _ header: ImageHeader
    ) throws(BrokenRule) {
        switch outcome {
        case .made(let made):
            try require(plan == .make(made.recipe), "the recipe is not the planned one")
            try made.variant.check(of: header, by: made.recipe, limits: job.limits)
        case .notMade: try require(!plan.makesVariant, "a planned variant is missing")
        case .failure(let failure):
            try require(plan.makesVariant, "no variant was planned")
            try check(failure)
        }
    }

    private func check(_ failure: JobResult.JobError) throws(BrokenRule) {
        try require(ForeignText.isTidy(failure.reason), "a reason is not allowed")
    }

    /// The most bytes that the job can write to each output; all outputs together are bounded too.
    package var outputBytes: Int {
        guard !job.variants.isEmpty else { return 0 }
        let isStill =
            source.size != nil && source.format?.kind == .pixels
            && source.format?.mayBeAnimated == false
        let pixels = min(isStill ? source.size?.pixels ?? .max : .max, job.limits.pixels)
        return min(bytes(for: pixels), Self.mostBytes / job.variants.count)
    }

    /// The most bytes of the output of a variant that was checked.
    package func outputBytes(of variant: JobResult.Variant, _ header: ImageHeader) -> Int {
        // An animation with more pixels in all its frames is not encoded.
        let (pixels, isMore) = (variant.width * variant.height)
            .multipliedReportingOverflow(by: header.frameCount)
        let most = bytes(for: isMore ? job.limits.pixels : min(pixels, job.limits.pixels))
        return min(most, Self.mostBytes / max(1, job.variants.count))
    }

    /// The most bytes that a job can write to all its outputs.
    private static let mostBytes = 1 << 30

    /// An encoding has no more bytes than its samples of 16 bits, and the source's own bytes no more
    /// than the source; an SVG may be unpacked or changed into UTF-8.
    private func bytes(for pixels: Int) -> Int {
        let own = source.format?.kind == .drawing ? 32 << 20 : source.byteCount
        let (encoded, isTooMany) = pixels.multipliedReportingOverflow(by: 9)
        let most = Self.mostBytes
        return isTooMany ? most : min(most, min(encoded, most) + min(own, most) + 1 << 20)
    }
}

extension VariantPlan {
    fileprivate var makesVariant: Bool { if case .make = self { true } else { false } }
}

/// A rule that an answer of a worker breaks.
///
/// A worker may have been taken over by an image, so everything that it says is input from an
/// attacker. The rules are in this folder. They hold for what is read from the cache too: a stored
/// value that breaks one counts as missing.
package struct BrokenRule: Error, Equatable, Sendable, CustomStringConvertible {
    /// One clause without a period, in which no text of the answer occurs.
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// Throws a ``BrokenRule`` unless `condition` holds.
package func require(
    _ condition: Bool, _ description: @autoclosure () -> String
) throws(BrokenRule) {
    if !condition { throw BrokenRule(description()) }
}

/// The rules for a text that a worker writes and a user reads.
package enum ForeignText {
    /// The longest reason, in bytes of UTF-8.
    package static let longest = 400

    /// Whether a text is short and has no characters that control a terminal, break the line or
    /// change the direction of writing.
    package static func isTidy(_ text: String, longest: Int = longest) -> Bool {
        text.utf8.count <= longest && !text.unicodeScalars.contains(where: isControl)
    }

    /// The text, shortened and with a replacement for each such character.
    ///
    /// A worker tidies its own texts, because libraries quote what they read.
    package static func tidied(_ text: String, longest: Int = longest) -> String {
        if isTidy(text, longest: longest) { return text }
        let ellipsis: Unicode.Scalar = "…"
        var result = String.UnicodeScalarView()
        var room = longest
        for scalar in text.unicodeScalars {
            let next = isControl(scalar) ? "\u{FFFD}" : scalar
            guard room >= UTF8.width(next) + UTF8.width(ellipsis) else {
                result.append(ellipsis)
                break
            }
            room -= UTF8.width(next)
            result.append(next)
        }
        return String(result)
    }

    /// Whether a character controls a terminal, breaks the line or changes the direction of writing.
    package static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        // The tables of Unicode are slow to search.
        if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

extension WorkerGreeting {
    /// The longest name of encoders, in bytes.
    private static let longestName = 4_096

    /// Checks a handshake.
    package func check() throws(BrokenRule) {
        try Self.check(encoder: encoder, libraries: libraries)
        try sandbox.check()
        let names = Set(ImageFormat.all.map(\.rawValue))
        for list in [formats?.reads, formats?.writes].compactMap(\.self) {
            try require(
                list.count <= names.count && names.isSuperset(of: list), "a format is not known")
        }
    }

    /// Checks the names of encoders and the paths of their libraries.
    package static func check(encoder: String, libraries: [String]) throws(BrokenRule) {
        try require(
            !encoder.isEmpty && ForeignText.isTidy(encoder, longest: longestName),
            "the name of the encoders is not allowed")
        try require(libraries.count <= 256, "there are too many libraries")
        for path in libraries {
            try require(
                path.hasPrefix("/") && ForeignText.isTidy(path, longest: longestName),
                "the path of a library is not allowed")
        }
    }
}

extension SandboxReport {
    fileprivate func check() throws(BrokenRule) {
        try require(gaps.count <= Protection.allCases.count, "there are too many gaps")
        for gap in gaps {
            try require(ForeignText.isTidy(gap.reason), "the reason of a gap is not allowed")
        }
        try require(
            landlockVersion.map { (1...1_000).contains($0) } ?? true,
            "the version of Landlock is not possible")
    }
}

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
        let header = recipe.crop.map { header.cropped(to: $0) } ?? header
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
        if isDrawn || crop != nil { return nil }
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
