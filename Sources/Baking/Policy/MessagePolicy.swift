import Pictures
import Reports

/// What the settings make of messages: which codes are left out, the rules of `failures:`, and the
/// baseline.
struct MessagePolicy: Sendable {
    var ignoredCodes: [DiagnosticCode]
    /// The name of the site in messages.
    var site: String
    var failures: FailurePolicy
    /// Nil for none.
    var baseline: Baseline?

    /// Whether rules or a baseline may change errors.
    var judgesErrors: Bool { !failures.rules.isEmpty || baseline != nil }

    /// A message as the settings want it; nil for none.
    func judged(_ diagnostic: Diagnostic) -> Diagnostic? {
        let folder = site.hasSuffix("/") ? site : site + "/"
        let document = (diagnostic.places.first?.document).map { name in
            name.hasPrefix(folder) ? String(name.dropFirst(folder.count)) : name
        }
        if diagnostic.hidesImages { baseline?.noteUnread(document) }
        if ignoredCodes.contains(diagnostic.code) { return nil }
        let judged = failures.judged(diagnostic, in: document)
        return judged.map { baseline?.judged($0, in: document) ?? $0 }
    }
}
