import FetchCache
import Files
import Foundation
import Locks
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
        // No other machine asks for it.
        #expect(try folder.contents(below: "cache").keys.allSatisfy { !$0.contains("blobs/") })
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

    // MARK: - Other machines

    /// A store that machines share; it has only the texts of variants.
    private final class Texts: CacheLevel {
        let variants = Locked<[LevelVariant]>([])
        let abilities = LevelAbilities.write

        func responses(for key: String) async throws(FetchError) -> [LevelResponse] { [] }

        func blob(
            _ digest: BlobDigest, byteCount: Int, draft: FilePath
        ) async throws(FetchError) -> FilePath? { nil }

        func variant(
            of source: BlobDigest, recipe: String, encoder: String
        ) async throws(FetchError) -> LevelVariant? {
            variants.withLock { $0 }.first {
                $0.source == source && $0.recipe == recipe && $0.encoder == encoder
            }
        }

        func store(_ variant: LevelVariant, blobAt path: FilePath) async throws(FetchError) {
            variants.withLock { $0.append(variant) }
        }

        /// Changes what the store tells.
        func rewrite(_ change: (inout SharedEncoders) -> Void) throws {
            let variant = try #require(variants.withLock { $0 }.first)
            var told = try JSONDecoder().decode(
                SharedEncoders.self, from: Data(variant.metadata.utf8))
            change(&told)
            let text = canonicalText(of: told)
            variants.withLock {
                $0 = [
                    LevelVariant(
                        source: variant.source, recipe: variant.recipe, encoder: variant.encoder,
                        digest: variant.digest, byteCount: variant.byteCount, metadata: text)
                ]
            }
        }
    }

    /// The store of a machine with an empty cache, the same worker, and libraries with build IDs.
    private func machine(_ name: String, sharing texts: Texts) throws -> EncoderStore {
        for (seed, library) in ["libone.so", "libtwo.so"].enumerated() {
            try folder.write(
                program(note(3, [UInt8](repeating: UInt8(seed), count: 20))), to: library)
        }
        let cache = try FetchManager(
            FetchConfiguration(folder: FilePath(folder.path(name))))
        try cache.add(texts)
        return EncoderStore(worker: folder.path("worker"), cache: cache, allowsWeakSandbox: false)
    }

    @Test func encodersOfTheSameFilesAreKnownOnAnotherMachine() async throws {
        let texts = Texts()
        _ = try await machine("first", sharing: texts).remember(try greeting())
        let second = try machine("second", sharing: texts)
        #expect(await second.recall() == nil)
        #expect(await second.recallFromOtherMachine() == encoders)
        // It is stored, and the paths in the folder of the worker are told without it.
        #expect(await second.recall() == encoders)
        #expect(await second.shared()?.libraries == ["libone.so", "libtwo.so"])
        #expect(texts.variants.withLock { $0 }.count == 1)
    }

    @Test(arguments: ["worker", "libone.so", "libtwo.so"])
    func otherFilesHaveOtherEncoders(name: String) async throws {
        let texts = Texts()
        _ = try await machine("first", sharing: texts).remember(try greeting())
        let second = try machine("second", sharing: texts)
        try folder.write(program(note(3, [UInt8](repeating: 9, count: 20))), to: name)
        #expect(await second.recallFromOtherMachine() == nil)
        try FileManager.default.removeItem(atPath: folder.path(name))
        #expect(await second.recallFromOtherMachine() == nil)
    }

    @Test func weakSandboxAndUnknownFilesAreNotTold() async throws {
        let texts = Texts()
        var weak = try greeting()
        weak.sandbox.gaps = [SandboxReport.Gap(.systemCalls, "no")]
        _ = try await machine("first", sharing: texts).remember(weak)
        let second = try machine("second", sharing: texts)
        try folder.write("a library without a build ID", to: "libtwo.so")
        _ = await second.remember(try greeting())
        #expect(texts.variants.withLock { $0 }.isEmpty)
        #expect(await second.recall() == encoders)
    }

    /// Anybody may have written what a store tells.
    @Test(arguments: [
        ["/dev/zero"], ["../libone.so\n"], ["libthree.so"], ["/"], [""],
        [String](repeating: "libone.so", count: 1_000),
    ])
    func otherPathsAreRefused(paths: [String]) async throws {
        let texts = Texts()
        _ = try await machine("first", sharing: texts).remember(try greeting())
        try texts.rewrite { $0.libraries = paths }
        #expect(await (try machine("second", sharing: texts)).recallFromOtherMachine() == nil)
    }

    @Test func callersShareOneWorkerStart() async throws {
        let worker = try await FakeWorker("\(FakeWorker.greeting); read -r line")
        func identity() -> (ProgramIdentity, WorkerPool) {
            let pool = WorkerPool(executable: worker.path, options: .init(size: 4))
            let store = EncoderStore(worker: worker.path, cache: cache, allowsWeakSandbox: false)
            return (ProgramIdentity(store: store, pool: pool), pool)
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
        let id = try #require(ProgramBuild.buildID(ofFile: ProgramBuild.command))
        #expect((8...64).contains(id.count))
        #expect(
            await ProgramBuild.digest(of: ProgramBuild.command, in: cache)
                == BlobDigest(hashing: id).hex)
    }

    /// A file of ELF with one segment of notes at its end, where tools that edit programs put it.
    private func program(
        _ notes: [UInt8], length: Int? = nil, offset: UInt64? = nil
    ) -> [UInt8] {
        func field(_ number: some FixedWidthInteger) -> [UInt8] {
            withUnsafeBytes(of: number.littleEndian) { Array($0) }
        }
        let gap = [UInt8](repeating: 0, count: 9_000)
        let start = UInt64(64 + 56 + gap.count)
        var header = Array("\u{7F}ELF".utf8) + [2, 1, 1, 0] + [UInt8](repeating: 0, count: 8)
        header += field(UInt16(3)) + field(UInt16(62)) + field(UInt32(1)) + field(UInt64(0))
        header += field(UInt64(64)) + field(UInt64(0)) + field(UInt32(0)) + field(UInt16(64))
        header += field(UInt16(56)) + field(UInt16(1)) + [UInt8](repeating: 0, count: 6)
        let segment =
            field(UInt32(4)) + field(UInt32(4)) + field(offset ?? start) + field(UInt64(0))
            + field(UInt64(0)) + field(UInt64(length ?? notes.count)) + field(UInt64(0))
            + field(UInt64(4))
        return header + segment + gap + notes
    }

    private func note(_ kind: UInt8, _ text: [UInt8], length: UInt8? = nil) -> [UInt8] {
        var note: [UInt8] = [4, 0, 0, 0, length ?? UInt8(text.count), 0, 0, 0, kind, 0, 0, 0]
        note += Array("GNU\0".utf8) + text
        while note.count % 4 != 0 { note.append(0) }
        return note
    }

    @Test func buildIDIsFoundWhereverTheNotesAre() throws {
        func id(_ bytes: [UInt8]) throws -> [UInt8]? {
            try folder.write(bytes, to: "program")
            return ProgramBuild.buildID(ofFile: folder.path("program"))
        }
        let expected = [UInt8](1...20)
        #expect(try id(program(note(3, expected))) == expected)
        #expect(try id(program(note(1, Array(1...5)) + note(3, expected))) == expected)
        // Damaged or hostile files have none.
        #expect(try id(program(note(3, Array(1...7)))) == nil)
        #expect(try id(program(note(3, expected, length: 255))) == nil)
        #expect(try id(program(note(3, expected), length: 1 << 40)) == nil)
        #expect(try id(program(note(3, expected), offset: .max)) == nil)
        #expect(try id(program([4, 0, 0])) == nil)
        for count in [0, 3, 63, 64, 100] {
            #expect(try id(Array(program(note(3, expected)).prefix(count))) == nil)
        }
        #expect(ProgramBuild.buildID(ofFile: "/dev/zero") == nil)
        #expect(ProgramBuild.buildID(ofFile: folder.path("nowhere")) == nil)
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
