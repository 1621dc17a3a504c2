import Foundation
import Hashing
import TestSupport
import Testing

/// `cache.remote`: a store that machines share.
@Suite(.timeLimit(.minutes(10))) struct RemoteLevelTests {
    static let names = ["a", "b", "c", "d"]

    /// A site with four images, and their origin.
    func makeSite(
        cacheControl: String = "max-age=100000"
    ) async throws -> (Origin, TestSite) {
        let origin = try await Origin.start()
        for (seed, name) in Self.names.enumerated() {
            origin["/\(name).png"] = OriginRoute(
                try Pictures.scene(seed: UInt64(seed + 1), as: "png"), etag: "\"\(name)\"",
                cacheControl: cacheControl)
        }
        let images = Self.names.map { "<img src='\(origin.url)/\($0).png'>" }
        return (origin, try TestSite(["index.html": images.joined(), "b.html": images[1]]))
    }

    /// Bakes on a machine of its own.
    func bake(
        _ site: TestSite, on machine: String, with store: String, _ options: [String] = [],
        environment: [String: String] = [:]
    ) async throws -> CommandResult {
        try await site.start(
            ["-o", machine, "--json", "--cache-remote", store] + options,
            environment: ["IMGBAKE_CACHE_DIR": site.folder.path(machine + "-cache")]
                .merging(environment) { $1 }
        ).result()
    }

    func transformed(_ result: CommandResult) throws -> Int? {
        (try result.json["images"] as? [String: any Sendable])?["transformed"] as? Int
    }

    static let writing = ["--cache-remote-mode", "read-write"]

    @Test(arguments: [[], ["--responsive", "--placeholder", "blur"], ["--format", "keep"]])
    func emptyMachineDecodesNothingAndAsksNoOrigin(options: [String]) async throws {
        let (origin, site) = try await makeSite()
        let store = try await StoreServer()
        let first = try await bake(site, on: "first", with: store.url, Self.writing + options)
        #expect(first.exitCode == 0 && first.messages.isEmpty, "\(first.errors)")
        try expectNothingPointsToNothing(in: store)
        let objects = try store.objects
        origin.forgetRequests()
        let second = try await bake(site, on: "second", with: store.url, options)
        #expect(second.exitCode == 0 && second.messages.isEmpty, "\(second.errors)")
        #expect(try transformed(second) == 0)
        #expect(origin.requests.isEmpty)
        #expect(try site.folder.contents(below: "second") == site.folder.contents(below: "first"))
        // A machine that only reads writes nothing.
        #expect(try store.objects == objects)
    }

    /// Every entry and variant names a blob that is there, with the bytes of its name.
    func expectNothingPointsToNothing(in store: StoreServer) throws {
        let objects = try store.objects
        for object in objects where !object.hasPrefix("blobs/") {
            let record = try JSONSerialization.jsonObject(
                with: Data(store.folder.bytes("store/" + object)))
            let digest = try #require((record as? [String: Any])?["digest"] as? String)
            #expect(objects.contains("blobs/" + digest), "\(object)")
        }
        for object in objects where object.hasPrefix("blobs/") {
            let digest = HashFunction.sha256.hash(try store.folder.bytes("store/" + object))
            #expect(object == "blobs/" + digest.map { String(format: "%02x", $0) }.joined())
        }
    }

    @Test func staleEntryCostsOneConditionalRequestAndIsRenewedForAll() async throws {
        let (origin, site) = try await makeSite(cacheControl: "max-age=0")
        let store = try await StoreServer()
        _ = try await bake(site, on: "first", with: store.url, Self.writing)
        for name in Self.names { origin["/\(name).png"]?.cacheControl = "max-age=100000" }
        origin.forgetRequests()
        let second = try await bake(site, on: "second", with: store.url, Self.writing)
        #expect(second.exitCode == 0 && second.messages.isEmpty, "\(second.errors)")
        #expect(try transformed(second) == 0)
        #expect(origin.requests.count == 4)
        #expect(origin.requests.allSatisfy { $0.header("If-None-Match") != nil })
        let third = try await bake(site, on: "third", with: store.url)
        #expect(third.exitCode == 0)
        #expect(origin.requests.count == 4)
    }

    /// Stale sources too, and images that another machine has made or has only fetched.
    @Test(arguments: [[], ["--transform"]])
    func bakeFromTheStoreAsksNoOrigin(options: [String]) async throws {
        let (origin, site) = try await makeSite(cacheControl: "max-age=0")
        let store = try await StoreServer()
        let remote = ["--cache-remote", store.url]
        let filled = try await site.start(
            command: "prefetch", ["site"] + options + remote + Self.writing
        ).result()
        #expect(filled.exitCode == 0, "\(filled.errors)")
        #expect(origin.requestCount == 4)
        let baked = try await bake(site, on: "second", with: store.url, ["--from-store"])
        #expect(baked.exitCode == 0 && baked.messages.isEmpty, "\(baked.errors)")
        #expect(try transformed(baked) == (options.isEmpty ? 4 : 0))
        #expect(origin.requestCount == 4)
        // What is not in the store stays as it is, and is named.
        try site.restore(["c.html": "<img src='\(origin.url)/e.png'>"])
        let lacking = try await bake(site, on: "third", with: store.url, ["--from-store"])
        #expect(lacking.exitCode == 1)
        #expect(try lacking.diagnostics.map(\.code) == ["not-in-cache"])
        #expect(origin.requestCount == 4)
        let whole = try await site.start(["-o", "whole"]).result()
        #expect(whole.exitCode == 1)
        #expect(try site.folder.contents(below: "third") == site.folder.contents(below: "whole"))
    }

    @Test(arguments: [[], ["--refresh"], ["--offline"], ["--retry-failed"]])
    func bakeFromTheStoreNeedsAStoreAndMakesNoOtherDemand(options: [String]) async throws {
        let site = try TestSite(["a.html": "text"])
        let store = options.isEmpty ? [] : ["--cache-remote", "http://127.0.0.1:9/"]
        let result = try await site.start(["-o", "out", "--from-store"] + store + options).result()
        #expect(result.exitCode >= 2, "\(result.errors)")
        #expect(!site.folder.exists("out"))
    }

    @Test func anotherRecipeTakesTheSourceFromTheStore() async throws {
        let (origin, site) = try await makeSite()
        let store = try await StoreServer()
        _ = try await bake(site, on: "first", with: store.url, Self.writing)
        origin.forgetRequests()
        let second = try await bake(site, on: "second", with: store.url, ["--max-width", "50"])
        #expect(second.exitCode == 0, "\(second.errors)")
        #expect(try transformed(second) == 4)
        #expect(origin.requests.isEmpty)
    }

    /// Its entry, its header, its variant and the bytes.
    @Test func imageTakesFourRequestsOfTheStore() async throws {
        let (origin, site) = try await makeSite()
        defer { withExtendedLifetime(origin) {} }
        let (server, _) = try await makeStore()
        _ = try await bake(site, on: "first", with: server.url, Self.writing)
        server.forgetRequests()
        let second = try await bake(site, on: "second", with: server.url)
        #expect(second.exitCode == 0 && second.messages.isEmpty, "\(second.errors)")
        #expect(try transformed(second) == 0)
        let kinds = server.requests.map { $0.path.split(separator: "/").first ?? "" }.sorted()
        #expect(Set(server.requests.map(\.path)).count == 16)
        #expect(
            kinds == Array(repeating: "blobs", count: 4) + Array(repeating: "entries", count: 4)
                + Array(repeating: "variants", count: 8))
    }

    /// A machine that has everything renews an entry, and need not know what others have made.
    @Test func renewedEntryStillTellsWhatWasMade() async throws {
        let (origin, site) = try await makeSite(cacheControl: "max-age=0")
        let (server, _) = try await makeStore()
        for _ in 0..<2 {
            let first = try await bake(site, on: "first", with: server.url, Self.writing)
            #expect(first.exitCode == 0 && first.messages.isEmpty, "\(first.errors)")
        }
        #expect(origin.requests.count == 8)
        server.forgetRequests()
        let second = try await bake(site, on: "second", with: server.url)
        #expect(second.exitCode == 0 && second.messages.isEmpty, "\(second.errors)")
        #expect(try transformed(second) == 0)
        #expect(server.requests.count == 16)
    }

    /// Credentials are read for a bucket only.
    @Test func withoutAStoreNothingIsReadOrAsked() async throws {
        let (origin, site) = try await makeSite()
        defer { withExtendedLifetime(origin) {} }
        let server = try await Origin.start()
        // To read it would wait for a writer.
        let credentials = site.folder.path("credentials")
        #expect(mkfifo(credentials, 0o600) == 0)
        let result = try await site.start(
            ["-o", "out", "--json"],
            environment: [
                "AWS_SHARED_CREDENTIALS_FILE": credentials, "AWS_CONFIG_FILE": credentials,
                "AWS_PROFILE": "builder", "AWS_ENDPOINT_URL": server.url,
                "AWS_WEB_IDENTITY_TOKEN_FILE": credentials, "AWS_ROLE_ARN": "arn",
            ]
        ).result()
        #expect(result.exitCode == 0 && result.messages.isEmpty, "\(result.errors)")
        #expect(server.requests.isEmpty)
    }

    @Test func passwordIsSentAndToldNowhere() async throws {
        let (origin, site) = try await makeSite()
        defer { withExtendedLifetime(origin) {} }
        let secret = "hunter2hunter2"
        let store = try await StoreServer(password: secret)
        let host = try #require(URL(string: store.url)?.port)
        try site.folder.write(
            "hosts: {'127.0.0.1:\(host)': {basic: {user: baker, password: '${STORE}'}}}\n",
            to: "imgbake.yml")
        let result = try await bake(
            site, on: "first", with: store.url,
            Self.writing + ["--verbose", "--manifest", "images.json"],
            environment: ["STORE": secret])
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try store.objects.count > 8)
        #expect(!(result.output + result.errors).contains(secret))
        for (path, bytes) in try site.folder.contents() {
            #expect(!String(decoding: bytes, as: UTF8.self).contains(secret), "\(path)")
        }
        // Without the password, the store refuses, and the bake goes on.
        let refused = try await bake(
            site, on: "second", with: store.url, environment: ["STORE": "wrong"])
        #expect(refused.exitCode == 0)
        #expect(try refused.diagnostics.map(\.code) == ["remote-unusable"])
        #expect(!refused.errors.contains("wrong"))
    }

    @Test func killedBakeLeavesNothingThatPointsToNothing() async throws {
        let (origin, site) = try await makeSite()
        defer { withExtendedLifetime(origin) {} }
        for delay in [200, 400, 600, 900, 1_300] {
            let store = try await StoreServer()
            let command = try site.start(
                ["-o", "out-\(delay)", "--cache-remote", store.url] + Self.writing,
                environment: ["IMGBAKE_CACHE_DIR": site.folder.path("cache-\(delay)")])
            try await Task.sleep(for: .milliseconds(delay))
            command.signal(SIGKILL)
            _ = try await command.result()
            try await Task.sleep(for: .milliseconds(200))
            try expectNothingPointsToNothing(in: store)
        }
    }

    @Test(arguments: [true, false])
    func prefetchFillsTheStore(isOfSite: Bool) async throws {
        let (origin, site) = try await makeSite()
        let store = try await StoreServer()
        let list = Self.names.map { "\(origin.url)/\($0).png\n" }.joined()
        try site.folder.write(list, to: "list")
        let first = try await site.start(
            command: "prefetch",
            [isOfSite ? "site" : "list"] + (isOfSite ? ["--transform"] : [])
                + ["--json", "--cache-remote", store.url] + Self.writing,
            environment: ["IMGBAKE_CACHE_DIR": site.folder.path("first-cache")]
        ).result()
        #expect(first.exitCode == 0 && first.messages.isEmpty, "\(first.errors)")
        try expectNothingPointsToNothing(in: store)
        origin.forgetRequests()
        let second = try await bake(site, on: "second", with: store.url)
        #expect(second.exitCode == 0 && second.messages.isEmpty, "\(second.errors)")
        #expect(origin.requests.isEmpty)
        #expect(try transformed(second) == (isOfSite ? 0 : 4))
    }

    @Test func prefetchWarnsOnceOfAStoreThatCannotBeUsed() async throws {
        let (origin, site) = try await makeSite()
        let (server, objects) = try await makeStore()
        objects.fault = .denied
        try site.folder.write("\(origin.url)/a.png\n\(origin.url)/b.png\n", to: "list")
        let result = try await site.start(
            command: "prefetch", ["list", "--json", "--cache-remote", server.url] + Self.writing
        ).result()
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try result.diagnostics.map(\.code) == ["remote-unusable"])
        #expect(try result.json["fetched"] as? Int == 2)
    }

    /// A store that never answers does not keep a bake that was stopped.
    @Test(arguments: ["site", "prefetch"])
    func signalEndsUploadsAfterTheStopTimeout(command: String) async throws {
        let (origin, site) = try await makeSite()
        let (server, objects) = try await makeStore()
        objects.delay = .seconds(600)
        try site.folder.write("\(origin.url)/a.png\n", to: "list")
        let options = command == "site" ? ["-o", "out"] : ["list"]
        let running = try site.start(
            command: command,
            options + ["--cache-remote", server.url] + Self.writing)
        for _ in 0..<3_000 where server.requests.isEmpty {
            try await Task.sleep(for: .milliseconds(20))
        }
        running.signal(SIGTERM)
        #expect(try await running.result().exitCode == 143)
    }

    // MARK: - Faults

    /// A store in memory that tells in which order it was asked.
    func makeStore() async throws -> (Origin, Objects) {
        let origin = try await Origin.start()
        let objects = Objects()
        origin.handleRest { objects.answer($0) }
        return (origin, objects)
    }

    @Test func blobsAreUploadedOnceAndBeforeWhatPointsToThem() async throws {
        let (origin, site) = try await makeSite()
        defer { withExtendedLifetime(origin) {} }
        let (server, _) = try await makeStore()
        let result = try await bake(site, on: "first", with: server.url, Self.writing)
        #expect(result.exitCode == 0 && result.messages.isEmpty, "\(result.errors)")
        // Four sources, four variants.
        #expect(try blobsBeforeRecords(server.requests).count == 8)
    }

    /// The digests of the uploaded blobs, after a check that each precedes the records that name it.
    func blobsBeforeRecords(_ requests: [OriginRequest]) throws -> Set<String> {
        var known: Set<String> = []
        for request in requests where request.method == "PUT" {
            if request.path.hasPrefix("/blobs/") {
                known.insert(String(request.path.dropFirst("/blobs/".count)))
            } else {
                let json = try JSONSerialization.jsonObject(with: Data(request.body))
                let record = try #require(json as? [String: Any])
                #expect(known.contains(record["digest"] as? String ?? ""), "\(request.path)")
            }
        }
        return known
    }

    enum Fault: String, CaseIterable {
        case down, slow, denied, unavailable, full, wrongBytes, damaged, redirected
    }

    @Test(arguments: Fault.allCases)
    func storeWithAFaultCostsOneWarning(fault: Fault) async throws {
        let (origin, site) = try await makeSite()
        let (server, objects) = try await makeStore()
        #expect(try await bake(site, on: "first", with: server.url, Self.writing).exitCode == 0)
        objects.fault = fault
        if fault == .down { await server.shutdown() }
        origin.forgetRequests()
        // The origin must answer within the timeout too.
        let timeout = fault == .slow ? ["--stall-timeout", "5"] : []
        let result = try await bake(
            site, on: "second", with: server.url, Self.writing + timeout)
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try result.diagnostics.map(\.severity) == [.warning])
        #expect(try result.diagnostics.map(\.code) == ["remote-unusable"])
        #expect(try site.folder.contents(below: "second") == site.folder.contents(below: "first"))
        #expect(origin.requestCount <= 4)
    }

    /// A clock that was wrong makes an entry from the future: its server is asked.
    @Test func entryFromTheFutureIsRevalidated() async throws {
        let (origin, site) = try await makeSite()
        let store = try await StoreServer()
        _ = try await bake(site, on: "first", with: store.url, Self.writing)
        for object in try store.objects where object.hasPrefix("entries/") {
            let text = try store.folder.text("store/" + object)
            let later = text.replacing(/"(arrival|expiry)":\d/) { "\"\($0.1)\":4" }
            try store.folder.replace("store/" + object, by: later)
        }
        origin.forgetRequests()
        let second = try await bake(site, on: "second", with: store.url)
        #expect(second.exitCode == 0 && second.messages.isEmpty, "\(second.errors)")
        #expect(origin.requests.count == 4)
        #expect(try transformed(second) == 0)
    }

    @Test func signalWaitsForUploads() async throws {
        let (origin, site) = try await makeSite()
        defer { withExtendedLifetime(origin) {} }
        let (server, objects) = try await makeStore()
        objects.delay = .milliseconds(300)
        let command = try site.start(
            ["-o", "out", "--cache-remote", server.url] + Self.writing)
        for _ in 0..<500 where !server.requests.contains(where: { $0.method == "PUT" }) {
            try await Task.sleep(for: .milliseconds(20))
        }
        command.signal(SIGTERM)
        _ = try await command.result()
        let put = server.requests.filter { $0.method == "PUT" }
        let blobs = put.filter { $0.path.hasPrefix("/blobs/") }
        #expect(put.count > blobs.count)
        // Each blob that was begun is named by a record.
        let records = put.filter { !$0.path.hasPrefix("/blobs/") }.map {
            String(decoding: $0.body, as: UTF8.self)
        }
        for blob in blobs {
            let digest = String(blob.path.dropFirst("/blobs/".count))
            #expect(records.contains { $0.contains(digest) })
        }
    }
}

/// The objects of a store, and its fault.
final class Objects: @unchecked Sendable {  // All is read and written under the lock.
    private let lock = NSLock()
    private var bodies: [String: [UInt8]] = [:]
    private var state: (fault: RemoteLevelTests.Fault?, delay: Duration) = (nil, .zero)

    var fault: RemoteLevelTests.Fault? {
        get { lock.withLock { state.fault } }
        set { lock.withLock { state.fault = newValue } }
    }

    var delay: Duration {
        get { lock.withLock { state.delay } }
        set { lock.withLock { state.delay = newValue } }
    }

    /// The blobs by their paths.
    var blobs: [String: [UInt8]] {
        lock.withLock { bodies.filter { $0.key.hasPrefix("/blobs/") } }
    }

    /// The entries and variants by their paths.
    var records: [String: [UInt8]] {
        lock.withLock { bodies.filter { !$0.key.hasPrefix("/blobs/") } }
    }

    func changeRecords(_ change: ([UInt8]) -> [UInt8]) {
        lock.withLock {
            for (path, body) in bodies where !path.hasPrefix("/blobs/") {
                bodies[path] = change(body)
            }
        }
    }

    /// Replaces the bytes of all images.
    func damageImages() {
        lock.withLock {
            for path in bodies.keys where path.hasPrefix("/blobs/") { bodies[path] = [1, 2, 3] }
        }
    }

    func answer(_ request: OriginRequest) -> OriginRoute {
        var route = route(to: request)
        route.delay = delay
        return route
    }

    private func route(to request: OriginRequest) -> OriginRoute {
        let isPut = request.method == "PUT"
        switch fault {
        case .denied: return .status(403)
        case .unavailable: return .status(503, headers: [("Retry-After", "30")])
        case .slow: return OriginRoute([1], delivery: .silent)
        case .redirected: return .redirect(to: "https://elsewhere.example/")
        case .full: return isPut ? .status(507) : .status(404)
        case .wrongBytes where !isPut && request.path.hasPrefix("/blobs/"):
            return OriginRoute([1, 2, 3])
        case .damaged where !isPut && !request.path.hasPrefix("/blobs/"):
            return OriginRoute(Array("{\"digest\":".utf8))
        default: break
        }
        return lock.withLock {
            if isPut {
                bodies[request.path] = request.body
                return .status(201)
            }
            return bodies[request.path].map { OriginRoute($0) } ?? .status(404)
        }
    }
}
