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
    /// - Throws: ``JobResult/Failure`` if it cannot be started; every job would fail then.
    package init() throws(JobResult.Failure) {
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

    /// Does `job`; the result is always an answer.
    ///
    /// - Parameters:
    ///   - job: The job.
    ///   - source: A descriptor of the source, open for reading.
    ///   - output: A descriptor of an empty file, open for writing; a transform needs it.
    /// - Returns: The result, or the reason for the failure.
    package func answer(to job: Job, source: Int32, output: Int32? = nil) -> JobResult {
        Self.turn.withLock { _ in
            defer { Vips.tidyUp() }
            do throws(JobResult.Failure) {
                return try Self.result(of: job, source, output)
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

    private static func result(
        of job: Job, _ source: Int32, _ output: Int32?
    ) throws(JobResult.Failure) -> JobResult {
        let source = try SourceFile(descriptor: source)
        let inspection = try Inspection(of: source, limits: job.limits)
        if inspection.header.format.kind != .drawing {
            try inspection.header.check(against: job.limits)
        }
        let header = inspection.header
        switch job.task {
        case .probe:
            return .header(header)
        case .transform(let recipe):
            return .variant(try variant(of: source, inspection, recipe, job.limits, output))
        case .make(let options):
            guard case .make(let recipe) = planVariant(of: header, options: options) else {
                return .image(JobResult.Image(header: header))
            }
            let variant = try variant(of: source, inspection, recipe, job.limits, output)
            return .image(
                JobResult.Image(header: header, made: .init(recipe: recipe, variant: variant)))
        }
    }

    private static func variant(
        of source: consuming SourceFile, _ inspection: Inspection, _ recipe: Recipe,
        _ limits: Limits, _ output: Int32?
    ) throws(JobResult.Failure) -> JobResult.Variant {
        guard let output else { throw JobResult.Failure(.output, "there is no output") }
        let transform = ImageTransform(
            source: inspection.replaced(source), inspection: inspection, recipe: recipe,
            limits: limits)
        return try transform.write(to: OutputFile(descriptor: output))
    }

    private static let turn = Locked(false)
}
