import FetchCache
import Files
import Pages
import Pictures
import Reports
import Sites

/// Makes the parts of a bake from its options: the cache with its levels, and the baker of documents.
struct BakeSetup {
    let options: BakeOptions
    let tally: Tally

    /// The cache without levels of other machines.
    func openCache() throws(BakeError) -> FetchManager {
        var fetching = options.fetching
        fetching.refuseImages(over: options.limits)
        // A bake keeps the images that it has loaded itself, so few entries are enough.
        fetching.memory.maximumCount = min(fetching.memory.maximumCount, 512)
        do throws(FetchError) {
            return try FetchManager(fetching)
        } catch {
            throw BakeError(error.problem)
        }
    }

    /// The workers that make images; `warn` is called if their sandbox is incomplete.
    func pool(warn: @escaping @Sendable (Diagnostic) -> Void) -> WorkerPool {
        WorkerPool(executable: options.worker, options: options.workers) { gaps in
            let reason = "images are decoded in a weaker sandbox; missing: \(gaps)"
            warn(Diagnostic(Problem(.weakSandbox, reason), .warning))
        }
    }

    /// Makes the published site a level of the cache, if that is wanted.
    ///
    /// - Returns: The level; nil if there is none.
    func addSite(
        _ site: Site, to cache: FetchManager, _ log: DiagnosticLog
    ) throws(BakeError) -> SiteLevel? {
        guard options.usesOtherMachines, let address = options.publishedSite else { return nil }
        let warn: @Sendable (Problem) -> Void = { log.add([Diagnostic($0, .warning)]) }
        guard let folder = site.reading.imageURL(at: address) else {
            warn(
                Problem(
                    .siteUnusable, "the URL of the image folder is not known",
                    remedy: "give it with --public-path"))
            return nil
        }
        do throws(FetchError) {
            let level = try SiteLevel(folder, cache.configuration, warn: warn)
            try cache.add(level)
            return level
        } catch {
            throw BakeError(error.problem)
        }
    }

    /// Makes the remote store a level of the cache, if that is wanted.
    ///
    /// - Returns: The level; nil if there is none.
    func addRemote(
        to cache: FetchManager, _ log: DiagnosticLog
    ) throws(BakeError) -> RemoteLevel? {
        guard options.usesOtherMachines, let store = options.remote else { return nil }
        return try store.add(to: cache, options.fetching) { log.add([Diagnostic($0, .warning)]) }
    }

    /// The baker of the site's documents, whose output folder is marked.
    func baker(
        of site: Site, cache: FetchManager, pool: WorkerPool, _ mark: OutputMark?
    ) async throws(BakeError) -> DocumentBaker {
        var baker = try documentBaker(site: site, cache: cache, pool: pool)
        do throws(FileError) {
            mark?.obstacles.remove()
            try mark?.write(in: baker.output)
        } catch {
            throw BakeError(error.problem)
        }
        if options.keepsState { baker.state = await state(of: site, baker) }
        return baker
    }

    private func state(of site: Site, _ baker: DocumentBaker) async -> BuildState {
        let key = ResultKeys(options).site(
            site, at: baker.output.root, options.variants)
        // Without its lists, each image must be looked at to write them.
        let hasIndex = await baker.images.index?.isComplete() ?? true
        let folder = baker.output.path(site.reading.imageDirectory)
        return await BuildState(
            key: key, of: baker,
            isTrusted: options.mode != .refresh && hasIndex
                && !ImageFileList.isMissing(inFolder: folder),
            now: options.fetching.now)
    }

    /// The baker of the site's documents, without a mark and a state of earlier bakes.
    func documentBaker(
        site: Site, cache: FetchManager, pool: WorkerPool
    ) throws(BakeError) -> DocumentBaker {
        let output: OutputFolder
        do throws(FileError) {
            output = try OutputFolder(options.root, and: site.reading.otherFolder(of: options.root))
        } catch {
            throw BakeError(error.problem)
        }
        return DocumentBaker(
            site: site, output: output, options: options,
            images: images(of: site, cache: cache, pool: pool, output: output),
            documents: DocumentStore(cache: cache),
            placeholders: options.failures.hasPlaceholders && !site.isInPlace && options.rewrites
                ? options.failures : nil,
            isSynced: site.isInPlace && options.isSynced,
            optionsKey: ResultKeys(options).documents(
                site.reading, options.variants, isInPlace: site.isInPlace),
            rewrites: options.rewrites && options.publishes,
            collector: options.collectsUses ? ManifestCollector() : nil,
            origins: options.origins(of: site, output: output))
    }

    /// The images and other files of a site.
    func images(
        of site: Site, cache: FetchManager, pool: WorkerPool, output: OutputFolder
    ) -> SharedImages {
        let pipeline = ImagePipeline(
            cache: cache, pool: pool, programs: ProgramIdentity(options, cache, pool),
            output: output, site: site, options: options.pictures, tally: tally)
        var styles = StyleOptions()
        (styles.variants, styles.urls) = (options.variants, site.reading.urls)
        styles.sizes = site.reading.styles
        return SharedImages(pipeline, limit: options.imagesInFlight, styles: styles)
    }
}

extension SharedImages {
    /// Counts images that no document had to ask for, because nothing has changed.
    func countUnasked(in state: BuildState) {
        let images = state.unasked
        if images.isEmpty { return }
        let asked = BuildState.requests(of: outcomes.keys)
        for image in images where image.isSmaller != true && !asked.contains(image.request) {
            pipeline.tally.add(
                image.url, before: image.sourceByteCount, after: image.byteCount,
                quality: image.quality)
            pipeline.tally.count(image.url, as: image.source == nil ? \.cached : \.local)
        }
    }

    /// The URLs of the images of other hosts that documents name.
    func remoteURLs(unasked images: [StateImage]) -> Set<String> {
        let urls = outcomes.keys.map(\.source.key) + images.map(\.url)
        return Set(urls.filter { ImageLocation(key: $0) == .remote($0) })
    }
}
