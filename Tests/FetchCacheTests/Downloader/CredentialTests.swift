import FetchCache
import Glibc
import TestSupport
import Testing

@Suite("Fields and credentials by host", .timeLimit(.minutes(10)))
struct CredentialTests {
    /// The `Basic` credential of `user:secret`.
    private let basic = "Basic dXNlcjpzZWNyZXQ="

    private func sent(_ fixture: Fixture, _ path: String, _ field: String) -> [String?] {
        fixture.origin.requests(for: path).map { $0.header(field) }
    }

    @Test func sendsFieldsOnlyToTheirHost() async throws {
        let other = try await Origin.start()
        let fixture = try await Fixture {
            $0.downloader.hosts = [
                "127.0.0.1": HostOptions(
                    headers: Fields([("X-Key", "abc")]),
                    credential: .basic(user: "user", password: "secret"))
            ]
        }
        let elsewhere = "http://localhost:\(other.port)/b.png"
        fixture.origin["/a.png"] = .redirect(to: elsewhere)
        other["/b.png"] = .redirect(to: "\(fixture.origin.url)/c.png")
        fixture.origin["/c.png"] = OriginRoute(png())
        _ = try await fixture.load("/a.png")

        #expect(sent(fixture, "/a.png", "Authorization") == [basic])
        #expect(sent(fixture, "/a.png", "X-Key") == ["abc"])
        #expect(other.requests.count == 1)
        #expect(other.requests.first?.header("Authorization") == nil)
        #expect(other.requests.first?.header("X-Key") == nil)
        #expect(sent(fixture, "/c.png", "Authorization") == [basic])
    }

    @Test(arguments: [
        (#"Digest realm="a, b", qop="auth, auth-int", nonce=c"#, "Digest"),
        ("Negotiate, NTLM", "Negotiate or NTLM"), (#"Basic realm="a""#, nil),
        (#"Digest realm="a", Basic realm="b""#, nil), ("", nil),
    ])
    func schemeThatIsNotSupportedIsNamed(challenge: String, scheme: String?) async throws {
        let fixture = try await Fixture {
            $0.downloader.hosts["127.0.0.1"] = HostOptions(
                credential: .basic(user: "user", password: "secret"))
        }
        fixture.origin["/a.png"] = .status(401, headers: [("WWW-Authenticate", challenge)])
        let failure = try #require(await fixture.failure("/a.png"))
        #expect(failure.status == 401)
        #expect(failure.detail.contains("authentication") == (scheme != nil), "\(failure.detail)")
        if let scheme { #expect(failure.detail.contains(scheme)) }
    }

    @Test func mostSpecificHostRuleWins() async throws {
        let fixture = try await Fixture()
        let options = { (name: String) in HostOptions(headers: Fields([("X-Key", name)])) }
        let configuration = fixture.folder.configuration(fixture.clock) {
            $0.folder.namespace = "second"
            $0.downloader.hosts = [
                "*": options("all"), "*.localhost": options("domain"),
                "a.localhost": options("host"),
                "a.localhost:\(fixture.origin.port)": options("port"),
                "b.localhost": options("host"),
                "b.localhost:1": options("other port"),
            ]
        }
        let cache = try FetchManager(configuration)
        fixture.origin["/a.png"] = OriginRoute(png())
        for host in ["a.localhost", "b.localhost", "c.localhost", "127.0.0.1"] {
            _ = try await cache.load(FetchRequest("http://\(host):\(fixture.origin.port)/a.png"))
        }
        #expect(sent(fixture, "/a.png", "X-Key") == ["port", "host", "domain", "all"])
    }

    @Test func sendsBearerTokenAndFilteredFields() async throws {
        let fixture = try await Fixture {
            $0.downloader.hosts = ["127.0.0.1": HostOptions(credential: .bearer(token: "t0ken"))]
            $0.downloader.headersFilter = { url, fields in
                var fields = fields
                fields.append(name: "X-For", value: String(url.suffix(6)))
                return fields
            }
        }
        fixture.origin["/a.png"] = OriginRoute(png())
        _ = try await fixture.load("/a.png")
        #expect(sent(fixture, "/a.png", "Authorization") == ["Bearer t0ken"])
        #expect(sent(fixture, "/a.png", "X-For") == ["/a.png"])
    }

    @Test func filterCanRemoveEveryField() async throws {
        let seen = Box<Set<String>>([])
        let fixture = try await Fixture {
            $0.downloader.headersFilter = { _, fields in
                seen.change { $0.formUnion(fields.pairs.map { $0.name.lowercased() }) }
                return Fields([])
            }
        }
        fixture.origin["/a.png"] = OriginRoute(png(), etag: "\"1\"")
        for _ in 0..<2 {
            var request = FetchRequest(fixture.origin.url + "/a.png")
            request.headers = Fields([("X-Own", "1")])
            #expect(try await fixture.cache.load(request).origin == .network)
        }
        #expect(
            seen.value
                == ["accept", "accept-encoding", "user-agent", "x-own", "if-none-match"])
        for request in fixture.origin.requests {
            #expect(request.headers.map(\.name) == ["Host"])
        }
    }

    @Test func sendsCredentialsOfURLWithoutStoringThem() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = .redirect(to: "/b.png")
        fixture.origin["/b.png"] = OriginRoute(png(), etag: "\"1\"")
        let request = FetchRequest("http://user:secret@127.0.0.1:\(fixture.origin.port)/a.png")
        let resource = try await fixture.cache.load(request)
        #expect(sent(fixture, "/a.png", "Authorization") == [basic])
        #expect(resource.url == fixture.origin.url + "/a.png")
        #expect(resource.finalURL == fixture.origin.url + "/b.png")
        #expect(try await fixture.cache.load(request).origin == .revalidated)
        await fixture.cache.close()
        for name in fixture.folder.files(in: "").filter({ $0.hasPrefix("index") }) {
            let text = String(
                decoding: bytes(of: fixture.folder.path + "/cache/" + name) ?? [], as: UTF8.self)
            #expect(!text.contains("secret"))
        }
    }

    @Test func readsNetrc() async throws {
        let folder = try TestFolder()
        let path = folder.path + "/netrc"
        try write(
            Array(
                "machine 127.0.0.1 login user password secret\nmachine x login y password z\n".utf8),
            to: path)
        let fixture = try await Fixture { $0.downloader.netrcFile = FilePath(path) }
        fixture.origin["/a.png"] = .redirect(
            to: "http://localhost:\(fixture.origin.port)/b.png")
        fixture.origin["/b.png"] = OriginRoute(png())
        _ = try await fixture.load("/a.png")
        #expect(sent(fixture, "/a.png", "Authorization") == [basic])
        #expect(sent(fixture, "/b.png", "Authorization") == [nil])
    }

    @Test func doesNotSendRequestFieldsToOtherHosts() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = .redirect(
            to: "http://localhost:\(fixture.origin.port)/b.png")
        fixture.origin["/b.png"] = OriginRoute(png())
        var request = FetchRequest(fixture.origin.url + "/a.png")
        request.headers = Fields([
            ("Authorization", "Bearer x"), ("X-Key", "k"), ("Accept", "image/png"),
        ])
        _ = try await fixture.cache.load(request)
        #expect(sent(fixture, "/a.png", "Authorization") == ["Bearer x"])
        #expect(sent(fixture, "/a.png", "Accept") == ["image/png"])
        #expect(sent(fixture, "/b.png", "Authorization") == [nil])
        #expect(sent(fixture, "/b.png", "X-Key") == [nil])
        #expect(sent(fixture, "/b.png", "Accept") == ["image/png"])
    }

    @Test func descriptionHidesSecrets() {
        let credential = HostOptions.Credential.basic(user: "user", password: "secret")
        #expect(!"\(credential)\(String(reflecting: credential))".contains("secret"))
        #expect(!"\(HostOptions(credential: .bearer(token: "secret")))".contains("secret"))
    }
}
