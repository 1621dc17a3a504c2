import Files
import Foundation
import GRDB
import TestSupport
import Testing

@testable import FetchCache

/// Tests that a damaged index is replaced while the process runs.
@Suite(.timeLimit(.minutes(10)))
struct DamagedIndexTests {
    private let fresh = Fields([("Cache-Control", "max-age=60")])

    /// The kinds of damage to the index of a closed cache.
    enum Damage: String, CaseIterable, CustomTestStringConvertible {
        case middle, cutShort, noDatabase, withoutEntries, withoutVariants

        var testDescription: String { rawValue }

        func happen(to index: String) throws {
            switch self {
            case .middle, .noDatabase:
                let handle = try FileHandle(forWritingTo: URL(filePath: index))
                try handle.seek(toOffset: self == .middle ? 8_192 : 0)
                try handle.write(contentsOf: Data(repeating: 0xAB, count: 40_000))
                try handle.close()
            case .cutShort: truncate(index, 10_000)
            case .withoutEntries, .withoutVariants:
                let queue = try DatabaseQueue(path: index)
                let table = self == .withoutEntries ? "entry" : "variant"
                try queue.write { try $0.execute(sql: "DROP TABLE \(table)") }
                try queue.close()
            }
        }
    }

    @Test(arguments: Damage.allCases)
    func replacesDamagedIndexAndWarnsOnce(_ damage: Damage) async throws {
        let fixture = try await Fixture()
        for number in 0..<300 {
            try await fixture.cache.store(
                png(number % 5), for: FetchRequest("http://h/\(number)"), headers: fresh)
        }
        await fixture.cache.close()
        try damage.happen(to: fixture.folder.path + "/cache/index.sqlite")

        let lines = Box<[String]>([])
        let second = try FetchManager(
            fixture.folder.configuration(fixture.clock) { $0.logger = lines.logger })
        await withTaskGroup { group in
            for number in 0..<300 {
                group.addTask {
                    do {
                        _ = try await second.load(
                            FetchRequest("http://h/\(number)", mode: .offline))
                    } catch {
                        #expect((error as? FetchError)?.code == .offline, "\(error)")
                    }
                }
                group.addTask {
                    await #expect(throws: Never.self) {
                        try await second.value(for: "\(number)", in: "n")
                    }
                }
            }
        }
        #expect(try await second.value(for: "k", in: "n") == nil)
        try await second.store(png(1), for: FetchRequest("http://h/1"), headers: fresh)
        try await second.setValues(["k": [1]], in: "n")
        #expect(try await second.value(for: "k", in: "n") == [1])
        #expect(try await second.summary().entryCount >= 1)
        #expect(lines.value.count == 1, "\(lines.value)")
        await second.close()

        let third = try fixture.reopened()
        #expect(try await third.load(FetchRequest("http://h/1")).byteCount == 200)
        await third.close()
        let indexes = namesInFolder(fixture.folder.path + "/cache")
            .filter { $0.contains(".sqlite") }
        #expect(indexes == ["index-2.sqlite"])
    }

    @Test func otherCachesSwitchToTheNewIndex() async throws {
        let fixture = try await Fixture()
        for number in 0..<300 {
            try await fixture.cache.store(
                png(number % 5), for: FetchRequest("http://h/\(number)"), headers: fresh)
        }
        let lines = Box<[String]>([])
        let other = try FetchManager(
            fixture.folder.configuration(fixture.clock) { $0.logger = lines.logger })
        #expect(try await other.summary().entryCount == 300)
        // The log contains all pages; damaged pages must be read from the file.
        try await fixture.cache.levels.disk.index.read { database in
            try database.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
        try Damage.middle.happen(to: fixture.folder.path + "/cache/index.sqlite")
        let third = try fixture.reopened()
        for number in 0..<300 {
            _ = try? await third.load(FetchRequest("http://h/\(number)", mode: .offline))
        }
        try await third.store(png(1), for: FetchRequest("http://h/new"), headers: fresh)
        try await third.setValues(["k": [1]], in: "n")

        #expect(try await other.value(for: "k", in: "n") == [1])
        try await other.setValues(["l": [2]], in: "n")
        let request = FetchRequest("http://h/new", mode: .offline)
        #expect(try await fixture.cache.load(request).byteCount == 200)
        #expect(try await fixture.cache.value(for: "l", in: "n") == [2])
        #expect(lines.value.isEmpty, "\(lines.value)")
        for cache in [other, third] { await cache.close() }
    }
}
