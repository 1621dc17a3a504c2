internal import CVips
import ImageFormats
import Locks
package import Recipes

/// Does the jobs of a worker, one after the other.
///
/// It is the interface of this module.
///
/// All methods are synchronous and run on the caller's thread. Jobs of several threads run one at a
/// time, because libvips has one error buffer and one list of blocked loaders for the process.
package struct ImageProcessor: Sendable {
    /// Starts libvips, once in a process.
    ///
    /// - Throws: ``JobResult/JobError`` if it cannot be started; every job would fail then.
    package init() throws(JobResult.JobError) {
        try Vips.start.get()
    }

    /// Opens all files that jobs need, so that later only fonts are opened.
    ///
    /// It starts no thread.
    ///
    /// - Returns: The paths of the fonts that drawing text opens, the most important first.
    package func openLibraries() -> [String] {
        Self.turn.withLock { _ in
            VipsModules.loadCodecs()
            Vips.allocateCode()
            return FontFiles.paths
        }
    }

    /// Does what a process does only once, so that its copies need not do it for each image.
    ///
    /// It makes classes and tables, with the header of a picture of this program as an example. It
    /// starts no thread.
    ///
    /// - Returns: An answer for that header, with a variant as if it had been made.
    package func rehearse() -> JobResult {
        Self.turn.withLock { _ in
            Vips.makeClasses()
            defer { Vips.tidyUp() }
            do throws(JobResult.JobError) {
                let header = try Inspection(of: SourceFile(Self.dot), limits: Limits()).header
                return .image(JobResult.Image(header: header, variants: [Self.outcome(of: header)]))
            } catch {
                return .failure(error)
            }
        }
    }

    /// The outcome as if the usual variant had been made.
    private static func outcome(of header: ImageHeader) -> JobResult.Outcome {
        let plan = planVariant(of: header, options: VariantOptions())
        guard case .make(let recipe) = plan else { return .notMade }
        let variant = JobResult.Variant(
            format: header.format, width: header.width, height: header.height, isSource: false)
        return .made(JobResult.Made(recipe: recipe, variant: variant))
    }

    /// A PNG with one black pixel.
    private static let dot: [UInt8] =
        PNGChunk.signature + PNGChunk.bytes("IHDR", [0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0])
        + PNGChunk.bytes("IDAT", [0x78, 0x9C, 0x63, 0x60, 0, 0, 0, 2, 0, 1])
        + PNGChunks.end

    /// Does `job`; the result is always an answer.
    ///
    /// - Parameters:
    ///   - job: The job.
    ///   - source: A descriptor of the source, open for reading.
    ///   - outputs: Descriptors of empty files, open for writing, one for each variant.
    /// - Returns: The header and the variants, or the reason why the source cannot be read.
    package func answer(to job: Job, source: Int32, outputs: [Int32] = []) -> JobResult {
        answer(within: job.limits, source: source, outputs: outputs) { header in
            job.variants.map { planVariant(of: header, options: $0) }
        }
    }

    /// Makes variants by any plans, also by those that no options have.
    ///
    /// - Parameters:
    ///   - limits: The limits of the job.
    ///   - source: A descriptor of the source, open for reading.
    ///   - outputs: Descriptors of empty files, open for writing, one for each plan.
    ///   - plan: Returns the plan of each variant for the header of the source.
    /// - Returns: The header and the variants, or the reason why the source cannot be read.
    func answer(
        within limits: Limits, source: Int32, outputs: [Int32],
        plan: (ImageHeader) -> [VariantPlan]
    ) -> JobResult {
        Self.turn.withLock { _ in
            defer { Vips.tidyUp() }
            do throws(JobResult.JobError) {
                return .image(try Self.image(of: source, limits, outputs, plan))
            } catch {
                return .failure(error)
            }
        }
    }

    /// The names of the encoders, and the files they were loaded from; valid after
    /// ``openLibraries()``.
    package var encoders: (name: String, libraries: [String]) { LoadedLibraries.encoders }

    /// The formats that the installed libraries read and write; valid after ``openLibraries()``.
    package var formats: WorkerGreeting.Formats {
        WorkerGreeting.Formats(
            reads: AvailableFormats.readable.map(\.rawValue),
            writes: AvailableFormats.writable.map(\.rawValue))
    }

    private static func image(
        of source: Int32, _ limits: Limits, _ outputs: [Int32],
        _ plan: (ImageHeader) -> [VariantPlan]
    ) throws(JobResult.JobError) -> JobResult.Image {
        let source = try SourceFile(descriptor: source)
        let inspection = try Inspection(of: source, limits: limits)
        let header = inspection.header
        if header.format.kind != .drawing {
            try header.check(against: limits, byteCount: source.buffer.count)
        }
        let plans = plan(header)
        guard outputs.count == plans.count else {
            throw JobResult.JobError(
                .output, "there are \(outputs.count) outputs for \(plans.count) variants")
        }
        let replaced = inspection.replaced(source)
        let pictures = DecodedPictures(isShared: plans.count > 1)
        var variants: [JobResult.Outcome] = []
        for (plan, output) in zip(plans, outputs) {
            guard case .make(let recipe) = plan else {
                variants.append(.notMade)
                continue
            }
            let transform = ImageTransform(
                source: SourceFile(borrowing: replaced.buffer), inspection: inspection,
                recipe: recipe, limits: limits, pictures: pictures)
            do throws(JobResult.JobError) {
                let variant = try transform.write(to: OutputFile(descriptor: output))
                variants.append(.made(JobResult.Made(recipe: recipe, variant: variant)))
            } catch {
                variants.append(.failure(error))
            }
        }
        withExtendedLifetime(replaced) {}
        return JobResult.Image(header: header, variants: variants)
    }

    private static let turn = Locked(false)
}
