package import Reports

extension SiteScan.Result {
    /// Diagnostics for folders and files that could not be read, and for hidden files that are not
    /// copied.
    package var diagnostics: [Diagnostic] {
        let errors = errors.map { Diagnostic($0.problem, .error) }
        guard !hidden.isEmpty else { return errors }
        let names = hidden.prefix(3).joined(separator: ", ")
        let more = hidden.count > 3 ? " and \(hidden.count - 3) more" : ""
        let problem = Problem(.hiddenFiles, "hidden files were not copied: \(names)\(more)")
        return errors + [Diagnostic(problem, .warning)]
    }
}
