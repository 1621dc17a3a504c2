internal import CVips
import ImageFormats
package import Recipes
import Synchronization

/// Does the jobs of a worker, one after the other: all that this module offers.
///
/// Everything is synchronous and on the caller's thread. Jobs of several threads take turns,
/// because libvips has one buffer of errors and one list of blocked loaders for all of them.
package struct ImageProcessor: Sendable {
    /// Starts libvips, once in a process.
    ///
    /// - Throws: ``Answer/Failure`` if it cannot be started, which no job can change.
    package init() throws(Answer.Failure) {
        try Vips.start.get()
    }

    /// Opens all files that jobs need, so that later no file is opened but a font.
    ///
    /// It starts no thread.
    ///
    /// - Returns: The paths of fonts, the most important first, which the drawing of text opens.
    package func openLibraries() -> [String] {
        Self.turn.withLock { _ in
            VipsModules.loadCodecs()
            Vips.allocateCode()
            TextEncodings.open()
            return FontFiles.paths
        }
    }

    /// Does `job`, which always ends in an answer.
    ///
    /// - Parameters:
    ///   - job: The job.
    ///   - source: A descriptor of the source, open for reading.
    ///   - output: A descriptor of an empty file, open for writing; a transform needs it.
    /// - Returns: The result, or why there is none.
    package func answer(to job: Job, source: Int32, output: Int32? = nil) -> Answer {
        Self.turn.withLock { _ in
            defer { Vips.tidyUp() }
            do throws(Answer.Failure) {
                return try Self.result(of: job, source, output)
            } catch {
                return .failure(error)
            }
        }
    }

    /// The names of the encoders, and the files they were loaded from; to be asked after
    /// ``openLibraries()``.
    package var encoders: (name: String, libraries: [String]) { LoadedLibraries.encoders }

    private static func result(
        of job: Job, _ source: Int32, _ output: Int32?
    ) throws(Answer.Failure) -> Answer {
        let source = try SourceFile(descriptor: source)
        let inspection = try Inspection(of: source, limits: job.limits)
        if inspection.header.format.kind != .drawing {
            try inspection.header.check(against: job.limits)
        }
        switch job.task {
        case .probe:
            return .header(inspection.header)
        case .transform(let recipe):
            guard let output else { throw Answer.Failure(.output, "there is no output") }
            let file = OutputFile(descriptor: output)
            let transform = ImageTransform(
                source: inspection.replaced(source), inspection: inspection, recipe: recipe,
                limits: job.limits)
            return .variant(try transform.write(to: file))
        }
    }

    private static let turn = Mutex(())
}
