import FetchCache
import Glibc
import Recipes
import Records
import Reports

/// Stores the problems of images that failed, so that the next bake does not repeat their jobs.
///
/// Entries expire, because a time limit can also be exceeded on a busy machine.
///
/// An answer that breaks a rule is not stored, because the next worker may be honest. A crash or a
/// time-out is: many damaged images cause one, and it harms no other image.
struct JobErrorStore: Sendable {
    /// The codes of the problems that are stored.
    private static let codes: Set<DiagnosticCode> = [
        .unsupportedFormat, .damagedImage, .tooManyPixels, .tooLargeForFormat, .unsafeImage,
        .workerFailed,
    ]

    /// A stored problem; the remedy is that of its code.
    struct Stored: Remembered {
        var code: DiagnosticCode
        var reason: String
        /// In seconds since 1970.
        var time: Int64

        var isPossible: Bool { JobErrorStore.codes.contains(code) && ForeignText.isTidy(reason) }
    }

    private let memory: Memory<Stored>
    private let programs: ProgramIdentity
    private let options: PictureOptions

    init(cache: FetchManager, programs: ProgramIdentity, options: PictureOptions) {
        memory = Memory(of: "job-errors", in: cache)
        self.programs = programs
        self.options = options
    }

    /// The reason why these variants of a source cannot be made; nil if none is known.
    ///
    /// - Parameters:
    ///   - source: The source.
    ///   - variants: The variants of a job; none for the reason that holds for all.
    /// - Returns: The problem.
    /// - Throws: ``WorkerPool/PoolError`` if no worker can be started.
    func recall(_ source: LoadedImage, _ variants: [VariantOptions]) async throws -> Problem? {
        guard options.mode != .refresh, !options.retryFailed, !source.isNoStore else { return nil }
        let build = try await programs.programs().build
        let key = options.keys.jobError(of: source.digest.hex, variants)
        guard let stored = try? await memory.value(key, of: build) else { return nil }
        let (age, isImpossible) = Int64(time(nil)).subtractingReportingOverflow(stored.time)
        guard !isImpossible, age >= 0, age < options.failureLifetime else { return nil }
        var problem = Problem(stored.code, stored.reason)
        problem.remember(.seconds(age))
        return problem
    }

    /// Stores the problem of a source with these variants, if the same job would always fail again.
    ///
    /// A failure to do so is no error.
    func remember(
        _ problem: Problem, of source: LoadedImage, _ variants: [VariantOptions]
    ) async {
        let stored = Stored(
            code: problem.code, reason: ForeignText.tidied(problem.reason), time: Int64(time(nil)))
        guard Self.codes.contains(problem.code), !source.isNoStore,
            let build = try? await programs.programs().build
        else { return }
        let key = options.keys.jobError(of: source.digest.hex, variants)
        try? await memory.set([key: stored], of: build)
    }
}
