import FetchCache
import Foundation
import Recipes
import TestSupport
import Testing
import WorkerSandbox

@testable import Baking

/// The encoders are known without a worker until one of their files changes.
@Suite(.timeLimit(.minutes(10))) struct EncoderMemoryTests {
    private let folder: TemporaryDirectory
    private let cache: FetchCache

    init() throws {
        folder = try TemporaryDirectory()
        for name in ["worker", "libone.so", "libtwo.so"] { try folder.write(name, to: name) }
        var configuration = FetchConfiguration(cacheDirectory: FilePath(folder.path("cache")))
        configuration.cleansByItself = false
        cache = try FetchCache(configuration)
    }

    private func memory(_ worker: String = "worker") -> EncoderMemory {
        EncoderMemory(worker: folder.path(worker), cache: cache, allowsWeakSandbox: false)
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
        #expect(memory().recall() == nil)
        await memory().remember(try greeting())
        #expect(memory().recall() == "vips 8")
        #expect(memory("libone.so").recall() == nil)
    }

    @Test(arguments: ["worker", "libone.so", "libtwo.so"])
    func changedSizeInvalidatesEntry(name: String) async throws {
        await memory().remember(try greeting())
        let date =
            try FileManager.default.attributesOfItem(
                atPath: folder.path(name))[.modificationDate] as? Date
        try folder.write("another version", to: name)
        try touch(name, try #require(date))
        #expect(memory().recall() == nil)
    }

    @Test(arguments: ["worker", "libone.so", "libtwo.so"])
    func changedTimeInvalidatesEntry(name: String) async throws {
        await memory().remember(try greeting())
        try touch(name, Date(timeIntervalSince1970: 1_000_000_000))
        #expect(memory().recall() == nil)
        await memory().remember(try greeting())
        #expect(memory().recall() == "vips 8")
    }

    @Test(arguments: ["worker", "libtwo.so"])
    func missingFileInvalidatesEntry(name: String) async throws {
        await memory().remember(try greeting())
        try FileManager.default.removeItem(atPath: folder.path(name))
        #expect(memory().recall() == nil)
        // Nothing can be said about it, so nothing is stored either.
        try await cache.setValues([folder.path("worker"): [1]], in: "encoders")
        await memory().remember(try greeting())
        #expect(try cache.value(for: folder.path("worker"), in: "encoders") == [1])
    }

    @Test func changedTargetOfLinkInvalidatesEntry() async throws {
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("lib.so"), withDestinationPath: "libone.so")
        await memory().remember(try greeting(["lib.so"]))
        #expect(memory().recall() == "vips 8")
        try folder.write("a new release", to: "libone.so")
        #expect(memory().recall() == nil)
    }

    @Test(arguments: ["", "{", "null", "{}", "[1]", #"{"encoder":"x","libraries":[],"state":1}"#])
    func ignoresDamagedEntry(text: String) async throws {
        try await cache.setValues([folder.path("worker"): Array(text.utf8)], in: "encoders")
        #expect(memory().recall() == nil)
    }

    @Test func callersShareOneWorkerStart() async throws {
        let worker = try await FakeWorker("\(FakeWorker.greeting); read -r line")
        func identity() -> (EncoderIdentity, WorkerPool) {
            let pool = WorkerPool(executable: worker.path, options: .init(size: 4))
            let memory = EncoderMemory(worker: worker.path, cache: cache, allowsWeakSandbox: false)
            return (EncoderIdentity(memory: memory, pool: pool), pool)
        }
        let (first, pool) = identity()
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 { group.addTask { try await first.name() } }
            for try await name in group { #expect(name == "fake") }
        }
        pool.stop()
        #expect(worker.startCount == 1)
        // The next bake starts none at all.
        let (second, other) = identity()
        #expect(try await second.name() == "fake")
        #expect(worker.startCount == 1)
        other.stop()
    }

    @Test func failedStartFailsAllCallers() async throws {
        let pool = WorkerPool(executable: "/nowhere/worker", options: .init(size: 1))
        let identity = EncoderIdentity(
            memory: EncoderMemory(
                worker: "/nowhere/worker", cache: cache, allowsWeakSandbox: false), pool: pool)
        for _ in 0..<2 {
            let failure = await #expect(throws: WorkerPool.Failure.self) {
                try await identity.name()
            }
            guard case .unavailable(let problem) = failure else {
                Issue.record("\(String(describing: failure))")
                return
            }
            #expect(problem.code == .workerUnavailable)
        }
        pool.stop()
    }
}
