import Glibc
import TestSupport
import Testing

@testable import FetchCache

@Suite("Verification, size and count", .timeLimit(.minutes(10)))
struct VerifyTests {
    private func filled() async throws -> (Fixture, [Resource]) {
        let fixture = try await Fixture()
        var resources: [Resource] = []
        for number in 0..<4 {
            fixture.origin["/\(number)"] = OriginRoute(
                png(number, count: 1_000), cacheControl: "max-age=60")
            resources.append(try await fixture.load("/\(number)"))
        }
        return (fixture, resources)
    }

    @Test func verifyFindsNoFaultsInIntactCache() async throws {
        let (fixture, _) = try await filled()
        let report = try await fixture.cache.verify()
        #expect(report.checkedCount == 4)
        #expect(report.checkedBytes == 4_000)
        #expect(report.damaged.isEmpty && report.missing.isEmpty)
    }

    @Test func verifyRemovesDamagedAndMissingBlobs() async throws {
        let (fixture, resources) = try await filled()
        // The bytes differ but the length is the same: only a hash can detect it.
        chmod(resources[0].path.string, 0o644)
        let handle = open(resources[0].path.string, O_WRONLY)
        #expect(pwrite(handle, [1], 1, 500) == 1)
        close(handle)
        unlink(resources[1].path.string)
        truncate(resources[2].path.string, 10)

        let report = try await fixture.cache.verify()

        #expect(Set(report.damaged) == [resources[0].digest, resources[2].digest])
        #expect(Set(report.missing) == Set(resources[0...2].map(\.key)))
        #expect(try await fixture.cache.summary().entryCount == 1)
        #expect(fixture.folder.files(in: "blobs").count == 1)
        for number in 0..<4 {
            #expect(
                bytes(of: try await fixture.load("/\(number)").path) == png(number, count: 1_000))
        }
        let again = try await fixture.cache.verify()
        #expect(again.damaged.isEmpty && again.missing.isEmpty)
    }

    @Test func summaryCountsDistinctBlobs() async throws {
        let (fixture, _) = try await filled()
        fixture.origin["/same"] = OriginRoute(png(0, count: 1_000))
        _ = try await fixture.load("/same")
        fixture.origin["/missing"] = .status(404)
        _ = await fixture.failure("/missing")
        let summary = try await fixture.cache.summary()
        #expect(summary.entryCount == 5)
        #expect(summary.blobCount == 4)
        #expect(summary.byteCount == 4_000)
        #expect(summary.failureCount == 1)
    }

    @Test func emptyCacheHasEmptyReports() async throws {
        let fixture = try await Fixture()
        #expect(try await fixture.cache.summary() == CacheSummary())
        #expect(try await fixture.cache.verify() == VerificationReport())
        #expect(try await fixture.cache.clean() == CleaningReport())
    }
}
