import Glibc
import TestSupport
import Testing

@testable import FetchCache

@Suite("Export and import", .timeLimit(.minutes(10)))
struct CopyingTests {
    private let fresh = Fields([("Cache-Control", "max-age=60")])

    private func filled(_ fixture: Fixture, _ count: Int = 3) async throws -> [Resource] {
        var resources: [Resource] = []
        for number in 0..<count {
            resources.append(
                try await fixture.cache.store(
                    png(number), for: FetchRequest("http://h/\(number)"), headers: fresh))
        }
        try await fixture.cache.storeVariant(
            sameAs: resources[0].digest, recipe: "r", encoder: "e", metadata: "m")
        try await fixture.cache.setValues(["k": [1, 2]], in: "n")
        return resources
    }

    @Test func exportIsACompleteCache() async throws {
        let fixture = try await Fixture()
        let resources = try await filled(fixture)
        let target = try TestFolder()
        let summary = try await fixture.cache.export(to: FilePath(target.path + "/cache"))
        #expect(summary.entryCount == 3)
        #expect(summary.blobCount == 3)
        #expect(target.files(in: "tmp") == [])
        // SQLite's version of the format is 2 with a write-ahead log, which readers of a copy do not
        // need and the owner of a cache does.
        let index = target.path + "/cache/index.sqlite"
        #expect(bytes(of: index)?[18] == 1)

        let copy = try FetchManager(target.configuration(fixture.clock))
        #expect(try await copy.load(FetchRequest("http://h/1", mode: .offline)).bytes() == png(1))
        #expect(
            try await copy.variant(of: resources[0].digest, recipe: "r", encoder: "e")?.metadata
                == "m")
        #expect(try await copy.verify().checkedCount == 3)
        await copy.close()
        #expect(bytes(of: index)?[18] == 2)
    }

    @Test func exportOmitsDamagedBlobs() async throws {
        let fixture = try await Fixture()
        let resources = try await filled(fixture)
        try damage(resources[1].path, isMissing: false)
        try damage(resources[2].path, isMissing: true)
        let target = try TestFolder()
        #expect(
            try await fixture.cache.export(to: FilePath(target.path + "/cache")).entryCount == 1)
    }

    @Test func refusesToExportToNonEmptyFolder() async throws {
        let fixture = try await Fixture()
        let target = try TestFolder()
        try write([1], to: target.path + "/file")
        await #expect(throws: FetchError.self) {
            try await fixture.cache.export(to: FilePath(target.path))
        }
        #expect(bytes(of: target.path + "/file") == [1])
    }

    @Test func importsOnlyNewerEntries() async throws {
        let source = try await Fixture()
        let resources = try await filled(source)
        let destination = try await Fixture()
        destination.clock.advance(seconds: 500)
        try await destination.cache.store(png(7), for: FetchRequest("http://h/0"), headers: fresh)
        destination.clock.advance(seconds: -1_000)
        try await destination.cache.store(png(8), for: FetchRequest("http://h/1"), headers: fresh)
        await source.cache.close()

        let report = try await destination.cache.merge(
            folder: FilePath(source.folder.path + "/cache"))

        #expect(report.entryCount == 2)
        #expect(report.variantCount == 1)
        #expect(report.blobCount == 3)
        #expect(report.damaged.isEmpty)
        for (number, expected) in [(0, png(7)), (1, png(1)), (2, png(2))] {
            let request = FetchRequest("http://h/\(number)", mode: .offline)
            #expect(try await destination.cache.load(request).bytes() == expected)
        }
        #expect(try await destination.cache.value(for: "k", in: "n") == [1, 2])
        #expect(
            try await destination.cache.variant(of: resources[0].digest, recipe: "r", encoder: "e")
                != nil)
        let again = try await destination.cache.merge(
            folder: FilePath(source.folder.path + "/cache"))
        #expect(again == MergeReport())
    }

    @Test func loadGoesOnDuringImport() async throws {
        let source = try await Fixture()
        _ = try await filled(source)
        await source.cache.close()
        let destination = try await Fixture()
        let body = png(count: 50_000)
        let gate = OriginGate()
        destination.origin["/a.png"] = OriginRoute(body)
        destination.origin["/a.png"]?.gate = gate
        let load = Task { try await destination.load("/a.png") }
        #expect(await eventually { destination.origin.requestCount == 1 })
        let draft = try destination.cache.temporaryFile()
        try write([1], to: draft)
        _ = try await destination.cache.merge(folder: FilePath(source.folder.path + "/cache"))
        #expect(bytes(of: draft) == [1])
        gate.open()
        #expect(try await load.value.bytes() == body)
    }

    @Test func doesNotImportDamagedBlobs() async throws {
        let source = try await Fixture()
        let resources = try await filled(source)
        chmod(resources[2].path.string, 0o644)
        let handle = open(resources[2].path.string, O_WRONLY)
        #expect(pwrite(handle, [1], 1, 100) == 1)
        close(handle)
        await source.cache.close()
        let destination = try await Fixture()
        let report = try await destination.cache.merge(
            folder: FilePath(source.folder.path + "/cache"))
        #expect(report.damaged == [resources[2].digest])
        #expect(report.entryCount == 2)
        #expect(try await !destination.cache.contains(FetchRequest("http://h/2")))
    }

    @Test func refusesToImportFromOtherFolders() async throws {
        let fixture = try await Fixture()
        let error = await #expect(throws: FetchError.self) {
            try await fixture.cache.merge(folder: "/nowhere")
        }
        #expect(error?.code == .storage)
    }
}
