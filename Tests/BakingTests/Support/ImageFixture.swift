import FetchCache
import ImageFormats
import Recipes
import TestSupport

@testable import Baking

/// The stages of an image with a fake worker, a real cache and a real folder.
struct ImageFixture {
    let site: BakeFolder
    let worker: FakeWorker
    let options: BakeOptions
    let cache: FetchCache
    let pool: WorkerPool
    let encoder: EncoderIdentity
    let output: OutputFolder
    let tally = Tally()
    let pipeline: ImagePipeline

    /// The answer of a worker that finds nothing better than the source.
    static let unchanged =
        #"{"variant":{"_0":{"format":"gif","width":1,"height":1,"isSource":true}}}"#

    /// Takes a site and a cache that may have been used before, and starts no worker yet.
    init(
        _ site: BakeFolder, worker: FakeWorker? = nil,
        _ change: (inout BakeOptions) -> Void = { _ in }
    ) async throws {
        self.site = site
        let worker = if let worker { worker } else { try await Self.fakeWorker() }
        self.worker = worker
        options = site.options(worker: worker.path, change)
        cache = try FetchCache(options.fetching)
        pool = WorkerPool(executable: options.worker, options: options.workers)
        encoder = EncoderIdentity(
            memory: EncoderMemory(
                worker: options.worker, cache: cache, allowsWeakSandbox: false), pool: pool)
        output = try OutputFolder(options.root)
        pipeline = ImagePipeline(
            cache: cache, pool: pool, encoder: encoder, output: output, site: try options.site(),
            options: options, tally: tally)
    }

    /// A worker that notes each job and answers with these commands of the shell.
    ///
    /// It makes no variant before it is asked for one, whatever the first job of a source is.
    static func fakeWorker(
        probe: String = #"echo "$header""#, transform: String = "echo '\(unchanged)'"
    ) async throws -> FakeWorker {
        try await FakeWorker(
            """
            \(FakeWorker.greeting)
            while read -r line; do
                case "$line" in
                    *'"probe"'*) echo probe >>"$(dirname "$0")/jobs"; \(probe);;
                    *'"make"'*)
                        echo probe >>"$(dirname "$0")/jobs"
                        answer=$(\(probe)) || exit 1
                        echo "$answer" | sed -E \
                            's/^[{]"header":[{]"_0":(.*)[}][}]$/{"image":{"_0":{"header":\\1}}}/'
                        ;;
                    *) echo transform >>"$(dirname "$0")/jobs"; \(transform);;
                esac
            done
            """)
    }

    /// The outcome for an image in words: the name of its file, or the code of its problem.
    func outcome(
        _ source: ImageSource, _ options: VariantOptions = VariantOptions(),
        remembered: BakedImage? = nil
    ) async -> String {
        let request = ImageRequest(source: source, options: options)
        switch await pipeline.outcome(for: request, remembered: remembered, .normal) {
        case .baked(let image, nil): return image.fileName
        case .baked(let image, let warning?): return "\(image.fileName) (\(warning.reason))"
        case .failed(let problem): return problem.code.rawValue
        case .stopped: return "stopped"
        }
    }

    /// The names of the published images.
    var published: [String] {
        output.files(in: "imgbake").filter { $0 != ImageFolder.markName }.sorted()
    }

    func close() async {
        pool.stop()
        await pipeline.publisher.save()
        await cache.close()
    }
}

extension FakeWorker {
    /// The jobs that it was given, in their order.
    var jobs: [String] {
        ((try? folder.text("jobs")) ?? "").split(separator: "\n").map(String.init)
    }
}
