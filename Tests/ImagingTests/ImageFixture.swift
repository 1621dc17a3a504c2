import FoundationEssentials
import Glibc
import ImageFormats
import Recipes
import TestSupport
import Testing

@testable import Imaging

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

    /// The paths of the outputs of several variants, the first of which is ``output``.
    func outputs(_ count: Int) -> [String] {
        let first = output
        return (0..<count).map { $0 == 0 ? first : "\(first)\($0)" }
    }

    /// The answer to a job without variants.
    func inspect(_ bytes: [UInt8], limits: Limits = Limits()) throws -> JobResult {
        try answer(to: Job(limits: limits), bytes)
    }

    /// The answer to a job whose plan is this recipe.
    func transform(
        _ bytes: [UInt8], _ recipe: Recipe, limits: Limits = Limits()
    ) throws -> JobResult {
        try answer(by: [.make(recipe)], bytes, limits: limits)
    }

    /// The answer to a job with these plans, which no options need to give.
    func answer(
        by plans: [VariantPlan], _ bytes: [UInt8], limits: Limits = Limits()
    ) throws -> JobResult {
        try withFiles(bytes, count: plans.count) { processor, source, outputs in
            processor.answer(within: limits, source: source, outputs: outputs) { _ in plans }
        }
    }

    /// The answer to a job, with an output for each variant.
    func answer(to job: Job, _ bytes: [UInt8]) throws -> JobResult {
        try withFiles(bytes, count: job.variants.count) { processor, source, outputs in
            processor.answer(to: job, source: source, outputs: outputs)
        }
    }

    private func withFiles(
        _ bytes: [UInt8], count: Int, _ body: (ImageProcessor, Int32, [Int32]) -> JobResult
    ) throws -> JobResult {
        let source = try OpenFile(try file(bytes), O_RDONLY)
        let paths = outputs(count)
        let outputs = paths.map { open($0, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644) }
        defer {
            for (path, descriptor) in zip(paths, outputs) {
                // Like the command, remove an output to which nothing was written.
                if lseek(descriptor, 0, SEEK_END) == 0 { unlink(path) }
                close(descriptor)
            }
        }
        return body(processor, source.descriptor, outputs)
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
    var image: Image? { if case .image(let image) = self { image } else { nil } }
    var header: ImageHeader? { image?.header }
    /// The first variant.
    var variant: Variant? { image?.variants.first?.made?.variant }
    /// The failure of the job, or of its first variant.
    var failure: JobError? {
        switch self {
        case .failure(let failure): failure
        case .image(let image):
            if case .failure(let failure) = image.variants.first { failure } else { nil }
        }
    }
}

extension JobResult.Outcome {
    var made: JobResult.Made? { if case .made(let made) = self { made } else { nil } }
}

/// The header that a worker reads in `bytes`.
func header(of bytes: [UInt8]) throws -> ImageHeader {
    let fixture = try ImageFixture()
    let answer = try fixture.inspect(bytes)
    return try #require(answer.header, "\(answer)")
}

/// The reason why the header of `bytes` cannot be read.
func jobError(of bytes: [UInt8], limits: Limits = Limits()) throws -> JobResult.JobError {
    let fixture = try ImageFixture()
    let answer = try fixture.inspect(bytes, limits: limits)
    return try #require(answer.failure, "\(answer)")
}

/// The variant of a recipe and its bytes.
func variant(
    of bytes: [UInt8], _ recipe: Recipe
) throws -> (answer: JobResult.Variant, bytes: [UInt8]) {
    let fixture = try ImageFixture()
    return try variant(of: bytes, fixture, fixture.transform(bytes, recipe))
}

/// The variant that the options give and its bytes.
func variant(
    of bytes: [UInt8], _ options: VariantOptions
) throws -> (answer: JobResult.Variant, bytes: [UInt8]) {
    let fixture = try ImageFixture()
    return try variant(of: bytes, fixture, fixture.answer(to: Job([options]), bytes))
}

private func variant(
    of bytes: [UInt8], _ fixture: borrowing ImageFixture, _ answer: JobResult
) throws -> (answer: JobResult.Variant, bytes: [UInt8]) {
    let variant = try #require(answer.variant, "\(answer)")
    if variant.isSource {
        #expect(!fixture.namesOfFiles.contains("output"))
        return (variant, bytes)
    }
    return (variant, try FileBytes.read(fixture.output))
}

/// The reason why a transform of `bytes` fails; checks that it leaves no file.
func jobError(of bytes: [UInt8], _ recipe: Recipe) throws -> JobResult.JobError {
    let fixture = try ImageFixture()
    let answer = try fixture.transform(bytes, recipe)
    #expect(fixture.namesOfFiles.count == 1, "a file was left behind")
    return try #require(answer.failure, "\(answer)")
}

/// A short way to create a recipe.
func recipe(
    _ format: ImageFormat, _ quality: Quality? = nil, width: Int? = nil,
    or alternative: Recipe.Alternative = .none, metadata: Recipe.Metadata? = nil
) -> Recipe {
    let quality = quality ?? (format == .png || format == .gif ? nil : 80)
    return Recipe(
        width: width, encoding: Recipe.Encoding(format: format, quality: quality),
        alternative: alternative, metadata: metadata)
}

/// The result of a worker in its sandbox.
func variantByWorker(of bytes: [UInt8], _ options: VariantOptions) throws -> [UInt8] {
    let fixture = try ImageFixture()
    let worker = try WorkerProcess()
    _ = try worker.next(WorkerGreeting.self)
    let source = try fixture.file(bytes)
    try worker.send(Job([options]), source: source, outputs: [fixture.output])
    let answer = try worker.next(JobResult.self)
    _ = try #require(answer.variant, "\(answer)")
    return try FileBytes.read(fixture.output)
}
