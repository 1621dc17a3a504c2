import FetchCache
import Files
import Foundation
import Recipes
import TestSupport
import Testing
import WorkerSandbox

@testable import Baking

/// The encoders are known without a worker until one of their files changes.
@Suite(.timeLimit(.minutes(10))) struct ProgramIdentityTests {
    private let folder: TemporaryDirectory
    private let cache: FetchManager

    init() throws {
        folder = try TemporaryDirectory()
        for name in ["worker", "libone.so", "libtwo.so"] { try folder.write(name, to: name) }
        var configuration = FetchConfiguration(cacheDirectory: FilePath(folder.path("cache")))
        configuration.cleansByItself = false
        cache = try FetchManager(configuration)
    }

    private func store(_ worker: String = "worker") -> EncoderStore {
        EncoderStore(worker: folder.path(worker), cache: cache, allowsWeakSandbox: false)
    }

    private func greeting(_ libraries: [String] = ["libone.so", "libtwo.so"]) throws
        -> WorkerGreeting
    {
        let json = """
            {"encoder": "vips 8", "libraries": [], "sandbox": {"gaps": []}}
            """
        var greeting = try JSONDecoder().decode(WorkerGreeting.self, from: Data(json.utf8))
        greeting.libraries = libraries.map(folder.path)
        return greeting
    }

    private func touch(_ name: String, _ date: Date) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: date], ofItemAtPath: folder.path(name))
    }

    @Test func isEmptyBeforeFirstWorker() async throws {
        #expect(await store().recall() == nil)
        await store().remember(try greeting())
        #expect(await store().recall() == "vips 8")
        #expect(await store("libone.so").recall() == nil)
    }

    @Test(arguments: ["worker", "libone.so", "libtwo.so"])
    func changedSizeInvalidatesEntry(name: String) async throws {
        await store().remember(try greeting())
        let date =
            try FileManager.default.attributesOfItem(
                atPath: folder.path(name))[.modificationDate] as? Date
        try folder.write("another version", to: name)
        try touch(name, try #require(date))
        #expect(await store().recall() == nil)
    }

    @Test(arguments: ["worker", "libone.so", "libtwo.so"])
    func changedTimeInvalidatesEntry(name: String) async throws {
        await store().remember(try greeting())
        try touch(name, Date(timeIntervalSince1970: 1_000_000_000))
        #expect(await store().recall() == nil)
        await store().remember(try greeting())
        #expect(await store().recall() == "vips 8")
    }

    @Test(arguments: ["worker", "libtwo.so"])
    func missingFileInvalidatesEntry(name: String) async throws {
        await store().remember(try greeting())
        try FileManager.default.removeItem(atPath: folder.path(name))
        #expect(await store().recall() == nil)
        // Nothing can be said about it, so nothing is stored either.
        try await cache.setValues([folder.path("worker"): [1]], in: "encoders")
        await store().remember(try greeting())
        #expect(try await cache.value(for: folder.path("worker"), in: "encoders") == [1])
    }

    @Test func changedTargetOfLinkInvalidatesEntry() async throws {
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("lib.so"), withDestinationPath: "libone.so")
        await store().remember(try greeting(["lib.so"]))
        #expect(await store().recall() == "vips 8")
        try folder.write("a new release", to: "libone.so")
        #expect(await store().recall() == nil)
    }

    @Test(arguments: ["", "{", "null", "{}", "[1]", #"{"encoder":"x","libraries":[],"state":1}"#])
    func ignoresDamagedEntry(text: String) async throws {
        try await cache.setValues([folder.path("worker"): Array(text.utf8)], in: "encoders")
        #expect(await store().recall() == nil)
    }

    @Test func callersShareOneWorkerStart() async throws {
        let worker = try await FakeWorker("\(FakeWorker.greeting); read -r line")
        func identity() -> (ProgramIdentity, WorkerPool) {
            let pool = WorkerPool(executable: worker.path, options: .init(size: 4))
            let store = EncoderStore(worker: worker.path, cache: cache, allowsWeakSandbox: false)
            return (ProgramIdentity(store: store, pool: pool), pool)
        }
        let (first, pool) = identity()
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 { group.addTask { try await first.programs().encoders } }
            for try await name in group { #expect(name == "fake") }
        }
        pool.stop()
        #expect(worker.startCount == 1)
        // The next bake starts none at all.
        let (second, other) = identity()
        #expect(try await second.programs().encoders == "fake")
        #expect(worker.startCount == 1)
        other.stop()
    }

    @Test func failedStartFailsAllCallers() async throws {
        let pool = WorkerPool(executable: "/nowhere/worker", options: .init(size: 1))
        let identity = ProgramIdentity(
            store: EncoderStore(
                worker: "/nowhere/worker", cache: cache, allowsWeakSandbox: false), pool: pool)
        for _ in 0..<2 {
            let failure = await #expect(throws: WorkerPool.PoolError.self) {
                try await identity.programs()
            }
            guard case .unavailable(let problem) = failure else {
                Issue.record("\(String(describing: failure))")
                return
            }
            #expect(problem.code == .workerUnavailable)
        }
        pool.stop()
    }

    /// The results of another worker are of another build, and those of the same file are not.
    @Test func buildChangesWithTheWorker() async throws {
        func build(_ worker: FakeWorker) async throws -> String {
            let pool = WorkerPool(executable: worker.path, options: .init(size: 1))
            defer { pool.stop() }
            let store = EncoderStore(worker: worker.path, cache: cache, allowsWeakSandbox: false)
            return try await ProgramIdentity(store: store, pool: pool).programs().build
        }
        let worker = try await FakeWorker("\(FakeWorker.greeting); read -r line")
        let first = try await build(worker)
        #expect(try await build(worker) == first)
        let text = try worker.folder.text("worker")
        try await worker.folder.writeScript(text + "\n# another build", to: "worker")
        let second = try await build(worker)
        #expect(second != first)
        // Installed again, it is still the same program.
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)],
            ofItemAtPath: worker.path)
        #expect(try await build(worker) == second)
        let other = try await FakeWorker(
            "\(FakeWorker.greeting.replacing("fake", with: "new")); read -r line")
        #expect(try await build(other) != second)
    }

    /// The worker and the command were linked with an ID; a script has none.
    @Test func programIsKnownByTheIDOfItsLinker() async throws {
        let command = try readFile(ProgramBuild.command, limit: 1 << 30, ofAnyKind: true).bytes
        let id = try #require(ProgramBuild.buildID(in: Array(command.prefix(4_096))))
        #expect((8...64).contains(id.count))
        #expect(
            await ProgramBuild.digest(of: ProgramBuild.command, in: cache)
                == BlobDigest(hashing: id).hex)
        let (size, kind): ([UInt8], [UInt8]) = ([8, 0, 0, 0], [3, 0, 0, 0])
        let program = Array("\u{7F}ELF".utf8) + [4, 0, 0, 0] + size + kind + Array("GNU\0".utf8)
        #expect(ProgramBuild.buildID(in: program + Array(1...8)) == Array(1...8))
        #expect(ProgramBuild.buildID(in: program + Array(1...7)) == nil)
        #expect(ProgramBuild.buildID(in: Array((program + Array(1...8)).dropFirst())) == nil)
        #expect(ProgramBuild.buildID(in: Array("#!/bin/sh\n".utf8)) == nil)
        #expect(ProgramBuild.buildID(in: []) == nil)
    }

    @Test func programWithoutAnIDIsHashedOnce() async throws {
        let path = folder.path("worker")
        let digest = await ProgramBuild.digest(of: path, in: cache)
        #expect(digest == BlobDigest(hashing: Array("worker".utf8)).hex)
        let stored = try #require(try await cache.value(for: path, in: "programs"))
        #expect(String(decoding: stored, as: UTF8.self).hasSuffix(digest))
        try folder.write("another build", to: "worker")
        #expect(await ProgramBuild.digest(of: path, in: cache) != digest)
        #expect(await ProgramBuild.digest(of: "/nowhere", in: cache) == "unknown")
        #expect(await ProgramBuild.digest(of: ProgramBuild.command, in: cache).count == 64)
    }
}
