import ArgumentParser
import Baking

/// The argument that writes the baseline.
struct BaselineArguments: ParsableArguments {
    @Flag(help: "Write the errors of this run to the baseline, and exit with code 0.")
    var updateBaseline = false

    /// The baseline of a run.
    ///
    /// - Parameters:
    ///   - settings: The effective settings.
    ///   - isWhole: Whether the run finds all failures of the site.
    ///   - environment: The current folder.
    /// - Returns: The baseline; nil if the settings name none.
    /// - Throws: ``UsageError``; ``FatalProblem`` or ``BakeError`` if the file cannot be used.
    func baseline(
        _ settings: Settings, isWhole: Bool, in environment: ProcessEnvironment
    ) throws -> Baseline? {
        if updateBaseline, !isWhole {
            throw UsageError(
                "'--update-baseline' needs a run of the whole site, without '--dry-run'")
        }
        if updateBaseline, settings.baseline == nil {
            throw UsageError("'--update-baseline' needs '--baseline FILE'")
        }
        return try settings.knownFailures(isUpdated: updateBaseline, in: environment)
    }
}

extension Settings {
    /// The baseline; nil if there is none.
    ///
    /// - Throws: ``FatalProblem`` or ``BakeError`` if the file cannot be used.
    func knownFailures(
        isUpdated: Bool = false, in environment: ProcessEnvironment
    ) throws -> Baseline? {
        guard let baseline else { return nil }
        return try Baseline(
            environment.absolute(baseline), named: given["baseline"]?.value ?? baseline,
            isUpdated: isUpdated)
    }
}
