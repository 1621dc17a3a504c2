import ImageFormats

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

extension ImageFormat {
    /// Whether files in this format may have several frames.
    var mayBeAnimated: Bool { [.gif, .webp, .png, .avif].contains(self) }
}

extension VariantPlan {
    fileprivate var makesVariant: Bool { if case .make = self { true } else { false } }
}
