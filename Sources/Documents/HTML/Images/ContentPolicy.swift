/// A Content Security Policy (CSP 3), as far as it decides about what a bake adds to a page.
package struct ContentPolicy: Sendable, Hashable {
    /// Whether `style` attributes apply.
    package private(set) var allowsStyleAttributes = true
    /// Whether images in `data:` URLs are shown.
    package private(set) var allowsDataImages = true

    /// The policy that forbids nothing.
    package init() {}

    /// - Parameter text: The value of the header, which can contain several policies.
    package init(_ text: String) {
        for policy in text.split(separator: ",") {
            var known: [String: [String]] = [:]
            for directive in policy.split(separator: ";") {
                let words = directive.split(whereSeparator: \.isWhitespace)
                    .map { $0.lowercased() }
                guard let name = words.first, known[name] == nil else { continue }
                known[name] = Array(words.dropFirst())
            }
            func sources(_ names: String...) -> [String]? {
                names.lazy.compactMap { known[$0] }.first
            }
            if let styles = sources("style-src-attr", "style-src", "default-src") {
                // A nonce or a hash switches `'unsafe-inline'` off.
                let isAllowed =
                    styles.contains("'unsafe-inline'")
                    && !styles.contains { $0.hasPrefix("'nonce-") || $0.hasPrefix("'sha") }
                allowsStyleAttributes = allowsStyleAttributes && isAllowed
            }
            if let images = sources("img-src", "default-src") {
                allowsDataImages = allowsDataImages && images.contains("data:")
            }
        }
    }

    /// Reads the file `_headers` of Netlify and Cloudflare Pages.
    ///
    /// A policy for some of the pages counts for all of them.
    package init(headersFile text: String) {
        let headers = text.split(whereSeparator: \.isNewline)
            .filter { $0.first?.isWhitespace == true }
        for header in headers {
            guard let colon = header.firstIndex(of: ":") else { continue }
            let name = header[..<colon].filter { !$0.isWhitespace }.lowercased()
            guard name == "content-security-policy" else { continue }
            add(ContentPolicy(String(header[header.index(after: colon)...])))
        }
    }

    /// Forbids what another policy for the same page forbids.
    package mutating func add(_ other: ContentPolicy) {
        allowsStyleAttributes = allowsStyleAttributes && other.allowsStyleAttributes
        allowsDataImages = allowsDataImages && other.allowsDataImages
    }
}
