import Foundation
import TestSupport
import Testing

/// `cache.remote: s3://…`: a bucket that machines share, on a server that checks signatures.
@Suite(
    .timeLimit(.minutes(10)), .enabled(if: MotoServer.tool.isExpected, "moto is not installed"))
struct S3LevelTests {
    private static let names = ["a", "b", "c"]
    private static let writing = ["--cache-remote-mode", "read-write"]

    /// A site with images, and their origin.
    private func makeSite() async throws -> (Origin, TestSite) {
        let origin = try await Origin.start()
        for (seed, name) in Self.names.enumerated() {
            origin["/\(name).png"] = OriginRoute(
                try Pictures.scene(seed: UInt64(seed + 1), as: "png"), etag: "\"\(name)\"",
                cacheControl: "max-age=100000")
        }
        let images = Self.names.map { "<img src='\(origin.url)/\($0).png'>" }
        return (origin, try TestSite(["index.html": images.joined()]))
    }

    /// Runs the command on a machine of its own, without the user's settings for AWS.
    private func run(
        _ site: TestSite, on machine: String, at endpoint: String, _ options: [String] = [],
        prefetching: Bool = false, environment: [String: String] = [:]
    ) async throws -> CommandResult {
        let first = prefetching ? ["site", "--transform"] : ["-o", machine]
        let store = ["--json", "--cache-remote", "s3://images/some prefix/ü+%2B"]
        return try await site.start(
            command: prefetching ? "prefetch" : "site", first + store + options,
            environment: [
                "IMGBAKE_CACHE_DIR": site.folder.path(machine + "-cache"),
                "HOME": site.folder.path("home"), "AWS_PROFILE": "", "AWS_ACCESS_KEY_ID": "",
                "AWS_SECRET_ACCESS_KEY": "", "AWS_SESSION_TOKEN": "",
                "AWS_ENDPOINT_URL": endpoint, "AWS_REGION": MotoServer.region,
            ].merging(environment) { $1 }
        ).result()
    }

    private func transformed(_ result: CommandResult) throws -> Int? {
        (try result.json["images"] as? [String: any Sendable])?["transformed"] as? Int
    }

    /// Bakes on a machine with an empty cache, which must not make or fetch anything.
    private func expectSecondMachineTakesAll(
        of site: TestSite, from moto: MotoServer, _ variables: [String: String], _ origin: Origin
    ) async throws {
        let second = try await run(site, on: "second", at: moto.url, environment: variables)
        #expect(second.exitCode == 0 && !second.hasWarnings, "\(second.errors)")
        #expect(try transformed(second) == 0)
        #expect(origin.requests.isEmpty)
        #expect(try site.folder.contents(below: "second") == site.folder.contents(below: "first"))
    }

    @Test func emptyMachineDecodesNothingAndAsksNoOrigin() async throws {
        let (origin, site) = try await makeSite()
        let moto = try await MotoServer()
        let access = try await moto.start()
        let first = try await run(
            site, on: "first", at: moto.url, Self.writing, environment: access.variables)
        #expect(first.exitCode == 0 && !first.hasWarnings, "\(first.errors)")
        origin.forgetRequests()
        try await expectSecondMachineTakesAll(of: site, from: moto, access.variables, origin)
        let objects = try await moto.objects()
        let prefix = "some prefix/ü+%2B/"
        #expect(objects.keys.allSatisfy { $0.hasPrefix(prefix) }, "\(objects.keys)")
        let blobs = objects.filter { $0.key.hasPrefix(prefix + "blobs/") }
        // Three sources, three variants.
        #expect(blobs.count == 6)
        #expect(blobs.allSatisfy { $0.key == prefix + "blobs/" + $0.value })
    }

    @Test func prefetchFillsABucketFromAWarmCache() async throws {
        let (origin, site) = try await makeSite()
        let moto = try await MotoServer()
        let access = try await moto.start()
        let cache = ["IMGBAKE_CACHE_DIR": site.folder.path("first-cache")]
        let warm = try await site.start(["-o", "first"], environment: cache).result()
        #expect(warm.exitCode == 0, "\(warm.errors)")
        origin.forgetRequests()
        // The second one finds that all is there.
        for isFirst in [true, false] {
            let filled = try await run(
                site, on: "first", at: moto.url, Self.writing, prefetching: true,
                environment: access.variables)
            #expect(filled.exitCode == 0 && !filled.hasWarnings, "\(filled.errors)")
            #expect(try (filled.json["uploaded"] as? Int == 0) == !isFirst)
        }
        try await expectSecondMachineTakesAll(of: site, from: moto, access.variables, origin)
    }

    @Test func profileHasTheKeysAndSettingsHaveTheEndpoint() async throws {
        let (origin, site) = try await makeSite()
        let moto = try await MotoServer()
        let access = try await moto.start()
        try site.folder.write(
            """
            [builder]
            aws_access_key_id = \(access.key)
            aws_secret_access_key = \(access.secret)

            """, to: "home/.aws/credentials")
        try site.folder.write(
            """
            [profile builder]
            endpoint_url = \(moto.url)/
            region = eu-central-1

            """, to: "home/.aws/config")
        let variables = ["AWS_PROFILE": "builder", "AWS_ENDPOINT_URL": "", "AWS_REGION": ""]
        let first = try await run(
            site, on: "first", at: "", Self.writing, environment: variables)
        #expect(first.exitCode == 0 && !first.hasWarnings, "\(first.errors)")
        origin.forgetRequests()
        let second = try await run(site, on: "second", at: "", environment: variables)
        #expect(second.exitCode == 0 && !second.hasWarnings, "\(second.errors)")
        #expect(origin.requests.isEmpty)
    }

    @Test func wrongKeyIsNamedOnceAndNothingFails() async throws {
        let (origin, site) = try await makeSite()
        defer { withExtendedLifetime(origin) {} }
        let moto = try await MotoServer()
        var access = try await moto.start()
        access.secret = "hunter2hunter2"
        let result = try await run(
            site, on: "first", at: moto.url, Self.writing, environment: access.variables)
        #expect(result.exitCode == 0)
        #expect(try result.diagnostics.map(\.code) == ["remote-unusable"])
        #expect(result.errors.contains("SignatureDoesNotMatch"), "\(result.errors)")
        #expect(!(result.output + result.errors).contains("hunter2"))
        #expect(try await moto.objects().isEmpty)
    }

    @Test func missingCredentialsAreNamedOnceAndNothingFails() async throws {
        let (origin, site) = try await makeSite()
        defer { withExtendedLifetime(origin) {} }
        let result = try await run(site, on: "first", at: "http://127.0.0.1:9", Self.writing)
        #expect(result.exitCode == 0)
        #expect(try result.diagnostics.map(\.code) == ["remote-unusable"])
        #expect(try site.images(in: "first/imgbake").count == 3)
    }

    @Test func secretsAreInNoFileAndNoMessage() async throws {
        let (origin, site) = try await makeSite()
        defer { withExtendedLifetime(origin) {} }
        let (server, objects) = try await makeStore()
        let secrets = ["hunter2hunter2", "hunter3hunter3"]
        let result = try await run(
            site, on: "first", at: server.url,
            Self.writing + ["--verbose", "--manifest", "images.json", "--report", "report.html"],
            environment: [
                "AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": secrets[0],
                "AWS_SESSION_TOKEN": secrets[1],
            ])
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(objects.count > 6)
        #expect(server.requests.allSatisfy { $0.header("X-Amz-Security-Token") == secrets[1] })
        for secret in secrets {
            #expect(!(result.output + result.errors).contains(secret))
            for (path, bytes) in try site.folder.contents() {
                #expect(!String(decoding: bytes, as: UTF8.self).contains(secret), "\(path)")
            }
        }
    }

    // MARK: - Faults

    enum Fault: String, CaseIterable {
        case denied, skewed, slowDown, full, wrongBytes, redirected
    }

    /// A bucket in memory.
    private func makeStore() async throws -> (Origin, Bucket) {
        let origin = try await Origin.start()
        let objects = Bucket()
        origin.handleRest { objects.answer($0) }
        return (origin, objects)
    }

    private static let keys = ["AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": "secret"]

    @Test(arguments: Fault.allCases)
    func bucketWithAFaultCostsOneWarning(fault: Fault) async throws {
        let (origin, site) = try await makeSite()
        let (server, objects) = try await makeStore()
        let first = try await run(
            site, on: "first", at: server.url, Self.writing, environment: Self.keys)
        #expect(first.exitCode == 0 && !first.hasWarnings, "\(first.errors)")
        objects.fault = fault
        origin.forgetRequests()
        let result = try await run(
            site, on: "second", at: server.url, Self.writing, environment: Self.keys)
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try result.diagnostics.map(\.severity) == [.warning])
        #expect(try result.diagnostics.map(\.code) == ["remote-unusable"])
        if let code = Bucket.code(of: fault) { #expect(result.errors.contains(code)) }
        #expect(try site.folder.contents(below: "second") == site.folder.contents(below: "first"))
        #expect(origin.requestCount <= 3)
    }

    /// S3 refuses to say that an object does not exist to those who may not list the bucket.
    @Test func missingObjectsOfABucketThatCannotBeListedAreMissing() async throws {
        let (origin, site) = try await makeSite()
        let (server, objects) = try await makeStore()
        objects.isListed = false
        let first = try await run(
            site, on: "first", at: server.url, Self.writing, environment: Self.keys)
        #expect(first.exitCode == 0 && !first.hasWarnings, "\(first.errors)")
        origin.forgetRequests()
        let second = try await run(site, on: "second", at: server.url, environment: Self.keys)
        #expect(second.exitCode == 0 && !second.hasWarnings, "\(second.errors)")
        #expect(origin.requests.isEmpty)
    }
}

extension CommandResult {
    /// Whether a message was printed; on a slow machine, the progress is printed too.
    fileprivate var hasWarnings: Bool { errors.contains("warning:") || errors.contains("error:") }
}

/// The objects of a bucket, and its fault.
private final class Bucket: @unchecked Sendable {  // All is read and written under the lock.
    private struct State {
        var bodies: [String: [UInt8]] = [:]
        var fault: S3LevelTests.Fault?
        var isListed = true
    }

    private let lock = NSLock()
    private var state = State()

    var count: Int { lock.withLock { state.bodies.count } }

    var fault: S3LevelTests.Fault? {
        get { lock.withLock { state.fault } }
        set { lock.withLock { state.fault = newValue } }
    }

    var isListed: Bool {
        get { lock.withLock { state.isListed } }
        set { lock.withLock { state.isListed = newValue } }
    }

    /// The code that an answer with a fault has.
    static func code(of fault: S3LevelTests.Fault) -> String? {
        switch fault {
        case .denied: "InvalidAccessKeyId"
        case .skewed: "RequestTimeTooSkewed"
        case .slowDown: "SlowDown"
        case .full: "XMinioStorageFull"
        case .wrongBytes, .redirected: nil
        }
    }

    private static func error(
        _ status: Int, _ code: String, _ headers: [(name: String, value: String)] = []
    ) -> OriginRoute {
        var route = OriginRoute(
            Array("<?xml version=\"1.0\"?>\n<Error><Code>\(code)</Code></Error>".utf8),
            contentType: "application/xml")
        route.status = status
        route.headers = headers
        return route
    }

    func answer(_ request: OriginRequest) -> OriginRoute {
        let isPut = request.method == "PUT"
        return lock.withLock {
            let code = state.fault.flatMap(Self.code) ?? ""
            switch state.fault {
            case .denied, .skewed: return Self.error(403, code)
            case .slowDown: return Self.error(503, code, [("Retry-After", "30")])
            case .redirected: return .redirect(to: "https://elsewhere.example/", status: 301)
            case .full: return isPut ? Self.error(507, code) : Self.error(404, "NoSuchKey")
            case .wrongBytes where !isPut && request.path.contains("/blobs/"):
                return OriginRoute([1, 2, 3])
            default: break
            }
            guard isPut else {
                if let body = state.bodies[request.path] { return OriginRoute(body) }
                return state.isListed
                    ? Self.error(404, "NoSuchKey") : Self.error(403, "AccessDenied")
            }
            state.bodies[request.path] = request.body
            return OriginRoute(Array(" ".utf8))
        }
    }
}
