import Files
import Foundation
import ImageFormats
import Recipes
import SystemPackage
import TestSupport
import Testing
import WorkerSandbox

@testable import Baking
@testable import Pictures
@testable import Records
@testable import Reports

@Suite(.timeLimit(.minutes(10))) struct WorkerPoolTests {
    private let folder: TemporaryDirectory
    private let job: WorkerPool.Order
    private let facts = ImageHeader(format: .gif, width: 1, height: 1)
    private let header = FakeWorker.header

    init() throws {
        folder = try TemporaryDirectory()
        try folder.write(dot(), to: "a.gif")
        job = WorkerPool.Order(job: Job(), source: folder.path("a.gif"))
    }

    private func pool(_ worker: FakeWorker, size: Int = 1) -> WorkerPool {
        WorkerPool(executable: worker.path, options: .init(size: size))
    }

    @Test func startsWorkerOnDemandAndKeepsIt() async throws {
        let worker = try await FakeWorker(
            #"\#(FakeWorker.greeting); while read -r line; do echo "$answer"; done"#)
        let pool = pool(worker)
        defer { pool.stop() }
        #expect(worker.startCount == 0)
        for _ in 0..<3 { #expect(try await pool.perform(job) == header) }
        #expect(try await pool.greeting().encoder == "fake")
        #expect(worker.startCount == 1)
    }

    @Test func protectsThisProcessWhileAWorkerRuns() async throws {
        let worker = try await FakeWorker("\(FakeWorker.greeting); read -r line")
        let pool = pool(worker)
        defer { pool.stop() }
        _ = try await pool.greeting()
        #expect(MemoryProtection.isInForce)
    }

    @Test func runsOneWorkerPerJobUpToTheSize() async throws {
        // Each worker answers only after three have been started.
        let worker = try await FakeWorker(
            """
            \(FakeWorker.greeting)
            while read -r line; do
                while [ "$(wc -l <"$(dirname "$0")/starts")" -lt 3 ]; do sleep 0.01; done
                echo "$answer"
            done
            """)
        let pool = pool(worker, size: 3)
        defer { pool.stop() }
        try await withThrowingTaskGroup(of: JobResult.self) { group in
            for _ in 0..<12 { group.addTask { try await pool.perform(job) } }
            for try await answer in group { #expect(answer == header) }
        }
        #expect(worker.startCount == 3)
    }

    @Test func crashOnFirstJobFailsJobAndReplacesWorker() async throws {
        let worker = try await FakeWorker(
            #"\#(FakeWorker.greeting); read -r line; [ $n = 2 ] && echo "$answer"; exit 1"#)
        let pool = pool(worker)
        defer { pool.stop() }
        await #expect(throws: WorkerPool.PoolError.self) { try await pool.perform(job) }
        #expect(try await pool.perform(job) == header)
        #expect(worker.startCount == 2)
    }

    @Test func unaskedAnswerIsNotTakenForTheNextOne() async throws {
        let worker = try await FakeWorker(
            """
            \(FakeWorker.greeting)
            while read -r line; do
                echo "$answer"
                [ $n = 1 ] && echo "$answer"
            done
            """)
        let pool = pool(worker)
        defer { pool.stop() }
        // The second line may still be on its way when the next job starts.
        while worker.startCount < 2 { #expect(try await pool.perform(job) == header) }
    }

    @Test func timeoutEndsWorkerAndFailsJob() async throws {
        let worker = try await FakeWorker("\(FakeWorker.greeting); read -r line; exec sleep 600")
        let pool = pool(worker)
        defer { pool.stop() }
        var job = job
        job.job.limits.seconds = 0.2
        await #expect(throws: WorkerPool.PoolError.lost("there was no result in 2.0 s")) {
            try await pool.perform(job)
        }
    }

    @Test func workerThatSendsAByteNowAndThenIsEndedToo() async throws {
        let worker = try await FakeWorker(
            "\(FakeWorker.greeting); read -r line; while printf x; do sleep 0.01; done")
        let pool = pool(worker)
        defer { pool.stop() }
        var job = job
        job.job.limits.seconds = 0.2
        await #expect(throws: WorkerPool.PoolError.self) { try await pool.perform(job) }
    }

    @Test func processorTimeEndsWorkerAndFailsJob() async throws {
        let worker = try await FakeWorker(
            "\(FakeWorker.greeting); read -r line; while :; do :; done")
        let pool = pool(worker)
        defer { pool.stop() }
        var job = job
        job.job.limits.seconds = 0.2
        var ends: [WorkerPool.PoolError] = []
        // On a busy machine the limit of the wall clock, which is ten times as long, can come first.
        for _ in 0..<8 where ends.last != .lost("it takes longer than 0.2 s of processor time") {
            do throws(WorkerPool.PoolError) {
                _ = try await pool.perform(job)
            } catch {
                ends.append(error)
            }
        }
        #expect(ends.last == .lost("it takes longer than 0.2 s of processor time"), "\(ends)")
    }

    /// As on a machine on which it had to wait for a processor.
    @Test func timeWithoutProcessorDoesNotCount() async throws {
        let worker = try await FakeWorker(
            #"\#(FakeWorker.greeting); read -r line; sleep 1; echo "$answer"; read -r line"#)
        let pool = pool(worker)
        defer { pool.stop() }
        var job = job
        job.job.limits.seconds = 0.5
        #expect(try await pool.perform(job) == header)
    }

    @Test(arguments: [
        "exit 127", "echo nonsense >&0; exec sleep 600",
        "echo 'libvips.so.42: cannot open shared object file' >&2; exit 127",
    ])
    func workerWithoutGreetingIsUnavailable(body: String) async throws {
        let worker = try await FakeWorker(body)
        let pool = pool(worker)
        defer { pool.stop() }
        await #expect {
            _ = try await pool.perform(job)
        } throws: { error in
            guard case .unavailable(let problem) = error as? WorkerPool.PoolError else {
                return false
            }
            return problem.reason.contains(worker.path)
                && problem.reason.contains("libvips.so.42") == body.contains("libvips.so.42")
        }
    }

    @Test func missingWorkerIsUnavailable() async throws {
        let pool = WorkerPool(executable: "/nowhere/imgbake-worker", options: .init(size: 1))
        defer { pool.stop() }
        await #expect {
            try await pool.perform(job)
        } throws: { error in
            guard case .unavailable(let problem) = error as? WorkerPool.PoolError else {
                return false
            }
            return problem.code == .workerUnavailable
                && problem.reason.contains("/nowhere/imgbake-worker: No such file or directory")
        }
    }

    @Test func workerWithManyThreadsIsEnded() async throws {
        let tool = Command.built("worker-probe")
        let worker = try await FakeWorker(
            "\(FakeWorker.greeting); read -r line; exec '\(tool)' threads 2000")
        let pool = pool(worker)
        defer { pool.stop() }
        let rule = BrokenRule("it has more than \(WorkerUsage.mostThreads) threads")
        await #expect(throws: WorkerPool.PoolError.untrusted(rule)) { try await pool.perform(job) }
    }

    @Test func invalidReplyFailsOnlyItsJob() async throws {
        let worker = try await FakeWorker(
            #"\#(FakeWorker.greeting); read -r line; [ $n = 1 ] && answer=what; echo "$answer"; read -r x"#
        )
        let pool = pool(worker)
        defer { pool.stop() }
        await #expect(throws: WorkerPool.PoolError.self) { try await pool.perform(job) }
        #expect(try await pool.perform(job) == header)
    }

    @Test func stopFailsRunningAndWaitingJobs() async throws {
        let worker = try await FakeWorker(
            """
            \(FakeWorker.greeting)
            read -r line
            echo $$ >"$(dirname "$0")/running"
            exec sleep 600
            """)
        let pool = pool(worker)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    await #expect(throws: WorkerPool.PoolError.stopped) {
                        try await pool.perform(job)
                    }
                }
            }
            group.addTask {
                while !worker.folder.exists("running") {
                    try? await Task.sleep(for: .milliseconds(5))
                }
                pool.stop()
            }
        }
        await #expect(throws: WorkerPool.PoolError.stopped) { try await pool.perform(job) }
    }

    @Test func workerInheritsOnlyNecessaryEnvironment() async throws {
        setenv("IMGBAKE_TEST_SECRET", "s3cret", 1)
        setenv("GLIBC_TUNABLES", "glibc.malloc.tcache_count=7", 1)
        let worker = try await FakeWorker(
            #"env >"$(dirname "$0")/env"; \#(FakeWorker.greeting); read -r line; echo "$answer""#)
        let pool = pool(worker)
        defer { pool.stop() }
        _ = try await pool.perform(job)
        let lines = try worker.folder.text("env").split(separator: "\n").map(String.init)
        let names = lines.map { String($0.prefix { $0 != "=" }) }
        // The shell sets the last variables itself.
        let allowed: Set = [
            "LD_LIBRARY_PATH", "FONTCONFIG_PATH", "FONTCONFIG_FILE", "PWD", "OLDPWD", "SHLVL", "_",
        ]
        #expect(Set(names).subtracting(allowed) == ["GLIBC_TUNABLES"])
        #expect(lines.contains("GLIBC_TUNABLES=glibc.malloc.hugetlb=1"))
    }

    @Test func workerInheritsOnlySocketAndStandardError() async throws {
        // Without the close-on-exec flag.
        let inherited = open("/dev/null", O_RDONLY)
        defer { close(inherited) }
        let worker = try await FakeWorker(
            #"ls -l /proc/$$/fd >"$(dirname "$0")/fds"; \#(FakeWorker.greeting); read -r line; echo "$answer""#
        )
        let pool = pool(worker)
        defer { pool.stop() }
        _ = try await pool.perform(job)
        let files = try worker.folder.text("fds").split(separator: "\n").compactMap { line in
            line.firstRange(of: " -> ").map { String(line[$0.upperBound...]) }
        }
        #expect(files.first?.hasPrefix("socket:") == true)
        #expect(files.contains { $0.hasPrefix("/memfd:") })
        // The shell itself opens the files in the folder.
        let others = files.filter { file in
            !["socket:", "/memfd:", worker.folder.path].contains(where: file.hasPrefix)
        }
        #expect(others.isEmpty, "\(others)")
    }

    @Test func missingSourceFailsOnlyItsJob() async throws {
        let worker = try await FakeWorker(
            #"\#(FakeWorker.greeting); while read -r line; do echo "$answer"; done"#)
        let pool = pool(worker)
        defer { pool.stop() }
        await #expect {
            try await pool.perform(.init(job: Job(), source: "/nowhere/blob"))
        } throws: { error in
            guard case .file(let error) = error as? WorkerPool.PoolError else { return false }
            return error.path == "/nowhere/blob" && error.cause == .system(.noSuchFileOrDirectory)
        }
        #expect(try await pool.perform(job) == header)
        #expect(worker.startCount == 1)
    }

    @Test func refusesEmptyVariant() async throws {
        let options = VariantOptions(format: .png)
        guard case .make(let recipe) = planVariant(of: facts, options: options) else { return }
        let variant = JobResult.Variant(format: .png, width: 1, height: 1, isSource: false)
        let image = JobResult.Image(
            header: facts, variants: [.made(JobResult.Made(recipe: recipe, variant: variant))])
        let worker = try await FakeWorker(
            """
            \(FakeWorker.greeting)
            read -r line
            echo '\(canonicalText(of: JobResult.image(image)))'
            read -r line
            """)
        let pool = pool(worker)
        defer { pool.stop() }
        let output = worker.folder.path("output")
        await #expect(
            throws: WorkerPool.PoolError.untrusted(BrokenRule("the file cannot have 0 bytes"))
        ) {
            try await pool.perform(
                .init(job: Job([options]), source: job.source, outputs: [output]))
        }
        #expect(!worker.folder.exists("output"))
    }
}
