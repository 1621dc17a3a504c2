import ImageFormats

/// Checks the answer to a job before anything of it is stored, computed with or printed.
package struct AnswerRules: Sendable {
    private let job: Job
    private let source: FileFacts
    private let known: ImageHeader?

    /// - Parameters:
    ///   - job: The job.
    ///   - source: The facts that the command has read from the source.
    ///   - header: The header of the source; nil if the job reads it.
    package init(for job: Job, on source: FileFacts, _ header: ImageHeader?) {
        self.job = job
        self.source = source
        known = header
    }

    /// Checks an answer without its output.
    package func check(_ answer: JobResult) throws(BrokenRule) {
        switch (job.task, answer) {
        case (_, .failure(let failure)):
            try require(ForeignText.isTidy(failure.reason), "a reason is not allowed")
        case (.probe, .header(let header)):
            try header.check(against: source, limits: job.limits)
        case (.transform(let recipe), .variant(let variant)):
            guard let known else { throw BrokenRule("nothing is known of the image") }
            try variant.check(of: known, by: recipe, limits: job.limits)
        case (.make(let options), .image(let image)):
            try image.header.check(against: source, limits: job.limits)
            guard let made = image.made else { return }
            let plan = planVariant(of: image.header, options: options)
            try require(plan == .make(made.recipe), "the recipe is not the planned one")
            try made.variant.check(of: image.header, by: made.recipe, limits: job.limits)
        default: throw BrokenRule("it is the answer to another job")
        }
    }

    /// Checks the output of an answer that was checked.
    package func check(_ output: FileFacts, of answer: JobResult) throws(BrokenRule) {
        guard let header = header(in: answer), let variant = answer.madeVariant else { return }
        try variant.check(output, of: header)
    }

    /// The most bytes that the job can write.
    package var outputBytes: Int {
        if case .probe = job.task { return 0 }
        let isStill =
            source.size != nil && source.format?.kind == .pixels
            && source.format?.mayBeAnimated == false
        let pixels = min(isStill ? source.size?.pixels ?? .max : .max, job.limits.pixels)
        return bytes(for: pixels)
    }

    /// The most bytes of the output of an answer that was checked.
    package func outputBytes(of answer: JobResult) -> Int {
        guard let header = header(in: answer), let variant = answer.madeVariant else { return 0 }
        // An animation with more pixels in all its frames is not encoded.
        let (pixels, isMore) = (variant.width * variant.height)
            .multipliedReportingOverflow(by: header.frameCount)
        return bytes(for: isMore ? job.limits.pixels : min(pixels, job.limits.pixels))
    }

    private func header(in answer: JobResult) -> ImageHeader? {
        if case .image(let image) = answer { image.header } else { known }
    }

    /// An encoding has no more bytes than its samples of 16 bits, and the source's own bytes no more
    /// than the source; an SVG may be unpacked or changed into UTF-8.
    private func bytes(for pixels: Int) -> Int {
        let own = source.format?.kind == .drawing ? 32 << 20 : source.byteCount
        let (encoded, isTooMany) = pixels.multipliedReportingOverflow(by: 9)
        let most = 1 << 30
        return isTooMany ? most : min(most, min(encoded, most) + min(own, most) + 1 << 20)
    }
}

extension ImageFormat {
    /// Whether files in this format may have several frames.
    var mayBeAnimated: Bool { [.gif, .webp, .png, .avif].contains(self) }
}
