import DocumentSyntax

/// A Content Security Policy (CSP 3), as far as it decides about what a bake adds to a page.
package struct ContentPolicy: Sendable, Hashable {
    /// For each policy about a kind of files, the sources that it allows.
    private var sources: [Resource: [[String]]] = [:]

    /// A kind of files that a page loads, or its `style` attributes.
    package enum Resource: Sendable, CaseIterable {
        case sheet, styleAttribute, font, image, media, script

        fileprivate var directives: [String] {
            switch self {
            case .sheet: ["style-src-elem", "style-src", "default-src"]
            case .styleAttribute: ["style-src-attr", "style-src", "default-src"]
            case .font: ["font-src", "default-src"]
            case .image: ["img-src", "default-src"]
            case .media: ["media-src", "default-src"]
            case .script: ["script-src-elem", "script-src", "default-src"]
            }
        }
    }

    /// Whether `style` attributes apply.
    package var allowsStyleAttributes: Bool {
        (sources[.styleAttribute] ?? []).allSatisfy { allowed in
            // A nonce or a hash switches `'unsafe-inline'` off.
            allowed.contains("'unsafe-inline'")
                && !allowed.contains { $0.hasPrefix("'nonce-") || $0.hasPrefix("'sha") }
        }
    }

    /// Whether images in `data:` URLs are shown.
    package var allowsDataImages: Bool {
        (sources[.image] ?? []).allSatisfy { $0.contains("data:") }
    }

    /// Whether scripts in the page run only with the bytes that they have.
    package var hashesScripts: Bool {
        (sources[.script] ?? []).contains { $0.contains { $0.hasPrefix("'sha") } }
    }

    /// Whether style sheets of the page may not apply.
    package var mayForbidSheets: Bool { sources[.sheet] != nil }

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
            for resource in Resource.allCases {
                let allowed = resource.directives.lazy.compactMap { known[$0] }.first
                if let allowed { sources[resource, default: []].append(allowed) }
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
        sources.merge(other.sources) { $0 + $1 }
    }

    /// Whether a linked style sheet applies.
    ///
    /// A source with a path counts as one that does not allow it.
    ///
    /// - Parameters:
    ///   - url: The URL of the style sheet, as it is written in the page.
    ///   - site: The URL of the site; nil if it is not known.
    /// - Returns: Whether it does.
    package func allowsSheet(at url: String, of site: String?) -> Bool {
        let sheetSources = sources[.sheet] ?? []
        if url.hasPrefix("//") { return sheetSources.isEmpty }
        let site = site.flatMap { WebOrigin($0) }
        let other = WebOrigin(url)
        let isOwn = other == nil || other == site
        return sheetSources.allSatisfy { sources in
            sources.contains { source in
                source == "*" || isOwn && source == "'self'"
                    || (other ?? site)?.isAllowed(by: source) == true
            }
        }
    }
}

extension ContentPolicy {
    /// Whether a page certainly does not load a file of the site.
    ///
    /// - Parameters:
    ///   - resource: The kind of the file.
    ///   - url: The URL of the file, as it is written in the page.
    ///   - site: The URL of the site; nil if it is not known.
    ///   - remote: The URL of another host that stands in the page now.
    /// - Returns: Whether it does not.
    package func forbids(
        _ resource: Resource, at url: String, of site: String?, insteadOf remote: String
    ) -> Bool {
        // Most pages have no policy, and each reference asks.
        guard let policies = sources[resource] else { return false }
        let own = WebOrigin(url) ?? site.flatMap { WebOrigin($0) }
        let other = WebOrigin(remote)
        func mayAllow(_ source: String) -> Bool {
            if ["*", "'self'", "http:", "https:"].contains(source) { return true }
            if source.hasPrefix("'") || source.hasSuffix(":") { return false }
            return own.map { $0.isAllowed(by: source) } ?? (other?.isAllowed(by: source) != true)
        }
        return policies.contains { !$0.contains(where: mayAllow) }
    }
}

/// The scheme and the host of a URL.
private struct WebOrigin: Equatable {
    let scheme: String
    /// With the port, if it is written.
    let host: String

    /// - Returns: nil for a URL without a host.
    init?(_ url: String) {
        let text = url.lowercased()
        guard let scheme = ["http", "https"].first(where: { text.hasPrefix($0 + "://") }) else {
            return nil
        }
        self.scheme = scheme
        host = String(text.dropFirst(scheme.count + 3).prefix { $0 != "/" })
    }

    /// Whether a source of a policy stands for the whole host.
    func isAllowed(by source: String) -> Bool {
        if source == scheme + ":" { return true }
        let text = source.contains("://") ? source : scheme + "://" + source
        guard let allowed = WebOrigin(text), allowed.scheme == scheme,
            text.count <= scheme.count + 3 + allowed.host.count + 1
        else { return false }
        return allowed.host == host
            || allowed.host.hasPrefix("*.") && host.hasSuffix(String(allowed.host.dropFirst()))
    }
}
