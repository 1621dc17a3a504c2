import FetchCache
import HTTPTypes
import TestSupport
import Testing

@Suite("Closures that decide, and may wait", .timeLimit(.minutes(10)))
struct HookTests {
    /// A token that another service gives.
    private actor Tokens {
        private(set) var number = 1

        func current() async -> String {
            await Task.yield()
            return "token \(number)"
        }

        func renew() { number += 1 }

        /// Adds the present token to the fields.
        func fields(_ fields: HTTPFields) async -> HTTPFields {
            var fields = fields
            fields[.authorization] = await current()
            return fields
        }
    }

    @Test func tokenIsRenewedAfterARefusal() async throws {
        let tokens = Tokens()
        let fixture = try await Fixture {
            $0.downloader.headersFilter = { _, fields in await tokens.fields(fields) }
            $0.downloader.retryDelay = { failure, attempts, delay in
                guard failure.status == 401, attempts == 1 else { return delay }
                await tokens.renew()
                return .zero
            }
        }
        fixture.origin.handleRest { request in
            request.header("Authorization") == "token 2"
                ? OriginRoute(png(1), cacheControl: "max-age=60") : .status(401)
        }
        #expect(try await fixture.load("/a.png").origin == .network)
        // The same token finds what is stored, another does not.
        #expect(try await fixture.load("/a.png").origin == .memory)
        fixture.cache.clearMemory()
        #expect(try await fixture.load("/a.png").origin == .disk)
        #expect(
            fixture.origin.requests.map { $0.header("Authorization") } == ["token 1", "token 2"])
        await tokens.renew()
        #expect(await fixture.failure("/a.png")?.status == 401)
    }

    /// A token may come from the same cache, and a slow one delays no other load.
    @Test func filterMayLoadFromTheSameCache() async throws {
        let cache = Box<FetchManager?>(nil)
        let fixture = try await Fixture {
            $0.downloader.limits.transfers = 1
            $0.downloader.headersFilter = { url, fields in
                guard url.hasSuffix("/a.png") else { return fields }
                var fields = fields
                var request = FetchRequest(url.replacing("/a.png", with: "/token"))
                request.acceptsAnyContent = true
                let token = try await cache.value?.load(request).bytes() ?? []
                fields[.authorization] = String(decoding: token, as: UTF8.self)
                return fields
            }
        }
        cache.change { $0 = fixture.cache }
        fixture.origin["/token"] = OriginRoute(
            Array("secret".utf8), contentType: "text/plain", cacheControl: "max-age=60")
        fixture.origin["/a.png"] = OriginRoute(png(1), cacheControl: "max-age=60")
        _ = try await fixture.load("/a.png")
        #expect(try await fixture.load("/a.png").origin == .memory)
        #expect(fixture.origin.requests.map(\.path) == ["/token", "/a.png"])
        #expect(fixture.origin.requests.last?.header("Authorization") == "secret")
        cache.change { $0 = nil }
    }

    @Test func refusalOfAnOldTokenDoesNotOutliveIt() async throws {
        let tokens = Tokens()
        let fixture = try await Fixture {
            $0.downloader.headersFilter = { _, fields in await tokens.fields(fields) }
        }
        fixture.origin.handleRest { request in
            request.header("Authorization") == "token 2" ? OriginRoute(png(1)) : .status(401)
        }
        #expect(await fixture.failure("/a.png")?.status == 401)
        await tokens.renew()
        #expect(try await fixture.load("/a.png").origin == .network)
    }

    /// The token changes between the look-up and the request.
    @Test func storedResponseIsNotConfirmedForAnotherToken() async throws {
        let tokens = Tokens()
        let isLate = Box(false)
        let fixture = try await Fixture {
            $0.downloader.headersFilter = { _, fields in
                if isLate.value, fields[.ifNoneMatch] != nil || fields[.ifModifiedSince] != nil {
                    await tokens.renew()
                }
                return await tokens.fields(fields)
            }
        }
        fixture.origin["/a.png"] = OriginRoute(
            png(1), lastModified: "Tue, 01 Sep 2026 10:00:00 GMT", cacheControl: "max-age=0")
        _ = try await fixture.load("/a.png")
        isLate.change { $0 = true }
        #expect(try await fixture.load("/a.png").origin == .network)
        #expect(fixture.origin.requests.last?.header("If-Modified-Since") == nil)
    }

    @Test func errorOfTheHeadersFilterFailsTheLoad() async throws {
        struct NoToken: Error, CustomStringConvertible { var description: String { "no token" } }
        let fixture = try await Fixture {
            $0.downloader.headersFilter = { _, _ in throw NoToken() }
        }
        fixture.origin["/a.png"] = OriginRoute(png(1))
        let failure = try #require(await fixture.failure("/a.png"))
        #expect(failure.code == .custom && failure.detail == "no token")
        #expect(fixture.origin.requestCount == 0)
    }

    @Test func policyMayWait() async throws {
        let asked = Box<[String]>([])
        let fixture = try await Fixture {
            $0.downloader.network.mayDownload = { url in
                await Task.yield()
                asked.change { $0.append(url) }
                return !url.hasSuffix("/b.png")
            }
        }
        fixture.origin["/a.png"] = OriginRoute(png(1))
        _ = try await fixture.load("/a.png")
        let failure = await fixture.failure("/b.png")
        #expect(failure?.code == .forbidden && failure?.subcode == nil)
        #expect(asked.value == ["/a.png", "/b.png"].map { fixture.origin.url + $0 })
    }

    @Test func redirectIsFollowedOnlyIfAllowed() async throws {
        let asked = Box<[DownloaderConfiguration.Redirect]>([])
        let fixture = try await Fixture {
            $0.downloader.network.mayFollow = { redirect in
                await Task.yield()
                asked.change { $0.append(redirect) }
                return !redirect.target.hasSuffix("/login")
            }
        }
        fixture.origin["/a.png"] = .redirect(to: "/b.png", status: 307)
        fixture.origin["/b.png"] = OriginRoute(png(1))
        fixture.origin["/c.png"] = .redirect(to: "/login")
        fixture.origin["/login"] = .page("<p>Log in")
        #expect(try await fixture.load("/a.png").byteCount == 200)
        let failure = try #require(await fixture.failure("/c.png"))
        #expect(failure.code == .forbidden && failure.status == 302)
        #expect(fixture.origin.requests.map(\.path) == ["/a.png", "/b.png", "/c.png"])
        #expect(asked.value.map(\.status) == [307, 302])
        #expect(asked.value.first?.url == fixture.origin.url + "/a.png")
        #expect(asked.value.first?.target == fixture.origin.url + "/b.png")
    }

    @Test func retriesAreDecidedByTheClosure() async throws {
        let heard = Box<[String]>([])
        let fixture = try await Fixture {
            $0.downloader.limits.retries = 1
            $0.downloader.retryDelay = { failure, attempts, delay in
                heard.change {
                    $0.append(
                        "\(failure.status ?? 0) \(attempts) \(delay == nil ? "end" : "again")")
                }
                return attempts < 3 ? .milliseconds(1) : nil
            }
        }
        fixture.origin["/a.png"] = .status(503)
        #expect(await fixture.failure("/a.png")?.status == 503)
        #expect(heard.value == ["503 1 again", "503 2 end", "503 3 end"])
        heard.change { $0 = [] }
        fixture.origin["/b.png"] = .status(404)
        #expect(await fixture.failure("/b.png")?.status == 404)
        #expect(heard.value == ["404 1 end", "404 2 end", "404 3 end"])
        #expect(fixture.origin.requestCount == 6)
        // A POST is not sent twice.
        var request = FetchRequest(fixture.origin.url + "/a.png")
        request.method = .post
        #expect(await fixture.failure(of: request)?.status == 503)
        #expect(fixture.origin.requestCount == 7)
    }

    @Test func subcodeTellsWhyARequestWasNotMade() async throws {
        let fixture = try await Fixture {
            $0.downloader.network.allowsPrivateNetwork = false
            $0.downloader.network.deniedHosts = ["denied.example"]
        }
        #expect(await fixture.failure("/a.png")?.subcode == .privateAddress)
        let denied = await fixture.failure(of: FetchRequest("https://denied.example/a.png"))
        #expect(denied?.subcode == .deniedHost)
    }

    @Test func errorWithoutURLIsASentence() {
        let error = FetchError(.configuration, url: "", detail: "the levels are in another order")
        #expect("\(error)" == "the levels are in another order")
    }
}
