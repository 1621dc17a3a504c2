package import Reports
package import Sites

/// What to do about an image that cannot be fetched or decoded: the rules of `failures:`, and
/// `--on-error` for all that no rule matches.
///
/// It judges messages and not results: the next bake looks again at a document with a failure, also
/// if the failure is ignored or known.
package struct FailurePolicy: Hashable, Sendable {
    package enum Action: String, CaseIterable, Sendable {
        /// Exit code 1, after all other work is done.
        case fail
        case warn
        /// No message.
        case ignore
        /// A warning, and a drawn placeholder instead of the image.
        case placeholder
    }

    /// A rule matches a failure if each of its lists is empty or has a match.
    package struct Rule: Hashable, Sendable {
        /// The URLs of images, with or without the scheme.
        package var urls: [Glob] = []
        package var codes: [DiagnosticCode] = []
        /// The paths of documents, relative to the site.
        package var documents: [Glob] = []
        package var action = Action.fail

        package init() {}

        func matches(_ code: DiagnosticCode, _ url: String?, in document: String?) -> Bool {
            (urls.isEmpty || url.map { url in urls.contains { $0.matches(url: url) } } == true)
                && (codes.isEmpty || codes.contains(code))
                && (documents.isEmpty
                    || document.map { name in documents.contains { $0.matches(name) } } == true)
        }
    }

    /// The first rule that matches counts.
    package var rules: [Rule] = []
    /// The action if no rule matches.
    package var usual = Action.fail

    package init(rules: [Rule] = []) { self.rules = rules }

    /// The severity of a failure that no rule matches.
    package var severity: Diagnostic.Severity { usual == .fail ? .error : .warning }

    /// Whether any failure leads to a placeholder.
    package var hasPlaceholders: Bool {
        usual == .placeholder || rules.contains { $0.action == .placeholder }
    }

    /// What to do about a failure of a URL in a document, whose path is relative to the site.
    package func action(
        for code: DiagnosticCode, of url: String, in document: String
    ) -> Action {
        rules.first { $0.matches(code, url, in: document) }?.action ?? usual
    }

    /// A message as the rules want it; nil for none.
    ///
    /// Rules are for failures of images. A rule that names codes is for all errors with these codes.
    ///
    /// - Parameters:
    ///   - diagnostic: The message.
    ///   - document: Its document, relative to the site; nil for none.
    /// - Returns: The message.
    package func judged(_ diagnostic: Diagnostic, in document: String?) -> Diagnostic? {
        let rule = rules.first { $0.matches(diagnostic.code, diagnostic.url, in: document) }
        guard let rule,
            diagnostic.isFailure && diagnostic.severity == severity
                || diagnostic.severity == .error && !rule.codes.isEmpty
        else { return diagnostic }
        var judged = diagnostic
        switch rule.action {
        case .ignore: return nil
        case .fail: judged.severity = .error
        case .warn, .placeholder: judged.severity = .warning
        }
        return judged
    }
}
