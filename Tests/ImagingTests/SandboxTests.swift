import FoundationEssentials
import Glibc
import ImageFormats
import Recipes
import TestSupport
import Testing

/// Code in a worker cannot leave the sandbox: `worker-probe` enters the same sandbox and tries.
@Suite(.timeLimit(.minutes(10)))
struct SandboxTests {
    private struct Outcome: Codable {
        var name: String
        var code: Int32
    }

    private struct Findings: Codable {
        var report: SandboxReport
        var outcomes: [Outcome]
    }

    private struct Protection: Codable {
        var before: Int32
        var during: Int32
        var after: Int32
    }

    private static let probe = WorkerProcess.built("worker-probe")
    private static let isRoot = geteuid() == 0

    private func decoded<Value: Decodable>(_ process: WorkerProcess) throws -> Value {
        let line = try #require(process.printedLine())
        return try JSONDecoder().decode(Value.self, from: Data(line.utf8))
    }

    /// Calls `body` with a folder to which every user may write.
    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = try TemporaryDirectory()
        try #require(chmod(folder.path, 0o777) == 0)
        try body(folder.path)
    }

    private func expectAllRefused(_ findings: Findings) {
        #expect(findings.report.isClosed)
        #expect(findings.outcomes.count > 150)
        let open = findings.outcomes.filter { $0.code != EPERM && $0.code != ENOSYS }
        #expect(open.isEmpty, "\(open)")
    }

    @Test func attemptsSucceedWithoutSandbox() throws {
        try withFolder { folder in
            let outcomes: [Outcome] = try decoded(
                WorkerProcess(["control", folder], path: Self.probe))
            #expect(outcomes.count > 60)
            #expect(outcomes.filter { $0.code != 0 }.isEmpty, "\(outcomes)")
        }
    }

    @Test func refusesAllAttemptsOfSameUser() throws {
        try withFolder { folder in
            let findings: Findings = try decoded(
                WorkerProcess(["attempts", folder], path: Self.probe))
            #expect(findings.report.gaps.filter { $0.protection != .landlock }.isEmpty)
            expectAllRefused(findings)
        }
    }

    @Test(.enabled(if: isRoot, "only root can become another user"))
    func refusesAllAttemptsOfAnotherUser() throws {
        try withFolder { folder in
            let family = try WorkerProcess(
                [
                    "--reuid=65534", "--regid=65534", "--clear-groups", Self.probe, "family",
                    folder,
                ], path: "/usr/bin/setpriv")
            expectAllRefused(try decoded(family))
            // A child without a sandbox: the parent protects itself.
            let peeks: [Outcome] = try decoded(family)
            #expect(peeks.map(\.code) == [EACCES, EACCES, EACCES])
        }
    }

    @Test func protectsParentOnlyWhileWorkerRuns() throws {
        try withFolder { folder in
            let family = try WorkerProcess(["family", folder], path: Self.probe)
            expectAllRefused(try decoded(family))
            let _: [Outcome] = try decoded(family)
            let protection: Protection = try decoded(family)
            #expect(protection.before == 1)
            #expect(protection.during == 0)
            #expect(protection.after == 1)
        }
    }

    @Test func systemCallFilterRefusesAllWithoutLandlock() throws {
        try withFolder { folder in
            let findings: Findings = try decoded(
                WorkerProcess(
                    ["without", "landlock", Self.probe, "attempts", folder], path: Self.probe))
            #expect(findings.report.gaps.map(\.protection) == [.landlock])
            #expect(findings.report.landlockVersion == nil)
            expectAllRefused(findings)
        }
    }

    /// A job is done in a process of its own, which ends with it.
    @Test func jobReachesNeitherItsWorkerNorTheNextJob() throws {
        try withFolder { folder in
            let answers: [String: String] = try decoded(
                WorkerProcess(["jobs", folder], path: Self.probe))
            let denied = "\(EPERM)"
            #expect(
                answers == [
                    "shared memory": "1 2", "shared byte": "1", "first": "1", "second": "1",
                    "the jobs of others": denied, "kill the worker": denied,
                    "signal the worker": denied, "a new process": denied,
                    "executable memory": denied, "a long output": "4096 \(EFBIG)",
                    "no answer": "none", "a crash": "none",
                    "a long answer": String(repeating: "x", count: 1_000), "two answers": "one",
                    "last": "1",
                ])
        }
    }

    /// Landlock protects independently of the system call filter.
    @Test func landlockRefusesFilesWithoutSystemCallFilter() throws {
        try withFolder { folder in
            let findings: Findings = try decoded(
                WorkerProcess(
                    ["without", "seccomp", Self.probe, "attempts", folder], path: Self.probe))
            #expect(!findings.report.isClosed)
            guard findings.report.landlockVersion != nil else { return }
            #expect(findings.report.gaps.map(\.protection) == [.systemCalls])
            let files = findings.outcomes.filter {
                ["read ", "write ", "create ", "the parent's "].contains(where: $0.name.hasPrefix)
            }
            #expect(files.count > 25)
            // Landlock denies access to existing files; a missing file is not found.
            let open = files.filter { ![EACCES, EPERM, ENOENT].contains($0.code) }
            #expect(open.isEmpty, "\(open)")
        }
    }
}

/// The sandbox of the worker itself, as reported by the kernel.
@Suite(.timeLimit(.minutes(10)))
struct WorkerSandboxTests {
    private func started(_ arguments: [String] = []) throws -> (WorkerProcess, WorkerGreeting) {
        let worker = try WorkerProcess(arguments)
        return (worker, try worker.next(WorkerGreeting.self))
    }

    private func lines(_ worker: WorkerProcess, _ file: String) throws -> [String] {
        let bytes = try FileBytes.read("/proc/\(worker.process)/\(file)")
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test func reportsActiveProtections() throws {
        let (_, greeting) = try started()
        #expect(greeting.sandbox.isClosed)
        #expect(greeting.sandbox.gaps.isEmpty == (greeting.sandbox.landlockVersion != nil))
    }

    @Test(arguments: [
        "Seccomp:\t2", "NoNewPrivs:\t1", "CapPrm:\t0000000000000000",
        "CapEff:\t0000000000000000",
    ])
    func hasNoPrivileges(line: String) throws {
        let (worker, _) = try started()
        #expect(try lines(worker, "status").contains(line))
    }

    @Test func softAndHardLimitsAreEqual() throws {
        let (worker, _) = try started(["--memory", "\(100 << 20)"])
        let limits = try lines(worker, "limits")
        let names = [
            "Max core file size", "Max data size", "Max file size", "Max open files",
            "Max processes", "Max stack size", "Max locked memory", "Max msgqueue size",
            "Max realtime priority",
        ]
        for name in names {
            let line = try #require(limits.first { $0.hasPrefix(name) }, "\(name)")
            let values = line.dropFirst(name.count).split(separator: " ")
            #expect(values[0] == values[1], "\(line)")
        }
        let data = try #require(limits.first { $0.hasPrefix("Max data size") })
        let bytes = try #require(data.split(separator: " ").compactMap { Int($0) }.first)
        #expect((100 << 20..<400 << 20).contains(bytes))
    }

    @Test(.enabled(if: geteuid() == 0, "the files of a process that cannot be dumped are root's"))
    func keepsOnlySocketStandardErrorAndFonts() throws {
        let (worker, _) = try started()
        let folder = "/proc/\(worker.process)/fd"
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            let path = try FileManager.default.destinationOfSymbolicLink(
                atPath: "\(folder)/\(name)")
            switch name {
            case "0": #expect(path.hasPrefix("socket:"))
            case "1": #expect(path.hasPrefix("pipe:"))
            case "2": #expect(path == "/dev/null")
            default: #expect(path.contains("/fonts/"), "\(path)")
            }
        }
        let environment = try FileBytes.read("/proc/\(worker.process)/environ")
        #expect(environment.allSatisfy { $0 == 0 })
    }

    @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
    func worksForAnotherUser() throws {
        let fixture = try ImageFixture()
        let worker = try WorkerProcess(
            ["--reuid=65534", "--regid=65534", "--clear-groups", WorkerProcess.path],
            path: "/usr/bin/setpriv")
        #expect(try worker.next(WorkerGreeting.self).sandbox.isClosed)
        let scene = try fixture.file(Pictures.scene())
        for format in [FormatChoice.webp, .avif] {
            let job = Job([VariantOptions(format: format, maximumWidth: 200)])
            try worker.send(job, source: scene, outputs: [fixture.output])
            let answer = try worker.next(JobResult.self)
            #expect(answer.variant?.width == 200, "\(answer)")
        }
    }

    @Test func closesFilesAfterJob() throws {
        let fixture = try ImageFixture()
        let (worker, _) = try started()
        let scene = try fixture.file(Pictures.scene())
        // More jobs than the limit of descriptors.
        for _ in 0..<200 {
            try worker.send(Job(), source: scene)
            #expect(try worker.next(JobResult.self).header != nil)
        }
    }
}
