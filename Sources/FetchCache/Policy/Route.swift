/// The facts about a connection that a later configuration may forbid.
///
/// The class of the address is stored and not the address, so that a cache can be given to others.
/// An unknown one counts as private.
struct ConnectionFacts: Hashable, Sendable {
    /// The class of a public address.
    static let publicAddress = "public"

    /// The class of the server's address: `public`, or as in ``IPAddress/specialKind``.
    ///
    /// It is nil if the address is not known: a proxy or another transport has chosen it.
    var address: String?
    /// Whether the server's certificate was not verified.
    var isUnverified = false
    /// A hash of the certificate authorities that were trusted in addition to those of the system;
    /// nil if there were none, or no TLS.
    var authorities: String?

    /// The facts of these connections together: the more restricted one of each.
    func merged(with other: Self) -> Self {
        let isPublic = address == Self.publicAddress
        return Self(
            address: isPublic || other.address == nil ? other.address : address,
            isUnverified: isUnverified || other.isUnverified,
            authorities: authorities ?? other.authorities)
    }
}

/// As in the index: words with commas between them, the class of the address first.
extension ConnectionFacts {
    private static let unknown = "unknown"
    private static let unverified = "unverified"
    private static let authorityMark = "ca="

    var text: String {
        var words = [address?.replacing(" ", with: "_") ?? Self.unknown]
        if isUnverified { words.append(Self.unverified) }
        if let authorities { words.append(Self.authorityMark + authorities) }
        return words.joined(separator: ",")
    }

    init(text: some StringProtocol) {
        let words = text.split(separator: ",")
        let first = words.first.map { String($0).replacing("_", with: " ") }
        address = first == Self.unknown ? nil : first
        for word in words.dropFirst() {
            if word == Self.unverified { isUnverified = true }
            if word.hasPrefix(Self.authorityMark) {
                authorities = String(word.dropFirst(Self.authorityMark.count))
            }
        }
    }
}

/// One of the requests that led to a response.
struct RouteStep: Hashable, Sendable {
    /// The requested URL, without a user and password.
    ///
    /// Of a redirect, a ``Route`` keeps only the ``origin``.
    var url: String
    var facts: ConnectionFacts

    /// The URL with scheme, host and port only: what policies judge.
    var origin: String { Self.origin(of: url) }

    static func origin(of url: String) -> String {
        guard let parts = try? URLText.parts(of: url) else { return "" }
        let host = parts.host.utf8.contains(UInt8(ascii: ":")) ? "[\(parts.host)]" : parts.host
        return "\(parts.scheme)://\(host):\(parts.port)/"
    }
}

/// The requests that led to a stored response: the first one and those after redirects.
///
/// It is kept as text, because it is seldom examined: most responses came from the requested URL at
/// a public address.
struct Route: Hashable, Sendable {
    /// The facts of the first connection, then a line for each redirect: the facts and the origin.
    ///
    /// It is empty if nothing is known. A URL may be long and may contain a secret, an origin not.
    var text = ""

    /// The route of a response that came from the requested URL at a public address.
    static let direct = Route(text: ConnectionFacts.publicAddress)

    /// The requests, in their order.
    ///
    /// - Parameters:
    ///   - url: The URL that was requested first.
    ///   - finalURL: The URL of the response. It is added if the route does not lead to it.
    /// - Returns: At least one request.
    func steps(from url: String, to finalURL: String) -> [RouteStep] {
        let lines = text.split(separator: "\n")
        var steps = [RouteStep(url: url, facts: ConnectionFacts(text: lines.first ?? ""))]
        for line in lines.dropFirst() {
            let parts = line.split(separator: " ", maxSplits: 1)
            guard parts.count == 2 else { continue }
            steps.append(RouteStep(url: String(parts[1]), facts: ConnectionFacts(text: parts[0])))
        }
        if url != finalURL || steps.count > 1, steps.last?.origin != RouteStep.origin(of: finalURL)
        {
            steps.append(RouteStep(url: finalURL, facts: ConnectionFacts()))
        }
        return steps
    }
}

extension Route {
    init(_ steps: [RouteStep]) {
        let first = steps.prefix(1).map(\.facts.text)
        let others = steps.dropFirst().map { "\($0.facts.text) \($0.origin)" }
        self.init(text: (first + others).joined(separator: "\n"))
    }
}

extension Entry {
    /// The requests that led to the response.
    var steps: [RouteStep] { route.steps(from: url, to: finalURL) }

    /// Takes the route of a response that confirms this one.
    ///
    /// The more restricted connection counts where both came from the same origin: bytes that came
    /// from a private address stay bytes of a private address.
    mutating func takeRoute(_ newer: [RouteStep]) {
        let known = Dictionary(steps.map { ($0.origin, $0.facts) }) { $0.merged(with: $1) }
        route = Route(
            newer.map { step in
                RouteStep(
                    url: step.url, facts: known[step.origin].map(step.facts.merged) ?? step.facts)
            })
    }
}
