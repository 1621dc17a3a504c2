import FetchCache
import Files
import Foundation
import Locks
import Recipes
import TestSupport
import Testing
import WorkerSandbox

@testable import Baking
@testable import Pictures
@testable import Records
@testable import Reports

/// The encoders are known without a worker until one of their files changes.
@Suite(.timeLimit(.minutes(10))) struct ProgramIdentityTests {
    private let folder: TemporaryDirectory
    private let cache: FetchManager

    init() throws {
        folder = try TemporaryDirectory()
        for name in ["worker", "libone.so", "libtwo.so"] { try folder.write(name, to: name) }
        var configuration = FetchConfiguration(folder: FilePath(folder.path("cache")))
        configuration.policy.cleansByItself = false
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

    /// Stands for `vips 8`.
    private var encoders: String {
        String(BlobDigest(hashing: Array("vips 8".utf8)).hex.prefix(32))
    }

    private func touch(_ name: String, _ date: Date) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: date], ofItemAtPath: folder.path(name))
    }

    @Test func isEmptyBeforeFirstWorker() async throws {
        #expect(await store().recall() == nil)
        _ = await store().remember(try greeting())
        #expect(await store().recall() == encoders)
        #expect(await store("libone.so").recall() == nil)
    }

    @Test(arguments: ["worker", "libone.so", "libtwo.so"])
    func changedSizeInvalidatesEntry(name: String) async throws {
        _ = await store().remember(try greeting())
        let date =
            try FileManager.default.attributesOfItem(
                atPath: folder.path(name))[.modificationDate] as? Date
        try folder.write("another version", to: name)
        try touch(name, try #require(date))
        #expect(await store().recall() == nil)
    }

    @Test(arguments: ["worker", "libone.so", "libtwo.so"])
    func changedTimeInvalidatesEntry(name: String) async throws {
        _ = await store().remember(try greeting())
        try touch(name, Date(timeIntervalSince1970: 1_000_000_000))
        #expect(await store().recall() == nil)
        _ = await store().remember(try greeting())
        #expect(await store().recall() == encoders)
    }

    @Test(arguments: ["worker", "libtwo.so"])
    func missingFileInvalidatesEntry(name: String) async throws {
        _ = await store().remember(try greeting())
        try FileManager.default.removeItem(atPath: folder.path(name))
        #expect(await store().recall() == nil)
        // Nothing can be said about it, so nothing is stored either.
        try await cache.setValues([folder.path("worker"): [1]], in: "encoders")
        _ = await store().remember(try greeting())
        #expect(try await cache.value(for: folder.path("worker"), in: "encoders") == [1])
    }

    @Test func changedTargetOfLinkInvalidatesEntry() async throws {
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("lib.so"), withDestinationPath: "libone.so")
        _ = await store().remember(try greeting(["lib.so"]))
        #expect(await store().recall() == encoders)
        try folder.write("a new release", to: "libone.so")
        #expect(await store().recall() == nil)
    }

    @Test(arguments: ["", "{", "null", "{}", "[1]", #"{"encoders":"x","libraries":[],"state":1}"#])
    func ignoresDamagedEntry(text: String) async throws {
        try await cache.setValues([folder.path("worker"): Array(text.utf8)], in: "encoders")
        #expect(await store().recall() == nil)
    }

    @Test func callersShareOneWorkerStart() async throws {
        let worker = try await FakeWorker("\(FakeWorker.greeting); read -r line")
        func identity() -> (ProgramIdentity, WorkerPool) {
            let pool = WorkerPool(executable: worker.path, options: .init(size: 4))
            return (
                ProgramIdentity(worker: worker.path, cache, pool, allowsWeakSandbox: false), pool
            )
        }
        let (first, pool) = identity()
        var names: Set<String> = []
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 { group.addTask { try await first.programs().encoders } }
            for try await name in group { names.insert(name) }
        }
        pool.stop()
        #expect(worker.startCount == 1)
        // The next bake starts none at all.
        let (second, other) = identity()
        #expect(try await [second.programs().encoders] == Array(names))
        #expect(worker.startCount == 1)
        other.stop()
    }

    @Test func failedStartFailsAllCallers() async throws {
        let pool = WorkerPool(executable: "/nowhere/worker", options: .init(size: 1))
        let identity = ProgramIdentity(
            worker: "/nowhere/worker", cache, pool, allowsWeakSandbox: false)
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
            return try await ProgramIdentity(
                worker: worker.path, cache, pool, allowsWeakSandbox: false
            ).programs().build
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

    /// A linker's build ID is in the first page of a program; some tools move it to the end.
    @Test func buildOfAProgramIsInItsFirstAndLastBytes() throws {
        var bytes = [UInt8](repeating: 0, count: 300_000)
        func digest() throws -> String {
            try folder.write(bytes, to: "program")
            return ProgramBuild.digest(of: folder.path("program"))
        }
        var digests: Set<String> = [try digest()]
        bytes[0x308] = 1
        digests.insert(try digest())
        bytes[299_000] = 1
        digests.insert(try digest())
        bytes.append(0)
        digests.insert(try digest())
        #expect(digests.count == 4)
        #expect(try digest() == digest())
        #expect(ProgramBuild.digest(of: ProgramBuild.command).count == 64)
        for path in ["/nowhere", "/dev/zero", folder.path] {
            #expect(ProgramBuild.digest(of: path) == "unknown")
        }
    }
}
