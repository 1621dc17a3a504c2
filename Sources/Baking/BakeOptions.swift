package import FetchCache
import Files
package import Pages
package import Pictures
package import Recipes
package import Records
package import Reports
package import Sites

/// The options of one bake.
///
/// All paths are absolute.
package struct BakeOptions: Sendable {
    /// The folder whose documents are baked.
    package var input: String
    /// The name of the input folder in messages; its path by default.
    package var displayName: String
    /// The folder for a complete copy of the site; nil, the default, bakes in place.
    package var output: String?
    /// Whether files of the output folder that no bake has written may be replaced; false by
    /// default.
    package var replacesOtherFiles = false
    /// Whether a copy gets all hidden files, or only those that a published site is known to need;
    /// false by default.
    package var copiesHidden = false
    /// Options that select the images and say where they are written.
    package var reading = ReadingOptions()
    /// Options for the variants that are made of the images.
    package var variants = VariantOptions()
    /// What to do about images that cannot be baked; by default, they are errors.
    ///
    /// A bake in place draws no placeholders, because the URL of the image would be lost.
    package var failures = FailurePolicy()
    /// The failures that are known, and no errors; nil, the default, for none.
    package var baseline: Baseline?
    /// The largest sizes of images; any by default.
    package var budget = Budget()
    /// How stored entries are used; see ``FetchRequest/Mode``.
    package var mode = FetchRequest.Mode.normal
    /// False if only the servers of images are not asked.
    ///
    /// The published site and the remote store are used then although the mode is offline.
    package var asksOrigins = true
    /// Whether to retry URLs that failed in an earlier run; false by default.
    package var retryFailed = false
    /// Whether references are rewritten; true by default.
    ///
    /// If not, images are made and documents stay as they are.
    package var rewrites = true
    /// Whether images are written to the site; true by default.
    ///
    /// If not, variants are made in the cache only. Documents then stay as they are.
    package var publishes = true
    /// The file to write an ``ImageManifest`` to; nil, the default, writes none.
    package var manifest: String?
    /// Where the last bake is published, whose images are used; nil, the default, for nowhere.
    ///
    /// The image folder then gets a ``SiteIndex`` for the next bake.
    package var publishedSite: SiteAddress?
    /// The store that machines share; nil, the default, for none.
    package var remote: RemoteStore?
    /// What ``Bake/report`` tells; nothing by default.
    package var report = BakeReport.Detail.nothing
    /// The part of the site that is baked; all of it by default.
    package var selection = DocumentSelection()
    /// After which time, in seconds, files are removed that nothing names any more; nil, the default,
    /// for never.
    package var pruneAfter: Int64?
    /// The images that URLs must give; nil, the default, for any.
    package var lock: Lockfile?
    /// Whether documents that are baked in place are flushed to disk before they replace the old
    /// ones, so that a power failure loses none; true by default.
    package var isSynced = true
    /// Upper limits for each image.
    package var limits = Limits()
    /// The settings that the user gave, for the keys of stored results; none by default.
    package var given = GivenSettings()
    /// The number of images that are transformed at the same time.
    package var workerCount: Int
    /// The memory of all workers together, in bytes; half of the machine's by default.
    ///
    /// An image that needs more is transformed while no other one is.
    package var memoryBudget = MachineMemory.workerBudget
    /// Whether to use workers whose sandbox is incomplete; false by default.
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

    /// The mark of the output folder, after a check that the bake may write `files` there.
    ///
    /// - Parameters:
    ///   - files: The files of the part that is baked.
    ///   - all: All files of the site.
    ///   - site: The site.
    /// - Returns: The mark; nil if the bake is in place.
    /// - Throws: ``BakeError``; `CancellationError`.
    func outputMark(
        for files: [SiteFile], of all: [SiteFile], in site: Site
    ) async throws -> OutputMark? {
        guard let output, publishes else { return nil }
        var part: OutputMark.Part?
        if let shard = selection.shard {
            part = (shard, try await ResultKeys(self).input(all, of: site))
        }
        let leftOut = SiteLink.leftOut(of: files, in: site)
        let mark = OutputMark(of: output, files: files, leftOut: leftOut, part: part)
        if selection.changes != nil, !mark.exists {
            throw BakeError(
                "with '--changed-since', the output folder \(output) needs an earlier bake, which has "
                    + "the other documents; bake once without it")
        }
        if !replacesOtherFiles { try mark.check() }
        return mark
    }

    /// Whether the whole site is baked.
    var isWhole: Bool { reading.documents.only == nil && !selection.isPartial }

    /// Whether a ``SiteIndex`` is written: a later bake looks for it, and it stands for the whole
    /// site.
    var writesSiteIndex: Bool { publishedSite != nil && publishes && isWhole }

    /// Whether levels of other machines are used.
    var usesOtherMachines: Bool {
        (publishedSite != nil || remote != nil) && (mode != .offline || !asksOrigins)
    }

    /// What the settings make of the messages of a bake.
    var messagePolicy: MessagePolicy {
        MessagePolicy(
            ignoredCodes: reading.ignoredCodes, site: displayName, failures: failures,
            baseline: baseline)
    }

    /// A message of a bake as the settings want it; nil for none.
    package func judged(_ diagnostic: Diagnostic) -> Diagnostic? {
        messagePolicy.judged(diagnostic)
    }

    /// The hidden files that are part of the site.
    func hiddenFiles(of site: Site) -> HiddenFiles {
        site.isInPlace || copiesHidden ? .all : .published
    }

    /// The root of everything that is written.
    var root: String { output ?? input }

    /// The number of images that are fetched or made at the same time: enough to keep all transfers
    /// and workers busy.
    var imagesInFlight: Int { max(128, 4 * fetching.downloader.limits.transfers) }

    /// Whether the places of all images are collected, for a manifest or a report.
    var collectsUses: Bool { manifest != nil || report != .nothing }

    /// Whether documents that have not changed are left alone: each must be read for the places of its
    /// images, and none is complete if it is not written.
    var keepsState: Bool {
        rewrites && publishes && !collectsUses && selection.changes == nil
    }

    /// Finds what nothing names any more; nil if nothing is to be removed.
    func pruning(of site: Site, in output: String, _ mark: OutputMark?) -> SitePruning? {
        guard let pruneAfter, isWhole else { return nil }
        let other = site.reading.otherFolder(of: root).flatMap(resolvedPath)
        return SitePruning(
            site: site, root: output, other: other, mark: mark, skipped: caches,
            grace: pruneAfter, now: fetching.now() / 1000)
    }

    /// The options of the images.
    var pictures: PictureOptions {
        PictureOptions(
            mode: mode, retryFailed: retryFailed, usesOtherMachines: usesOtherMachines,
            failureLifetime: fetching.policy.failureLifetime.components.seconds, lock: lock,
            limits: limits, publishes: publishes, writesIndex: writesSiteIndex,
            shard: selection.shard, keys: ResultKeys(self))
    }

    /// The options of the worker pool.
    var workers: WorkerPool.Options {
        var workers = WorkerPool.Options(size: workerCount)
        workers.memoryBytes = limits.memoryBytes
        workers.memoryBudget = memoryBudget
        workers.allowsWeakSandbox = allowsWeakSandbox
        return workers
    }

    /// Absolute paths, without links, of folders that are not part of the site.
    var skippedFolders: Set<String> {
        caches.union([output.flatMap(resolvedPath)].compactMap(\.self))
    }

    /// Absolute paths, without links, of the folders of the cache that exist.
    private var caches: Set<String> {
        Set(fetching.folder.all.compactMap { resolvedPath($0.string) })
    }

    /// The site, after a check that its folder exists.
    ///
    /// - Throws: ``BakeError``.
    func site() throws(BakeError) -> Site {
        let root = try Site.root(input, displayName: displayName)
        if let outputRoot = output.flatMap(resolvedPath), isPath(root, within: outputRoot) {
            throw BakeError(
                outputRoot == root
                    ? "the output folder is the site itself; leave out '-o' to bake in place"
                    : "the output folder must not contain the input folder")
        }
        return try Site(
            at: root, displayName: displayName, reading: reading, isInPlace: output == nil)
    }
}

extension ResultKeys {
    /// The keys of the results of a bake.
    package init(_ options: BakeOptions) {
        self.init(
            given: options.given, limits: options.limits, lockfile: options.lock?.digest,
            shard: options.selection.shard?.name)
    }
}

extension ProgramIdentity {
    /// The identity of the programs of a bake.
    init(_ options: BakeOptions, _ cache: FetchManager, _ pool: WorkerPool) {
        self.init(
            worker: options.worker, cache, pool,
            allowsWeakSandbox: options.allowsWeakSandbox)
    }
}

/// Does work with a cache, and closes it.
package func closing<Success>(
    _ cache: FetchManager?, after work: () async throws -> Success
) async throws -> Success {
    let result: Result<Success, any Error>
    do {
        result = .success(try await work())
    } catch {
        result = .failure(error)
    }
    await cache?.close()
    return try result.get()
}

extension FetchConfiguration {
    /// The cache, if it exists; for runs that create none.
    ///
    /// - Parameter limits: Images over these limits count as refused; nil for none.
    /// - Returns: The cache.
    package func existingCache(refusingOver limits: Limits? = nil) -> FetchManager? {
        guard FileStatus(folder.path.string, followingLinks: true) != nil else { return nil }
        var configuration = self
        configuration.policy.cleansByItself = false
        if let limits { configuration.refuseImages(over: limits) }
        return try? FetchManager(configuration)
    }
}
