import FoundationEssentials
import Glibc
import ImageFormats
import Imaging
import Recipes
import TestSupport
import Testing

/// A temporary folder and an image processor that runs jobs in the process of the test.
struct ImageFixture: ~Copyable {
    let folder: String
    private let processor: ImageProcessor

    init() throws {
        folder =
            FileManager.default.temporaryDirectory
            .appending(path: "imgbake-fixture-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        processor = try ImageProcessor()
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    var output: String { "\(folder)/output" }

    /// The path of a file with `bytes`, whose name does not show the format.
    func file(_ bytes: [UInt8]) throws -> String {
        let path = "\(folder)/\(UUID().uuidString)"
        try FileBytes.write(bytes, to: path)
        return path
    }

    func probe(_ bytes: [UInt8], limits: Limits = Limits()) throws -> JobResult {
        let source = try OpenFile(try file(bytes), O_RDONLY)
        return processor.answer(to: Job(.probe, limits: limits), source: source.descriptor)
    }

    func transform(
        _ bytes: [UInt8], _ recipe: Recipe, limits: Limits = Limits()
    ) throws -> JobResult {
        try answer(to: Job(.transform(recipe), limits: limits), bytes)
    }

    /// The answer to a job with an output.
    func answer(to job: Job, _ bytes: [UInt8]) throws -> JobResult {
        let source = try OpenFile(try file(bytes), O_RDONLY)
        let target = try OpenFile(output, O_RDWR | O_CREAT | O_TRUNC)
        // Like the command, remove an output to which nothing was written.
        defer { if lseek(target.descriptor, 0, SEEK_END) == 0 { unlink(output) } }
        return processor.answer(
            to: job, source: source.descriptor, output: target.descriptor)
    }

    var namesOfFiles: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }
}

/// A file that is open as long as this value.
struct OpenFile: ~Copyable {
    let descriptor: Int32

    init(_ path: String, _ flags: Int32) throws {
        descriptor = open(path, flags | O_CLOEXEC, 0o644)
        try #require(descriptor >= 0, "\(path)")
    }

    deinit { close(descriptor) }
}

extension JobResult {
    var header: ImageHeader? { if case .header(let header) = self { header } else { nil } }
    var variant: Variant? { if case .variant(let variant) = self { variant } else { nil } }
    var failure: Failure? { if case .failure(let failure) = self { failure } else { nil } }
}

/// The header that a probe of `bytes` gives.
func header(of bytes: [UInt8]) throws -> ImageHeader {
    let fixture = try ImageFixture()
    let answer = try fixture.probe(bytes)
    return try #require(answer.header, "\(answer)")
}

/// The reason why a probe of `bytes` fails.
func refusal(of bytes: [UInt8], limits: Limits = Limits()) throws -> JobResult.Failure {
    let fixture = try ImageFixture()
    let answer = try fixture.probe(bytes, limits: limits)
    return try #require(answer.failure, "\(answer)")
}

/// The answer to a transform and the bytes of its output.
func variant(
    of bytes: [UInt8], _ recipe: Recipe
) throws -> (answer: JobResult.Variant, bytes: [UInt8]) {
    let fixture = try ImageFixture()
    let answer = try fixture.transform(bytes, recipe)
    let variant = try #require(answer.variant, "\(answer)")
    if variant.isSource {
        #expect(!fixture.namesOfFiles.contains("output"))
        return (variant, bytes)
    }
    return (variant, try FileBytes.read(fixture.output))
}

/// The reason why a transform of `bytes` fails; checks that it leaves no file.
func refusal(of bytes: [UInt8], _ recipe: Recipe) throws -> JobResult.Failure {
    let fixture = try ImageFixture()
    let answer = try fixture.transform(bytes, recipe)
    #expect(fixture.namesOfFiles.count == 1, "a file was left behind")
    return try #require(answer.failure, "\(answer)")
}

/// A short way to create a recipe.
func recipe(
    _ format: ImageFormat, _ quality: Int? = nil, width: Int? = nil,
    or alternative: Recipe.Alternative = .none, metadata: Recipe.Metadata? = nil,
    colour: Recipe.Colour? = nil
) -> Recipe {
    let quality = quality ?? (format == .png || format == .gif ? nil : 80)
    return Recipe(
        width: width, encoding: Recipe.Encoding(format: format, quality: quality),
        alternative: alternative, metadata: metadata, colour: colour)
}

/// The result of a worker in its sandbox.
func variantByWorker(of bytes: [UInt8], _ recipe: Recipe) throws -> [UInt8] {
    let fixture = try ImageFixture()
    let worker = try WorkerProcess()
    _ = try worker.next(WorkerGreeting.self)
    let source = try fixture.file(bytes)
    try worker.send(Job(.transform(recipe)), source: source, output: fixture.output)
    let answer = try worker.next(JobResult.self)
    _ = try #require(answer.variant, "\(answer)")
    return try FileBytes.read(fixture.output)
}
