package import FetchCache
package import Recipes

/// What one bake is asked to do; every path in it is absolute.
package struct BakeOptions: Sendable {
    /// The folder whose documents are baked.
    package var input: String
    /// How messages name that folder; its path by default.
    package var displayName: String
    /// The folder to write a complete copy to; nil, the default, bakes in place.
    package var output: String?
    /// Whether a copy gets all hidden files, and not only those that a published site is known to need;
    /// false by default.
    package var copiesHidden = false
    /// Which images are meant, and where they go.
    package var reading = ReadingOptions()
    /// What images become.
    package var variants = VariantOptions()
    /// What it counts as that an image is not baked: an error, by default, or a warning.
    package var failureSeverity = Diagnostic.Severity.error
    /// How stored entries are used; see ``FetchRequest/Mode``.
    package var mode = FetchRequest.Mode.normal
    /// Whether URLs are tried that are remembered as failed; false by default.
    package var retryFailed = false
    /// Whether references are rewritten; true by default.
    ///
    /// If not, images are made and documents stay as they are.
    package var rewrites = true
    /// The file to write an ``ImageManifest`` to; nil, the default, writes none.
    package var manifest: String?
    /// Whether documents that are baked in place are on disk before they take the place of the old
    /// ones, so that a power failure costs none; true by default.
    package var isSynced = true
    /// What no image may use more of.
    package var limits = Limits()
    /// How long ``Bake/stop()`` waits for work that has begun; 5 s by default.
    package var stopTimeout: Duration = .seconds(5)
    /// How many images are transformed at once.
    package var workerCount: Int
    /// Whether workers are used whose sandbox cannot be closed; false by default.
    package var allowsWeakSandbox = false
    /// The path of the `imgbake-worker` executable.
    package var worker: String
    /// The cache and its limits on the network.
    package var fetching: FetchConfiguration

    package init(input: String, worker: String, workerCount: Int, fetching: FetchConfiguration) {
        self.input = input
        displayName = input
        self.worker = worker
        self.workerCount = workerCount
        self.fetching = fetching
    }

    /// Which hidden files are part of the site.
    func hiddenFiles(of site: Site) -> HiddenFiles {
        site.isInPlace ? .listed : copiesHidden ? .copied : .published
    }

    /// The root below which everything is written.
    var root: String { output ?? input }

    /// How many images are fetched or made at the same time: enough to keep all transfers and workers
    /// busy.
    var imagesInFlight: Int { max(128, 4 * fetching.maximumTransfers) }

    /// What its workers are like.
    var workers: WorkerPool.Options {
        var workers = WorkerPool.Options(size: workerCount)
        workers.memoryBytes = limits.memoryBytes
        workers.allowsWeakSandbox = allowsWeakSandbox
        return workers
    }

    /// Absolute paths, without links, of folders that are no part of the site.
    var skippedFolders: Set<String> {
        Set([output, fetching.cacheDirectory].compactMap { $0.flatMap(resolvedPath) })
    }

    /// The site, once it is sure that there is one.
    ///
    /// - Throws: ``BakeFault``.
    func site() throws(BakeFault) -> Site {
        let root = try Site.root(input, displayName: displayName)
        let outputRoot = output.flatMap(resolvedPath)
        if let outputRoot, outputRoot != root, isPath(root, within: outputRoot) {
            throw BakeFault("the output folder must not hold the input folder")
        }
        let isInPlace = output == nil || outputRoot == root
        return Site(
            root: root, displayRoot: displayName, isInPlace: isInPlace,
            reading: try reading.settled(
                in: root, displayName: displayName, isCopy: !isInPlace))
    }
}

extension Site {
    /// The path of the folder, without links.
    ///
    /// - Throws: ``BakeFault`` if there is no folder.
    static func root(_ folder: String, displayName: String) throws(BakeFault) -> String {
        guard let root = resolvedPath(folder) else {
            throw BakeFault("there is no folder \(displayName)")
        }
        guard FileStatus(root)?.kind == .folder else {
            throw BakeFault("\(displayName) is not a folder")
        }
        return root
    }
}

/// Why a bake cannot begin.
package struct BakeFault: Error, CustomStringConvertible {
    /// What is wrong and what to do, without a period.
    package var description: String

    init(_ description: String) {
        self.description = description
    }

    init(_ problem: Problem) {
        description = "\(problem.reason); \(problem.remedy)"
    }
}
