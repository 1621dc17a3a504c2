import Foundation
import Recipes
import WorkerSandbox

// A process that tests of the sandbox start.
//
//   worker-probe attempts FOLDER           close the sandbox, then try everything in `Attempt.all`
//   worker-probe jobs FOLDER               attack a worker from its jobs: see `JobAttempts`
//   worker-probe control FOLDER            try what must succeed without a sandbox
//   worker-probe family FOLDER             attack a parent of the same user: see `Family`
//   worker-probe peek PROCESS              open the memory and the environment of a process
//   worker-probe without NAME PROGRAM …    run a program where the kernel lacks landlock or seccomp
//   worker-probe relay SIZE END WORKER     a worker that crashes or hangs over a source of that size
//   worker-probe threads COUNT             start threads that wait
//   worker-probe lie FOLDER WORKER         a worker that lies: see `Liar`
//   worker-probe record FILE COUNT WORKER  a worker that records its jobs: see `JobRecorder`

/// The result of one attempt.
struct Outcome: Codable {
    var name: String
    /// The value of `errno`; 0 where it succeeded.
    var code: Int32

    init(_ name: String, _ result: Int) {
        self.name = name
        code = result < 0 ? errno : 0
    }
}

struct Findings: Codable {
    var report: SandboxReport
    var outcomes: [Outcome]
}

func printJSON(_ value: some Encodable) throws {
    let bytes = [UInt8](try JSONEncoder().encode(value)) + [0x0A]
    guard write(STDOUT_FILENO, bytes, bytes.count) == bytes.count else { exit(3) }
}

let arguments = Array(CommandLine.arguments.dropFirst())
switch arguments.first {
case "attempts" where arguments.count == 2:
    let scene = Scene(folder: arguments[1])
    // The encoder is used once before, as in a worker.
    _ = try JSONEncoder().encode(Outcome("", 0))
    let report = Sandbox.close(memoryBytes: 256 << 20)
    guard Sandbox.closeForJob(after: report) else { exit(6) }
    let outcomes = Attempt.all(in: scene).map { Outcome($0.name, $0.run()) }
    try printJSON(Findings(report: report, outcomes: outcomes))
case "jobs" where arguments.count == 2:
    let attempts = JobAttempts(folder: arguments[1])
    var results = attempts.answers.mapValues { $0 ?? "none" }
    results["shared byte"] = "\(attempts.sharedByte)"
    try printJSON(results)
case "control" where arguments.count == 2:
    let scene = Scene(folder: arguments[1])
    let harmless = Attempt.all(in: scene).filter(\.succeedsOutside)
    try printJSON(harmless.map { Outcome($0.name, $0.run()) })
case "family" where arguments.count == 2:
    try Family.run(folder: arguments[1])
case "peek" where arguments.count == 2:
    try printJSON(Family.peek(at: arguments[1]))
case "without" where arguments.count > 2:
    OlderKernel.run(without: arguments[1], Array(arguments[2...]))
case "relay" where arguments.count == 4:
    try Relay(size: arguments[1], end: arguments[2], worker: arguments[3]).run()
case "threads" where arguments.count == 2:
    for _ in 0..<(Int(arguments[1]) ?? 0) {
        Thread.detachNewThread { while true { sleep(60) } }
    }
    while true { sleep(60) }
case "lie" where arguments.count == 3:
    try Liar(folder: arguments[1], worker: arguments[2]).run()
case "record" where arguments.count == 4:
    try JobRecorder(file: arguments[1], count: arguments[2], worker: arguments[3]).run()
default:
    exit(64)
}
