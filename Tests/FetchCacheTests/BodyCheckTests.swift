import FetchCache
import Foundation
import HTTPTypes
import Locks
import TestSupport
import Testing

/// The caller's check of the first bytes of an image.
@Suite(.timeLimit(.minutes(10))) struct BodyCheckTests {
    /// The lengths with which the check was called.
    private let looks = Locked<[Int]>([])

    private func fixture(
        _ verdict: @escaping @Sendable ([UInt8]) -> BodyCheck.Verdict
    ) async throws -> Fixture {
        let looks = looks
        return try await Fixture {
            $0.downloader.bodyCheck = BodyCheck { beginning in
                looks.withLock { $0.append(beginning.bytes.count) }
                return verdict(beginning.bytes)
            }
        }
    }

    /// A cache whose check has the identity `a` and refuses `/a.png`.
    private func namedFixture() async throws -> Fixture {
        let fixture = try await Fixture {
            $0.downloader.bodyCheck = BodyCheck(identity: "a") { _ in .refused(reason: "no") }
        }
        fixture.origin["/a.png"] = OriginRoute(png(count: 3_000))
        return fixture
    }

    @Test func stopsDownloadOfRefusedBody() async throws {
        let fixture = try await fixture { _ in .refused(reason: "no") }
        // The rest never arrives, so the load can only end because of the check.
        fixture.origin["/a.png"] = OriginRoute(
            png(count: 4_000_000), delivery: .stalled(after: 20_000))
        let failure = await fixture.failure("/a.png")
        #expect(failure?.code == .refused)
        #expect(failure?.detail == "no")
        #expect(fixture.folder.files(in: "blobs") == [])
        #expect(fixture.folder.files(in: "tmp").allSatisfy { $0.hasSuffix(".lock") })
        // Another caller may accept it.
        #expect(await fixture.failure("/a.png")?.age == nil)
        #expect(fixture.origin.requestCount(for: "/a.png") == 2)
    }

    @Test func remembersRefusalOfNamedCheck() async throws {
        let fixture = try await namedFixture()
        let url = fixture.origin.url + "/a.png"
        #expect(await fixture.failure("/a.png")?.code == .refused)
        fixture.clock.advance(seconds: 3_000)
        let second = await fixture.failure("/a.png")
        #expect(second?.code == .refused)
        #expect(second?.detail == "no")
        #expect(second?.age != nil)
        #expect(try await fixture.cache.failures().map(\.key) == [url])
        #expect(fixture.origin.requestCount == 1)
        #expect(await fixture.failure("/a.png", .refresh)?.age == nil)
        #expect(fixture.origin.requestCount == 2)
        fixture.clock.advance(seconds: 3_601)
        #expect(await fixture.failure("/a.png")?.age == nil)
        #expect(fixture.origin.requestCount == 3)
    }

    @Test(arguments: ["a", "b", nil])
    func refusalCountsOnlyForCheckOfItsIdentity(identity: String?) async throws {
        let fixture = try await namedFixture()
        #expect(await fixture.failure("/a.png")?.code == .refused)
        await fixture.cache.close()
        let other = try FetchManager(
            fixture.folder.configuration(fixture.clock) {
                $0.downloader.bodyCheck = BodyCheck(identity: identity) { _ in .accepted }
            })
        let request = FetchRequest(fixture.origin.url + "/a.png")
        if identity == "a" {
            let failure = await #expect(throws: FetchError.self) { try await other.load(request) }
            #expect(failure?.age != nil)
        } else {
            #expect(try await other.load(request).byteCount == 3_000)
        }
        #expect(fixture.origin.requestCount == (identity == "a" ? 1 : 2))
    }

    @Test func requestForAnyContentIgnoresRefusal() async throws {
        let fixture = try await namedFixture()
        #expect(await fixture.failure("/a.png")?.code == .refused)
        var request = FetchRequest(fixture.origin.url + "/a.png")
        request.acceptsAnyContent = true
        #expect(try await fixture.cache.load(request).byteCount == 3_000)
    }

    @Test func checksUndecidedBodyAgain() async throws {
        let fixture = try await fixture { $0.count < 40_000 ? .undecided : .refused(reason: "no") }
        fixture.origin["/a.png"] = OriginRoute(
            png(count: 4_000_000), delivery: .stalled(after: 70_000))
        #expect(await fixture.failure("/a.png")?.code == .refused)
    }

    @Test(arguments: [3_000, 300_000])
    func acceptsBodyThatStaysUndecided(count: Int) async throws {
        let fixture = try await fixture { _ in .undecided }
        fixture.origin["/a.png"] = OriginRoute(png(count: count))
        #expect(try await fixture.load("/a.png").byteCount == count)
        #expect(looks.withLock(\.self).allSatisfy { $0 < 100_000 })
    }

    @Test func doesNotCheckRequestsForAnyContent() async throws {
        let fixture = try await fixture { _ in .refused(reason: "no") }
        fixture.origin["/a.png"] = OriginRoute(png(count: 3_000))
        var request = FetchRequest(fixture.origin.url + "/a.png")
        request.acceptsAnyContent = true
        #expect(try await fixture.cache.load(request).byteCount == 3_000)
        #expect(looks.withLock(\.isEmpty))
    }

    @Test func knowsURLAndHeadOfResponse() async throws {
        let seen = Box<[BodyCheck.Beginning]>([])
        let fixture = try await Fixture {
            $0.downloader.bodyCheck = BodyCheck { beginning in
                seen.change { $0.append(beginning) }
                return .accepted
            }
        }
        fixture.origin["/to"] = .redirect(to: "/a.png")
        fixture.origin["/to"]?.cacheControl = "max-age=60"
        fixture.origin["/a.png"] = OriginRoute(
            png(count: 3_000), etag: "\"1\"", cacheControl: "max-age=60")
        _ = try await fixture.load("/to")
        fixture.cache.clearMemory()
        // The stored body is read from its file.
        #expect(try await fixture.load("/to").origin == .disk)
        #expect(seen.value.count == 2)
        for beginning in seen.value {
            #expect(beginning.url == fixture.origin.url + "/to")
            #expect(beginning.finalURL == fixture.origin.url + "/a.png")
            #expect(beginning.status == 200)
            #expect(beginning.fields[.eTag] == "\"1\"")
            #expect(beginning.fields[.contentLength] == "3000")
            #expect(png(count: 3_000).starts(with: beginning.bytes))
        }
    }

    @Test func knowsValidatorOfInterruptedDownload() async throws {
        let seen = Box<[BodyCheck.Beginning]>([])
        let fixture = try await Fixture {
            $0.downloader.bodyCheck = BodyCheck { beginning in
                seen.change { $0.append(beginning) }
                return .accepted
            }
        }
        var route = OriginRoute(
            png(count: 90_000), etag: "\"1\"", delivery: .truncated(after: 60_000))
        route.acceptsRanges = true
        fixture.origin["/a.png"] = route
        #expect(await fixture.failure("/a.png")?.code == .interrupted)
        route.delivery = .whole
        fixture.origin["/a.png"] = route
        seen.change { $0 = [] }
        #expect(try await fixture.load("/a.png").byteCount == 90_000)
        let beginning = try #require(seen.value.first)
        #expect(seen.value.count == 1)
        #expect(beginning.finalURL == fixture.origin.url + "/a.png")
        #expect(beginning.fields[.eTag] == "\"1\"")
        #expect(beginning.fields[.contentLength] == "90000")
    }

    @Test func checkOfRequestReplacesThatOfConfiguration() async throws {
        let fixture = try await namedFixture()
        let calls = Counter()
        var request = FetchRequest(fixture.origin.url + "/a.png")
        request.bodyCheck = BodyCheck(identity: "b") { _ in
            _ = calls.next()
            return .accepted
        }
        #expect(await fixture.failure("/a.png")?.code == .refused)
        // The failure is remembered for the other check only.
        #expect(try await fixture.cache.load(request).origin == .network)
        request.mode = .offline
        #expect(try await fixture.cache.load(request).byteCount == 3_000)
        // The body that it has accepted is not read again, in this process or in another.
        let other = try fixture.reopened()
        #expect(try await other.load(request).byteCount == 3_000)
        #expect(calls.value == 1)
        // The check of the configuration still refuses what is stored.
        #expect(await fixture.failure("/a.png", .offline)?.code == .refused)
    }

    @Test(arguments: [nil, "b"]) func loadsOfDifferentChecksShareNoTransfer(
        identity: String?
    ) async throws {
        let fixture = try await Fixture()
        let gate = OriginGate()
        fixture.origin["/a.png"] = OriginRoute(png(count: 3_000))
        fixture.origin["/a.png"]?.gate = gate
        let first = FetchRequest(fixture.origin.url + "/a.png")
        var second = first
        second.bodyCheck = BodyCheck(identity: identity) { _ in .refused(reason: "no") }
        let refused = fixture.cache.start(second)
        let joined = fixture.cache.start(second)
        let accepted = fixture.cache.start(first)
        gate.open()
        #expect(try await accepted.value.byteCount == 3_000)
        for handle in [refused, joined] {
            let error = await #expect(throws: FetchError.self) { try await handle.value }
            #expect(error?.code == .refused)
        }
    }
}
