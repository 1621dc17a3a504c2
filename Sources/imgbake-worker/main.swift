import Glibc
import Imaging
import Recipes

// Transforms images for imgbake, one job at a time: see `Job` and `Answer` for what is said.

/// Ends the process with a message for whoever reads standard error.
func fail(_ message: String) -> Never {
    let line = Array("imgbake-worker: \(message)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
    exit(2)
}

switch CommandLine.arguments.dropFirst().first {
case nil: break
case "--help":
    print("usage: imgbake-worker  (started by imgbake; reads jobs from standard input)")
    exit(0)
case "--version":
    print("imgbake-worker 0.1.0")
    exit(0)
case let argument?:
    fail("unknown argument '\(argument)'")
}

// Whatever a library prints to standard output must not get between the answers.
let answers = dup(STDOUT_FILENO)
dup2(STDERR_FILENO, STDOUT_FILENO)
signal(SIGPIPE, SIG_IGN)
Cell.close()
Cell.endWithParent()
MemoryLimit.keepOneHeap()

do {
    let workbench = try Workbench()
    let lines = JobLines(output: answers)
    try lines.send(workbench.hello)
    while let job = try lines.next() {
        MemoryLimit.set(headroom: job.limits.memoryBytes)
        try lines.send(workbench.answer(to: job))
    }
} catch let failure as Answer.Failure {
    fail(failure.reason)
} catch JobLines.Failure.malformed(let line) {
    fail("not a job: \(line.prefix(200))")
} catch JobLines.Failure.closed {
    exit(0)
}
