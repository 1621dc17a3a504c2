import ArgumentParser
import Baking
import Sites

/// The arguments that name files for reports.
struct ReportFileArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Write a report: .html (for people), .md (a summary), .json, .sarif (for code hosts) or \
            .xml (JUnit, for CI systems). Can be given again.
            """, valueName: "file"),
        completion: .file(extensions: ReportFile.Format.allCases.map(\.rawValue)))
    var report: [String] = []

    /// The files, after a check that they may be written.
    ///
    /// - Parameters:
    ///   - site: The absolute path of the input folder.
    ///   - environment: The current folder.
    ///   - formats: The formats that the command can write.
    /// - Returns: The files, in the order of the options.
    /// - Throws: ``UsageError``.
    func files(
        for site: String, in environment: ProcessEnvironment,
        formats: [ReportFile.Format] = ReportFile.Format.allCases
    ) throws -> [ReportFile] {
        try report.map { name in
            let file = try ReportFile(name, in: environment)
            guard formats.contains(file.format) else {
                let known = formats.map { "." + $0.rawValue }.joined(separator: " and ")
                throw UsageError("this command writes reports in \(known), not '\(name)'")
            }
            try file.check(outside: site)
            return file
        }
    }
}
