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

        func matches(_ failure: Failure) -> Bool {
            (urls.isEmpty
                || failure.url.map { url in urls.contains { $0.matches(url: url) } } == true)
                && (codes.isEmpty || codes.contains(failure.code))
                && (documents.isEmpty
                    || failure.document.map { name in documents.contains { $0.matches(name) } }
                        == true)
        }
    }

    /// The facts that rules look at.
    package struct Failure {
        var code: DiagnosticCode
        var url: String?
        /// Relative to the site.
        var document: String?

        package init(code: DiagnosticCode, url: String? = nil, document: String? = nil) {
            self.code = code
            self.url = url
            self.document = document
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

    package func action(for failure: Failure) -> Action {
        rules.first { $0.matches(failure) }?.action ?? usual
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
        let failure = Failure(
            code: diagnostic.code, url: diagnostic.url, document: document)
        guard let rule = rules.first(where: { $0.matches(failure) }),
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
