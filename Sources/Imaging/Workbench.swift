internal import CVips
package import Recipes
import Synchronization

/// Where jobs are done, one after the other: all that this module offers.
///
/// Everything is synchronous and on the caller's thread. Jobs of several threads take turns,
/// because libvips has one buffer of errors and one list of blocked loaders for all of them.
package struct Workbench: Sendable {
    /// Starts libvips, once in a process.
    ///
    /// - Throws: ``Answer/Failure`` if it cannot be started, which no job can change.
    package init() throws(Answer.Failure) {
        try Vips.start.get()
    }

    /// What was done about `job`; no job ends in anything but an answer.
    package func answer(to job: Job) -> Answer {
        Self.turn.withLock { _ in
            defer { Vips.tidyUp() }
            do throws(Answer.Failure) {
                return try Self.result(of: job)
            } catch {
                return .failure(error)
            }
        }
    }

    /// The names of the encoders, and the files they were loaded from.
    package var hello: Hello { Encoders.hello }

    private static func result(of job: Job) throws(Answer.Failure) -> Answer {
        let source = try SourceFile(path: job.source)
        let inspection = try Inspection(of: source)
        if inspection.header.format != .svg {
            try inspection.header.check(against: job.limits)
        }
        switch job.task {
        case .probe:
            return .header(inspection.header)
        case .transform(let recipe, let output):
            // An SVG of any size can be passed on; only drawn its pixels count.
            if !recipe.encoding.format.isPassedOn {
                try inspection.header.check(against: job.limits)
            }
            let transform = Transform(source: source, inspection: inspection, recipe: recipe)
            return .variant(try transform.write(to: output))
        }
    }

    private static let turn = Mutex(())
}
