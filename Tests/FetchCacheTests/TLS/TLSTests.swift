import Glibc
import TestSupport
import Testing

@testable import FetchCache

@Suite("Certificates and HTTP/2", .timeLimit(.minutes(10)))
struct TLSTests {
    private func load(
        _ url: String, _ configure: (inout FetchConfiguration) -> Void = { _ in }
    ) async throws -> Resource {
        let folder = try TestFolder()
        let cache = try FetchManager(folder.configuration(TestClock(), configure))
        do {
            let resource = try await cache.load(FetchRequest(url))
            await cache.close()
            return resource
        } catch {
            await cache.close()
            throw error
        }
    }

    private func failure(
        _ url: String, _ configure: (inout FetchConfiguration) -> Void = { _ in }
    ) async -> FetchError? {
        do {
            _ = try await load(url, configure)
            return nil
        } catch {
            return error as? FetchError
        }
    }

    @Test func refusesUnknownAuthority() async throws {
        let server = try await TLSServer(["a.png": png()])
        let error = await failure(server.url + "/a.png") { $0.downloader.limits.retries = 3 }
        #expect(error?.code == .tls)
        #expect(server.log.isEmpty)
    }

    @Test func trustsConfiguredAuthority() async throws {
        let server = try await TLSServer(["a.png": png()])
        let resource = try await load(server.url + "/a.png") {
            $0.downloader.network.certificateAuthorityFile = FilePath(server.authority)
        }
        #expect(resource.byteCount == 200)
        #expect(resource.response.version == "HTTP/2")
        let other = server.url.replacing("localhost", with: "127.0.0.1")
        #expect(
            await failure(other + "/a.png") {
                $0.downloader.network.certificateAuthorityFile = FilePath(server.authority)
            }?.code
                == .tls)
    }

    @Test func refusesFileWithoutCertificate() throws {
        let folder = try TestFolder()
        for (path, text) in [("missing", nil), ("empty", "hello")] as [(String, String?)] {
            if let text { try write(Array(text.utf8), to: "\(folder.path)/\(path)") }
            let error = #expect(throws: FetchError.self) {
                try FetchManager(
                    folder.configuration {
                        $0.downloader.network.certificateAuthorityFile = FilePath(
                            "\(folder.path)/\(path)")
                    })
            }
            #expect(error?.code == .storage)
            #expect(error?.url == "\(folder.path)/\(path)")
        }
    }

    @Test func allowsInvalidCertificateOnlyForItsHost() async throws {
        let server = try await TLSServer(["a.png": png()])
        let hosts = ["secure.localhost": HostOptions(allowsInvalidCertificate: true)]
        let secure = server.url.replacing("localhost", with: "secure.localhost")
        #expect(try await load(secure + "/a.png") { $0.downloader.hosts = hosts }.byteCount == 200)
        #expect(await failure(server.url + "/a.png") { $0.downloader.hosts = hosts }?.code == .tls)
    }

    @Test func mostSpecificRuleWins() async throws {
        let server = try await TLSServer(["a.png": png()])
        let origin = server.url.replacing("localhost", with: "secure.localhost")
        let withPort = String(origin.dropFirst("https://".count))
        let secure = origin + "/a.png"
        let error = await failure(secure) {
            $0.downloader.hosts = [
                "secure.localhost": HostOptions(allowsInvalidCertificate: true),
                withPort: HostOptions(allowsInvalidCertificate: false),
            ]
        }
        #expect(error?.code == .tls)
        let resource = try await load(secure) {
            $0.downloader.hosts = [
                "secure.localhost": HostOptions(allowsInvalidCertificate: true),
                withPort: HostOptions(),
            ]
        }
        #expect(resource.byteCount == 200)
    }

    @Test(arguments: ["*", "*.com", "*.co.uk", "*.org:443", "*.a.example.org"])
    func refusesInvalidCertificatesForPatterns(pattern: String) throws {
        let folder = try TestFolder()
        let error = #expect(throws: FetchError.self) {
            try FetchManager(
                folder.configuration {
                    $0.downloader.hosts = [pattern: HostOptions(allowsInvalidCertificate: true)]
                })
        }
        #expect(error?.code == .forbidden)
    }

    @Test func sendsClientCertificate() async throws {
        let server = try await TLSServer(["a.png": png()], asksForCertificate: true)
        let own = server.clientCertificate
        func certificate(_ password: String) -> HostOptions {
            HostOptions(
                clientCertificate: .init(
                    file: FilePath(own.file), keyFile: FilePath(own.key), password: password))
        }
        let url = server.url + "/a.png"
        let without = await failure(url) {
            $0.downloader.network.certificateAuthorityFile = FilePath(server.authority)
        }
        #expect(without?.status == 400)
        let with = try await load(url) {
            $0.downloader.network.certificateAuthorityFile = FilePath(server.authority)
            $0.downloader.hosts = ["localhost": certificate("secret")]
        }
        #expect(with.byteCount == 200)
        let wrong = await failure(url) {
            $0.downloader.network.certificateAuthorityFile = FilePath(server.authority)
            $0.downloader.hosts = ["localhost": certificate("wrong")]
        }
        #expect(wrong?.code == .tls)
        #expect("\(certificate("hush"))".contains("hush") == false)
    }

    @Test func requestsShareOneHTTP2Connection() async throws {
        let names = (0..<60).map { "\($0).png" }
        let server = try await TLSServer(
            Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, png($0)) }))
        let folder = try TestFolder()
        let cache = try FetchManager(
            folder.configuration {
                $0.downloader.network.certificateAuthorityFile = FilePath(server.authority)
            })
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, name) in names.enumerated() {
                group.addTask {
                    let resource = try await cache.load(FetchRequest("\(server.url)/\(name)"))
                    #expect(bytes(of: resource.path) == png(number))
                }
            }
            try await group.waitForAll()
        }
        await cache.close()
        #expect(await eventually { server.log.count == 60 })
        #expect(server.log.allSatisfy { $0.contains(" HTTP/2.0 ") })
        let connections = Set(server.log.compactMap { $0.split(separator: " ").last })
        #expect(connections.count == 1)
    }
}
