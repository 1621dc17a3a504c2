import GRDB
import TestSupport
import Testing

@testable import FetchCache

/// Removes what an index knows about the connections of its responses.
func forgetRoutes(in path: String) async throws {
    let queue = try DatabaseQueue(path: path)
    try await queue.write { try $0.execute(sql: "UPDATE entry SET route = ''") }
    try queue.close()
}

/// The decision on a stored response, from what the index knows about it.
struct UsePolicyTests {
    private let target: LoadTarget

    init() throws {
        target = try LoadTarget(FetchRequest("https://h/a.png"), keyFilter: nil)
    }

    private func entry(_ route: String, finalURL: String = "https://h/a.png") throws -> Entry {
        Entry(
            key: "https://h/a.png", url: "https://h/a.png", finalURL: finalURL,
            digest: BlobDigest(hashing: []), byteCount: 10, mediaType: .png,
            response: StoredResponse(
                version: "HTTP/1.1", status: 200, fieldText: "", arrival: .distantPast,
                expiry: .distantPast),
            lastUse: .distantPast, route: Route(text: route))
    }

    private func verdict(
        _ route: String, finalURL: String = "https://h/a.png",
        _ configure: (inout FetchConfiguration) -> Void = { _ in }
    ) throws -> (isRefused: Bool, code: FetchError.Code)? {
        var configuration = FetchConfiguration(folder: "/nowhere")
        configuration.downloader.network.proxy = .none
        configure(&configuration)
        let policy = UsePolicy(builder: RequestBuilder(configuration.downloader))
        return switch policy.verdict(on: try entry(route, finalURL: finalURL), for: target) {
        case .usable: nil
        case .refused(let error): (true, error.code)
        case .mustAsk(let error): (false, error.code)
        }
    }

    @Test(
        arguments: [
            ("public", nil), ("loopback", .forbidden), ("private", .forbidden),
            ("link-local", .forbidden), ("carrier-grade_NAT", .forbidden), ("", .offline),
            ("unknown", .offline), ("public,unverified", .tls), ("public,ca=0123", .tls),
            ("loopback,unverified", .tls), ("nonsense", .forbidden),
        ] as [(String, FetchError.Code?)])
    func judgesConnection(_ route: String, code: FetchError.Code?) throws {
        let verdict = try verdict(route)
        #expect(verdict?.code == code)
        #expect(verdict?.isRefused != true)
        let loose = try self.verdict(route) {
            $0.downloader.network.allowsPrivateNetwork = true
            $0.downloader.hosts = ["h": HostOptions(allowsInvalidCertificate: true)]
        }
        #expect(loose == nil)
    }

    @Test(arguments: ["", "unknown", "loopback"])
    func proxyAndOtherTransportsChooseAddresses(_ route: String) throws {
        let proxied = try verdict(route) {
            $0.downloader.network.proxy = .server(url: "http://p:1", except: [])
        }
        #expect(proxied == nil)
        let excepted = try verdict(route) {
            $0.downloader.network.proxy = .server(url: "http://p:1", except: ["h"])
        }
        #expect(excepted != nil)
        struct Other: Transport {
            func perform(_ request: TransportRequest, receiver: TransportReceiver) async throws {}
        }
        let other = try verdict(route) { $0.downloader.transport = Other() }
        #expect(other == nil)
    }

    @Test func judgesEachRedirect() throws {
        let route = "public\npublic https://i/b\nloopback https://j/c"
        let final = "https://j/c"
        #expect(try verdict(route, finalURL: final)?.code == .forbidden)
        let loose = { (configuration: inout FetchConfiguration) in
            configuration.downloader.network.allowsPrivateNetwork = true
        }
        #expect(try verdict(route, finalURL: final, loose) == nil)
        for host in ["h", "i", "j"] {
            let denied = try verdict(route, finalURL: final) {
                loose(&$0)
                $0.downloader.network.deniedHosts = [host]
            }
            #expect(denied?.isRefused == true, "\(host)")
        }
        let limited = try verdict(route, finalURL: final) {
            loose(&$0)
            $0.downloader.limits.redirects = 1
        }
        #expect(limited?.code == .redirect)
        #expect(limited?.isRefused == true)
    }

    /// A route that does not lead to the response, from a damaged or foreign index, is unknown.
    @Test(arguments: ["public", "public\nnonsense", "public\npublic https://i/b"])
    func routeMustLeadToResponse(_ route: String) throws {
        #expect(try verdict(route, finalURL: "https://other/c")?.code == .offline)
    }

    @Test func routeKeepsOriginsOnly() {
        let facts = ConnectionFacts(address: "public")
        let route = Route([
            RouteStep(url: "https://h/a?token=x", facts: facts),
            RouteStep(url: "https://i/b?token=x", facts: facts),
            RouteStep(url: "http://[::1]:8080/c", facts: ConnectionFacts(address: "loopback")),
        ])
        #expect(route.text == "public\npublic https://i:443/\nloopback http://[::1]:8080/")
        let steps = route.steps(from: "https://h/a", to: "http://[::1]:8080/c")
        #expect(steps.map(\.url) == ["https://h/a", "https://i:443/", "http://[::1]:8080/"])
    }

    @Test func refusesDowngrade() throws {
        let route = "public\npublic http://h/b"
        let refused = try verdict(route, finalURL: "http://h/b")
        #expect(refused?.code == .forbidden)
        #expect(refused?.isRefused == true)
        #expect(
            try verdict(route, finalURL: "http://h/b") {
                $0.downloader.network.allowsDowngrade = true
            } == nil)
    }

    @Test(arguments: [
        ConnectionFacts(), ConnectionFacts(address: "public"),
        ConnectionFacts(address: "carrier-grade NAT", isUnverified: true),
        ConnectionFacts(address: "link-local", isUnverified: true, authorities: "ab"),
    ])
    func factsRoundTrip(_ facts: ConnectionFacts) {
        #expect(ConnectionFacts(text: facts.text) == facts)
    }

    @Test func confirmationKeepsMoreRestrictedFacts() throws {
        var entry = try entry("loopback,unverified")
        entry.takeRoute([RouteStep(url: entry.url, facts: ConnectionFacts(address: "public"))])
        #expect(entry.route.text == "loopback,unverified")
        var other = try self.entry("public")
        other.takeRoute([RouteStep(url: entry.url, facts: ConnectionFacts())])
        #expect(other.route.text == "unknown")
    }

    /// The paths of the properties of a value, with those of the groups that it contains.
    private func paths(of value: Any) -> [String] {
        Mirror(reflecting: value).children.flatMap { child -> [String] in
            let label = child.label ?? ""
            switch child.value {
            case is FetchConfiguration.Folder, is FetchConfiguration.Memory, is CachePolicy,
                is DownloaderConfiguration, is DownloaderConfiguration.Limits,
                is DownloaderConfiguration.Times, is DownloaderConfiguration.Network:
                return paths(of: child.value).map { "\(label).\($0)" }
            default: return [label]
            }
        }
    }

    /// Every property of the configuration is either judged when a stored response is used, or
    /// listed here as one that forbids nothing about a stored response.
    @Test func everyPropertyIsDecided() {
        let judged: Set = [
            "downloader.limits.bodyBytes", "downloader.limits.redirects", "downloader.bodyCheck",
            "downloader.network.allowsPrivateNetwork", "downloader.network.allowsDowngrade",
            "downloader.network.allowedHosts", "downloader.network.deniedHosts",
            "downloader.network.certificateAuthorityFile", "downloader.hosts",
            "downloader.netrcFile", "downloader.keepsCookies", "downloader.headersFilter",
            "policy.timeToLive", "policy.staleOnError", "policy.onGone", "policy.failureLifetime",
        ]
        let ofRequests: Set = [
            "downloader.limits.transfers", "downloader.limits.transfersPerHost",
            "downloader.limits.retries",
            "downloader.limits.hostFailures", "downloader.times.connect", "downloader.times.stall",
            "downloader.times.total", "downloader.times.retryDelay",
            "downloader.times.longestRetryAfter", "downloader.times.hostProbe",
            "downloader.network.mayDownload", "downloader.network.mayFollow",
            "downloader.network.proxy", "downloader.retryDelay",
            "downloader.network.hostAddresses", "downloader.userAgent", "downloader.order",
            "downloader.transport",
        ]
        let ofStorage: Set = [
            "folder.path", "folder.namespace", "folder.readOnlyCaches", "memory.maximumCount",
            "memory.maximumBytes", "policy.maximumAge", "policy.maximumBytes",
            "policy.cleansByItself", "policy.keyFilter", "policy.closeTimeout",
            "downloader.logger", "downloader.now",
        ]
        let properties = paths(of: FetchConfiguration(folder: "/nowhere"))
        #expect(Set(properties) == judged.union(ofRequests).union(ofStorage))
        #expect(properties.count == judged.count + ofRequests.count + ofStorage.count)
    }
}
