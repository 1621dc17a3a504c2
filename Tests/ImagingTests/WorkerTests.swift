import FoundationEssentials
import Glibc
import Recipes
import TestSupport
import Testing

/// The worker as its pool sees it: a process with two pipes.
@Suite(.timeLimit(.minutes(10)))
struct WorkerTests {
    @Test func greetsWithItsEncoders() throws {
        let worker = try WorkerProcess()
        let hello = try worker.next(Hello.self)
        #expect(hello.encoder.hasPrefix("vips 8."))
        for library in ["libvips.so", "libwebp.so", "libjpeg.so", "libpng16.so", "libheif.so"] {
            #expect(hello.encoder.contains(library), "\(library)")
        }
        #expect(!hello.encoder.contains("/"))
        #expect(!hello.libraries.isEmpty)
        for path in hello.libraries {
            #expect(path.hasPrefix("/"))
            #expect(FileManager.default.fileExists(atPath: path), "\(path)")
        }
        #expect(try WorkerProcess().next(Hello.self) == hello)
    }

    @Test func answersJobByJob() throws {
        let studio = try Studio()
        let worker = try WorkerProcess()
        _ = try worker.next(Hello.self)
        let scene = try studio.file(Pictures.scene())
        try worker.send(Job(source: scene, task: .probe))
        #expect(try worker.next(Answer.self).header?.width == 320)
        let text = try studio.file(Array("no image".utf8))
        try worker.send(Job(source: text, task: .probe))
        #expect(try worker.next(Answer.self).failure?.code == .unsupported)
        let task = Job.Task.transform(recipe(.webp, width: 100), output: studio.output)
        try worker.send(Job(source: scene, task: task))
        #expect(try worker.next(Answer.self).variant?.width == 100)
        #expect(try PictureFacts(of: FileBytes.read(studio.output)).loader == "webpload")
        worker.endInput()
        #expect(worker.line() == nil)
        #expect(worker.wait() == 0)
    }

    /// The filter of system calls must not break what decoders, fonts and encoders do.
    @Test(arguments: ["jpg", "png", "gif", "webp", "avif"])
    func makesTheSameBytesAsOutsideItsCell(source: String) throws {
        let scene = try Pictures.scene(as: source)
        for format in [ImageFormat.jpeg, .webp, .avif, .png, .gif] {
            let made = try variantByWorker(of: scene, recipe(format, width: 200))
            #expect(try made == variant(of: scene, recipe(format, width: 200)).bytes)
        }
    }

    @Test func drawsTextInItsCell() throws {
        let text = Array(SVGTexts.safe.utf8)
        #expect(
            try variantByWorker(of: text, recipe(.png)) == variant(of: text, recipe(.png)).bytes)
    }

    /// As the kernel has it, in the lines of /proc/PID/status.
    @Test(arguments: ["Seccomp:\t2", "NoNewPrivs:\t1"])
    func shutsItsDoors(line: String) throws {
        let worker = try WorkerProcess()
        _ = try worker.next(Hello.self)
        let status = try FileBytes.read("/proc/\(worker.process)/status")
        #expect(
            String(decoding: status, as: UTF8.self).split(separator: "\n").contains { $0 == line })
    }

    @Test func endsWithItsInput() throws {
        let worker = try WorkerProcess()
        worker.endInput()
        #expect(try worker.next(Hello.self).encoder.isEmpty == false)
        #expect(worker.line() == nil)
        #expect(worker.wait() == 0)
    }

    @Test(arguments: ["hello", "{}", "{\"source\":\"/x\"}", ""])
    func endsAtALineThatIsNoJob(line: String) throws {
        let worker = try WorkerProcess()
        _ = try worker.next(Hello.self)
        worker.send(line)
        #expect(worker.line() == nil)
        #expect(worker.wait() == 2)
    }

    @Test func explainsItselfInALine() throws {
        let help = try WorkerProcess(["--help"])
        #expect(help.line()?.hasPrefix("usage: imgbake-worker") == true)
        #expect(help.wait() == 0)
        let version = try WorkerProcess(["--version"])
        #expect(version.line()?.hasPrefix("imgbake-worker ") == true)
        #expect(version.wait() == 0)
        #expect(try WorkerProcess(["--colour"]).wait() == 2)
    }

    @Test(arguments: [false, true])
    func endsWithItsParent(isBusy: Bool) throws {
        // The other end of the worker's input stays open, here.
        let script = "exec 3<&0; '\(WorkerProcess.path)' <&3 & wait"
        let parent = try WorkerProcess(["-c", script], path: "/bin/sh")
        _ = try parent.next(Hello.self)
        let studio = try Studio()
        if isBusy {
            let noise = try studio.file(Pictures.bomb(width: 8000, height: 8000))
            let task = Job.Task.transform(recipe(.avif, 90), output: studio.output)
            try parent.send(Job(source: noise, task: task))
        }
        let start = ContinuousClock.now
        kill(parent.process, SIGKILL)
        #expect(parent.wait() == -SIGKILL)
        // An answer may have been under way; the end comes with that of the worker.
        while parent.line() != nil {}
        #expect(start.duration(to: .now) < .seconds(4))
    }

    @Test func staysWithinTheMemoryOfAJob() throws {
        let studio = try Studio()
        let worker = try WorkerProcess()
        _ = try worker.next(Hello.self)
        let source = try studio.file(Pictures.bomb(width: 9000, height: 9000))
        var limits = Limits()
        limits.memoryBytes = 100 << 20
        let task = Job.Task.transform(recipe(.png), output: studio.output)
        try worker.send(Job(source: source, task: task, limits: limits))
        #expect(try worker.next(Answer.self).failure?.code == .outOfMemory)
        #expect(!FileManager.default.fileExists(atPath: studio.output))
        // The limit is the job's, not the worker's.
        try worker.send(Job(source: source, task: task))
        #expect(try worker.next(Answer.self).variant?.width == 9000)
    }

    private func variantByWorker(of bytes: [UInt8], _ recipe: Recipe) throws -> [UInt8] {
        let studio = try Studio()
        let worker = try WorkerProcess()
        _ = try worker.next(Hello.self)
        let task = Job.Task.transform(recipe, output: studio.output)
        try worker.send(Job(source: studio.file(bytes), task: task))
        let answer = try worker.next(Answer.self)
        _ = try #require(answer.variant, "\(answer)")
        return try FileBytes.read(studio.output)
    }
}
