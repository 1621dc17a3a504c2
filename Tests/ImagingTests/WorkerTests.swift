import FoundationEssentials
import Glibc
import ImageFormats
import Recipes
import TestSupport
import Testing

/// The worker process and its socket.
@Suite(.timeLimit(.minutes(10)))
struct WorkerTests {
    @Test func greetsWithItsEncoders() throws {
        let worker = try WorkerProcess()
        let greeting = try worker.next(WorkerGreeting.self)
        #expect(greeting.encoder.hasPrefix("vips 8."))
        for library in ["libvips.so", "libwebp.so", "libjpeg.so", "libpng16.so", "libheif.so"] {
            #expect(greeting.encoder.contains(library), "\(library)")
        }
        #expect(!greeting.encoder.contains("/"))
        #expect(!greeting.libraries.isEmpty)
        for path in greeting.libraries {
            #expect(path.hasPrefix("/"))
            #expect(FileManager.default.fileExists(atPath: path), "\(path)")
        }
        #expect(try WorkerProcess().next(WorkerGreeting.self) == greeting)
    }

    @Test func repliesToEachJob() throws {
        let fixture = try ImageFixture()
        let worker = try WorkerProcess()
        _ = try worker.next(WorkerGreeting.self)
        let scene = try fixture.file(Pictures.scene())
        try worker.send(Job(), source: scene)
        #expect(try worker.next(JobResult.self).header?.width == 320)
        let text = try fixture.file(Array("no image".utf8))
        try worker.send(Job(), source: text)
        #expect(try worker.next(JobResult.self).failure?.code == .unsupported)
        let job = Job([VariantOptions(format: .webp, maximumWidth: 100)])
        try worker.send(job, source: scene, outputs: [fixture.output])
        #expect(try worker.next(JobResult.self).variant?.width == 100)
        #expect(try PictureFacts(of: FileBytes.read(fixture.output)).loader == "webpload")
        worker.endInput()
        #expect(worker.line() == nil)
        #expect(worker.wait() == 0)
    }

    /// The system call filter must not break decoders, fonts and encoders.
    @Test(arguments: ["jpg", "png", "gif", "webp", "avif"])
    func sandboxDoesNotChangeOutput(source: String) throws {
        let scene = try Pictures.scene(as: source)
        for format in FormatChoice.allCases {
            let options = VariantOptions(format: format, maximumWidth: 200)
            let made = try variantByWorker(of: scene, options)
            #expect(try made == variant(of: scene, options).bytes)
        }
    }

    @Test(arguments: ["gif", "webp"])
    func keepsAnimationsInSandbox(format: String) throws {
        let animation = try Pictures.animation(as: format)
        for format in [FormatChoice.keep, .webp] {
            let options = VariantOptions(format: format, maximumWidth: 40)
            let made = try variantByWorker(of: animation, options)
            #expect(try made == variant(of: animation, options).bytes)
        }
    }

    @Test func readsIconsInSandbox() throws {
        let fixture = try ImageFixture()
        let worker = try WorkerProcess()
        _ = try worker.next(WorkerGreeting.self)
        try worker.send(Job(), source: fixture.file(Pictures.icon()))
        #expect(try worker.next(JobResult.self).header?.format == .ico)
    }

    /// Libraries open fonts and character encoding converters on first use.
    @Test(arguments: ["utf-8", "windows-1252", "iso-8859-15"])
    func drawsTextInSandbox(encoding: String) throws {
        let families = ["sans-serif", "serif", "monospace", "Arial", "no such font"]
        let lines = families.enumerated().map { index, family in
            "<text x='2' y='\(14 * index + 14)' font-family='\(family)'>caf\u{E9} H\u{e4}</text>"
        }
        let body = SVGTexts.wrap(lines.joined())
        let text = "<?xml version=\"1.0\" encoding=\"\(encoding)\"?>\n" + body
        let bytes =
            encoding == "utf-8"
            ? Array(text.utf8) : text.unicodeScalars.map { UInt8($0.value) }
        var options = VariantOptions(format: .png, maximumWidth: nil)
        options.svg = .rasterise
        let inside = try variantByWorker(of: bytes, options)
        #expect(try inside == variant(of: bytes, options).bytes)
        // Text was drawn.
        let blank = Array(SVGTexts.wrap("").utf8)
        #expect(try inside.count > 2 * variant(of: blank, options).bytes.count)
    }

    @Test func endsWithItsInput() throws {
        let worker = try WorkerProcess()
        worker.endInput()
        #expect(try worker.next(WorkerGreeting.self).encoder.isEmpty == false)
        #expect(worker.line() == nil)
        #expect(worker.wait() == 0)
    }

    @Test(arguments: ["hello", "{}", "{\"source\":\"/x\"}", ""])
    func endsAtInvalidJob(line: String) throws {
        let worker = try WorkerProcess()
        _ = try worker.next(WorkerGreeting.self)
        worker.send(line)
        #expect(worker.line() == nil)
        #expect(worker.wait() == 2)
    }

    @Test func endsAtJobWithoutFiles() throws {
        let job = String(decoding: try JSONEncoder().encode(Job()), as: UTF8.self)
        let worker = try WorkerProcess()
        _ = try worker.next(WorkerGreeting.self)
        worker.send(job)
        #expect(worker.line() == nil)
        #expect(worker.wait() == 2)
    }

    @Test func printsUsageInOneLine() throws {
        let help = try WorkerProcess(["--help"])
        #expect(help.printedLine()?.hasPrefix("usage: imgbake-worker") == true)
        #expect(help.wait() == 0)
        let version = try WorkerProcess(["--version"])
        #expect(version.printedLine()?.hasPrefix("imgbake-worker ") == true)
        #expect(version.wait() == 0)
        #expect(try WorkerProcess(["--colour"]).wait() == 2)
        #expect(try WorkerProcess(["--memory", "much"]).wait() == 2)
    }

    @Test(arguments: [false, true])
    func endsWithItsParent(isBusy: Bool) throws {
        // This process keeps the other end of the worker's input open.
        let script = "exec 3<&0; '\(WorkerProcess.path)' <&3 & wait"
        let parent = try WorkerProcess(["-c", script], path: "/bin/sh")
        _ = try parent.next(WorkerGreeting.self)
        let fixture = try ImageFixture()
        if isBusy {
            let large = try fixture.file(Pictures.bomb(width: 5_000, height: 4_000))
            var slow = VariantOptions(format: .avif, quality: 90, maximumWidth: nil)
            slow.effort = .high
            try parent.send(Job([slow]), source: large, outputs: [fixture.output])
        }
        kill(parent.process, SIGKILL)
        #expect(parent.wait() == -SIGKILL)
        // The stream ends when the worker ends; a worker that finished its job would answer first.
        #expect(parent.line() == nil)
    }

    @Test(arguments: [nil, 9_000])
    func avifWithoutMemoryForItsEncoderIsNotMade(width: Int?) throws {
        let fixture = try ImageFixture()
        let worker = try WorkerProcess()
        _ = try worker.next(WorkerGreeting.self)
        let large = try fixture.file(Pictures.bomb(width: 10_000, height: 9_900))
        let job = Job([VariantOptions(format: .avif, maximumWidth: width)])
        try worker.send(job, source: large, outputs: [fixture.output])
        let result = try worker.next(JobResult.self)
        // A smaller one has no other format.
        #expect(result.variant?.isSource == (width == nil ? true : nil))
        #expect(result.failure?.code == (width == nil ? nil : .tooLargeForFormat))
        #expect(try FileBytes.read(fixture.output).isEmpty)
    }

    @Test func staysWithinMemoryLimit() throws {
        let fixture = try ImageFixture()
        let worker = try WorkerProcess(["--memory", "\(100 << 20)"])
        _ = try worker.next(WorkerGreeting.self)
        let job = Job([VariantOptions(format: .png, maximumWidth: nil)])
        let large = try fixture.file(Pictures.bomb(width: 9000, height: 9000))
        try worker.send(job, source: large, outputs: [fixture.output])
        #expect(try worker.next(JobResult.self).failure?.code == .outOfMemory)
        #expect(try FileBytes.read(fixture.output).isEmpty)
        // The memory is freed: the next image gives the same result as the first.
        let small = try fixture.file(Pictures.scene())
        try worker.send(job, source: small, outputs: [fixture.output])
        #expect(try worker.next(JobResult.self).variant?.width == 320)
        let other = try WorkerProcess()
        _ = try other.next(WorkerGreeting.self)
        try other.send(job, source: large, outputs: [fixture.output])
        #expect(try other.next(JobResult.self).variant?.width == 9000)
    }
}
