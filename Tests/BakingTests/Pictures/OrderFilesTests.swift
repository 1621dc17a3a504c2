import Files
import Glibc
import ImageFormats
import Recipes
import SystemPackage
import TestSupport
import Testing

@testable import Baking
@testable import Pictures

/// The access of a compromised worker to the files of a job.
@Suite(.timeLimit(.minutes(10))) struct OrderFilesTests {
    private let folder: TemporaryDirectory
    private let order: WorkerPool.Order

    init() throws {
        folder = try TemporaryDirectory()
        try folder.write("source", to: "source")
        order = .init(
            job: Job([VariantOptions(), VariantOptions(format: .png)]),
            source: folder.path("source"),
            outputs: [folder.path("output"), folder.path("other")])
    }

    @Test func sourceIsReadOnly() throws {
        let files = try OrderFiles(order)
        let source = files.descriptors[0]
        #expect(write(source, "x", 1) == -1)
        #expect(ftruncate(source, 0) == -1)
        #expect(try folder.text("source") == "source")
    }

    @Test func workerCannotChangeSavedOutput() throws {
        let files = try OrderFiles(order)
        let output = files.descriptors[1]
        // The worker's own descriptor, which outlives the job.
        let kept = dup(output)
        defer { close(kept) }
        #expect(write(kept, "variant", 7) == 7)
        #expect(files.byteCount(ofOutput: 0) == 7)
        #expect(!folder.exists("output"))
        try files.save(output: 0, to: folder.path("output"))
        #expect(try folder.text("output") == "variant")
        #expect(pwrite(kept, "hostile", 7, 0) == -1)
        #expect(ftruncate(kept, 1 << 20) == -1)
        #expect(files.byteCount(ofOutput: 0) == 0)
        #expect(try folder.text("output") == "variant")
    }

    @Test func eachVariantHasAFileOfItsOwn() throws {
        let files = try OrderFiles(order)
        #expect(files.descriptors.count == 3)
        #expect(write(files.descriptors[1], "one", 3) == 3)
        #expect(write(files.descriptors[2], "another", 7) == 7)
        #expect(files.byteCount(ofOutput: 0) == 3 && files.byteCount(ofOutput: 1) == 7)
        try files.save(output: 1, to: folder.path("other"))
        #expect(try folder.text("other") == "another")
        #expect(files.byteCount(ofOutput: 0) == 3)
        try files.save(output: 0, to: folder.path("output"))
        #expect(try folder.text("output") == "one")
    }

    @Test func doesNotOverwriteExistingOutput() throws {
        try folder.write("other", to: "output")
        let files = try OrderFiles(order)
        #expect(write(files.descriptors[1], "variant", 7) == 7)
        #expect(throws: FileError("write", folder.path("output"), code: .fileExists)) {
            try files.save(output: 0, to: folder.path("output"))
        }
        #expect(try folder.text("output") == "other")
    }
}
