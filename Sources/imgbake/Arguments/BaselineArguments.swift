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
        guard let path = settings.baseline else {
            if updateBaseline { throw UsageError("'--update-baseline' needs '--baseline FILE'") }
            return nil
        }
        return try Baseline(
            environment.absolute(path), named: settings.given["baseline"]?.value ?? path,
            isUpdated: updateBaseline)
    }
}
