/// A Content Security Policy in a page (CSP 3), as far as it decides about `style` attributes.
enum ContentPolicy {
    /// Whether a policy lets `style` attributes apply.
    ///
    /// - Parameter text: The value of the header, which can contain several policies.
    /// - Returns: Whether each of them does.
    static func allowsStyleAttributes(_ text: String) -> Bool {
        text.split(separator: ",").allSatisfy { policy in
            var known: [String: [String]] = [:]
            for directive in policy.split(separator: ";") {
                let words = directive.split(whereSeparator: \.isWhitespace)
                    .map { $0.lowercased() }
                guard let name = words.first, known[name] == nil else { continue }
                known[name] = Array(words.dropFirst())
            }
            let names = ["style-src-attr", "style-src", "default-src"]
            guard let sources = names.lazy.compactMap({ known[$0] }).first else { return true }
            // A nonce or a hash switches `'unsafe-inline'` off.
            return sources.contains("'unsafe-inline'")
                && !sources.contains { $0.hasPrefix("'nonce-") || $0.hasPrefix("'sha") }
        }
    }
}
