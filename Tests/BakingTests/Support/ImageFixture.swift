import FetchCache
import ImageFormats
import Recipes
import TestSupport

@testable import Baking
@testable import Pictures
@testable import Records
@testable import Reports
@testable import Sites

/// The stages of an image with a fake worker, a real cache and a real folder.
///
/// The worker ends with this object.
final class ImageFixture: Sendable {
    let site: BakeFolder
    let worker: FakeWorker
    let options: BakeOptions
    let cache: FetchManager
    let pool: WorkerPool
    let programs: ProgramIdentity
    let output: OutputFolder
    let tally = Tally()
    let pipeline: ImagePipeline

    /// Takes a site and a cache that may have been used before, and starts no worker yet.
    init(
        _ site: BakeFolder, worker: FakeWorker? = nil,
        _ change: (inout BakeOptions) -> Void = { _ in }
    ) async throws {
        self.site = site
        let worker = if let worker { worker } else { try await Self.fakeWorker() }
        self.worker = worker
        options = site.options(worker: worker.path, change)
        cache = try FetchManager(options.fetching)
        pool = WorkerPool(executable: options.worker, options: options.workers)
        programs = ProgramIdentity(options, cache, pool)
        output = try OutputFolder(options.root)
        pipeline = ImagePipeline(
            cache: cache, pool: pool, programs: programs, output: output, site: try options.site(),
            options: options.pictures, tally: tally)
    }

    deinit { pool.stop() }

    /// A worker that notes each job, as `image` or as `header` if no variant is wanted, and answers
    /// with these commands of the shell; by default with ``answers(_:_:)``.
    static func fakeWorker(_ answer: String = answers()) async throws -> FakeWorker {
        try await FakeWorker(
            """
            \(FakeWorker.greeting)
            while read -r line; do
                case "$line" in
                    *'"variants":[]'*) echo header >>"$(dirname "$0")/jobs";;
                    *) echo image >>"$(dirname "$0")/jobs";;
                esac
                \(answer)
            done
            """)
    }

    /// Commands that answer jobs as a worker does that finds nothing better than the source.
    ///
    /// - Parameters:
    ///   - header: The header of every source.
    ///   - options: The options that occur in jobs, each alone.
    /// - Returns: The commands.
    static func answers(
        _ header: ImageHeader = ImageHeader(format: .gif, width: 1, height: 1),
        _ options: [VariantOptions] = [VariantOptions(), VariantOptions(quality: 5)]
    ) -> String {
        let lines = ([[]] + options.map { [$0] }).map { variants in
            """
            *'"variants":\(canonicalText(of: variants))'*)
                echo '\(canonicalText(of: answer(header, variants)))';;
            """
        }
        return "case \"$line\" in\n" + lines.joined(separator: "\n") + "\nesac"
    }

    /// The answer to a job, in which each planned variant is the source.
    static func answer(_ header: ImageHeader, _ variants: [VariantOptions]) -> JobResult {
        let variant = JobResult.Variant(
            format: header.format, width: header.width, height: header.height, isSource: true)
        let outcomes = variants.map { options -> JobResult.Outcome in
            guard case .make(let recipe) = planVariant(of: header, options: options) else {
                return .notMade
            }
            return .made(JobResult.Made(recipe: recipe, variant: variant))
        }
        return .image(JobResult.Image(header: header, variants: outcomes))
    }

    /// The outcome for an image in words: the name of its file, or the code of its problem.
    func outcome(
        _ source: ImageLocation, _ options: VariantOptions = VariantOptions(),
        remembered: BakedImage? = nil
    ) async -> String {
        let request = ImageRequest(source: source, options: options)
        switch await pipeline.outcome(for: request, remembered: remembered) {
        case .baked(let image, nil): return image.fileName
        case .baked(let image, let warning?): return "\(image.fileName) (\(warning.reason))"
        case .failed(let problem): return problem.code.rawValue
        case .stopped: return "stopped"
        }
    }

    /// The names of the published images.
    var published: [String] {
        output.files(in: "imgbake").filter { !$0.hasPrefix(".") }.sorted()
    }

    /// Writes what the next fixture of the same folder finds.
    func close() async {
        pool.stop()
        try? await pipeline.publisher.save()
        await cache.close()
    }
}

extension FakeWorker {
    /// The jobs that it was given, in their order.
    var jobs: [String] {
        ((try? folder.text("jobs")) ?? "").split(separator: "\n").map(String.init)
    }
}
