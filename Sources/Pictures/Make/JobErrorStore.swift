import FetchCache
import FoundationEssentials
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
    private struct Stored: Codable {
        var code: DiagnosticCode
        var reason: String
    }

    private let values: BuildValues
    private let programs: ProgramIdentity
    private let keys: ResultKeys
    /// In seconds.
    private let lifetime: Int64
    /// Whether stored errors are used.
    private let isAsked: Bool

    init(cache: FetchManager, programs: ProgramIdentity, options: PictureOptions) {
        values = BuildValues(name: "job-errors", cache: cache)
        self.programs = programs
        keys = options.keys
        lifetime = options.failureLifetime
        isAsked = options.mode != .refresh && !options.retryFailed
    }

    /// The reason why these variants of a source cannot be made; nil if none is known.
    ///
    /// - Parameters:
    ///   - source: The source.
    ///   - variants: The variants of a job; none for the reason that holds for all.
    /// - Returns: The problem.
    /// - Throws: ``WorkerPool/PoolError`` if no worker can be started.
    func recall(_ source: LoadedImage, _ variants: [VariantOptions]) async throws -> Problem? {
        guard isAsked, !source.isNoStore else { return nil }
        let build = try await programs.programs().build
        let key = keys.jobError(of: source.digest.hex, variants)
        return (try? await values.value(for: key, of: build)).flatMap(problem)
    }

    private func problem(_ bytes: [UInt8]) -> Problem? {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1)
        guard lines.count == 2, let then = Int64(String(decoding: lines[0], as: UTF8.self)),
            let stored = try? JSONDecoder().decode(Stored.self, from: Data(lines[1])),
            Self.codes.contains(stored.code), ForeignText.isTidy(stored.reason)
        else { return nil }
        let (age, isImpossible) = Int64(time(nil)).subtractingReportingOverflow(then)
        guard !isImpossible, age >= 0, age < lifetime else { return nil }
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
        let stored = Stored(code: problem.code, reason: ForeignText.tidied(problem.reason))
        guard Self.codes.contains(problem.code), !source.isNoStore,
            let text = try? JSONEncoder().encode(stored),
            let build = try? await programs.programs().build
        else { return }
        let value = Array("\(time(nil))\n".utf8) + text
        let key = keys.jobError(of: source.digest.hex, variants)
        try? await values.set(value, for: key, of: build)
    }
}
