import Glibc
import Imaging
import Recipes
import SystemPackage
import WorkerSandbox

// Transforms images for imgbake, one job at a time, each in a copy of this process; `Job` and
// `JobResult` define the messages. Standard input is a socket; standard output and standard error are for output of the libraries.

/// Ends the process with a message on standard error.
func fail(_ message: String) -> Never {
    _ = try? FileDescriptor.standardError.writeAll("imgbake-worker: \(message)\n".utf8)
    exit(2)
}

var memoryBytes = Limits().memoryBytes
switch CommandLine.arguments.dropFirst().first {
case nil: break
case "--help":
    print("usage: imgbake-worker [--memory BYTES]  (started by imgbake, with a socket as input)")
    exit(0)
case "--version":
    print("imgbake-worker \(ImgbakeVersion.text)")
    exit(0)
case "--memory":
    guard CommandLine.arguments.count == 3, let bytes = Int(CommandLine.arguments[2]), bytes > 0
    else { fail("'--memory' needs a number of bytes") }
    memoryBytes = bytes
case let argument?:
    fail("unknown argument '\(argument)'")
}

let parent = getppid()
ProcessState.closeInheritedDescriptors()
signal(SIGPIPE, SIG_IGN)
ResourceLimits.keepOneHeap()

do {
    let processor = try ImageProcessor()
    let fonts = processor.openLibraries()
    let encoders = processor.encoders
    let formats = processor.formats
    var jobs = JobSocket()
    // Encoded for what that makes in this process; the answer itself is for nobody.
    _ = try jobs.line(processor.rehearse())
    let process = JobProcess(parent: parent, memoryBytes: memoryBytes, readable: fonts)
    let greeting = WorkerGreeting(
        encoder: encoders.name, libraries: encoders.libraries, sandbox: process.report,
        formats: formats)
    try jobs.send(jobs.line(greeting))
    while let order = try jobs.next(process) {
        let (job, source, outputs) = (order.job, order.source, order.outputs)
        let answer = process.answer(
            outputBytes: job.outputBytes, longest: WorkerMessage.longestAnswer
        ) {
            (try? jobs.line(processor.answer(to: job, source: source, outputs: outputs))) ?? []
        }
        // The command takes the end of this process for that of the job's.
        guard let answer else { exit(1) }
        try jobs.send(answer)
    }
} catch let failure as JobResult.JobError {
    fail(failure.reason)
} catch JobSocket.SocketError.malformed(let line) {
    fail("not a job: \(line.prefix(200))")
} catch JobSocket.SocketError.closed {
    exit(0)
}
