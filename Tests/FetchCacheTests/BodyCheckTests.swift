import FetchCache
import Foundation
import Locks
import TestSupport
import Testing

/// The caller's check of the first bytes of an image.
@Suite(.timeLimit(.minutes(10))) struct BodyCheckTests {
    /// The lengths with which the check was called.
    private let looks = Locked<[Int]>([])

    private func fixture(
        _ verdict: @escaping @Sendable ([UInt8]) -> BodyVerdict
    ) async throws -> Fixture {
        let looks = looks
        return try await Fixture {
            $0.bodyCheck = { bytes in
                looks.withLock { $0.append(bytes.count) }
                return verdict(bytes)
            }
        }
    }

    /// A cache whose check has the name `a` and refuses `/a.png`.
    private func namedFixture() async throws -> Fixture {
        let fixture = try await Fixture {
            $0.bodyCheck = { _ in .refused(reason: "no") }
            $0.bodyCheckName = "a"
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
    func refusalCountsOnlyForCheckOfItsName(name: String?) async throws {
        let fixture = try await namedFixture()
        #expect(await fixture.failure("/a.png")?.code == .refused)
        await fixture.cache.close()
        let other = try FetchManager(
            fixture.folder.configuration(fixture.clock) {
                $0.bodyCheck = { _ in .accepted }
                $0.bodyCheckName = name
            })
        let request = FetchRequest(fixture.origin.url + "/a.png")
        if name == "a" {
            let failure = await #expect(throws: FetchError.self) { try await other.load(request) }
            #expect(failure?.age != nil)
        } else {
            #expect(try await other.load(request).byteCount == 3_000)
        }
        #expect(fixture.origin.requestCount == (name == "a" ? 1 : 2))
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
}
