package import FetchCache
import Files
import FoundationEssentials
import ImageFormats
import Locks
import Recipes
package import Reports

/// The published site as a level of the cache.
///
/// Its last bake has written a ``SiteIndex`` into the image folder. The index is requested once, by
/// the first look-up that this machine cannot answer, or by ``prepare()``. The images are requested
/// by their names, and verified. The sources of the images are not there, except those that were
/// published as they are.
///
/// A site that cannot be used costs one warning, and the bake goes on without it.
package final class SiteLevel: CacheLevel {
    /// The URL of the image folder, with a slash at its end.
    private let folder: String
    private let downloader: FetchDownloader
    private let warn: @Sendable (Problem) -> Void
    private let state = Locked(State())

    private struct State {
        var index: Task<Tables?, Never>?
        var hasWarned = false
        var failures = 0
    }

    /// The number of failed transfers after which the site is not asked any more.
    private static let mostFailures = 3

    /// - Parameters:
    ///   - folder: The URL of the image folder, with a slash at its end.
    ///   - configuration: The configuration of its transfers, which the limits of a cache do not count.
    ///   - warn: Called at most once, with the reason why the site cannot be used.
    /// - Throws: ``FetchError/Code/storage`` if no temporary files can be written.
    package init(
        _ folder: String, _ configuration: FetchConfiguration,
        warn: @escaping @Sendable (Problem) -> Void
    ) throws(FetchError) {
        self.folder = folder
        var configuration = configuration
        // The origins have the images that a busy site does not give.
        configuration.downloader.times.longestRetryAfter = .zero
        downloader = try FetchDownloader(beside: configuration)
        self.warn = warn
    }

    /// It can only be read, and is on another machine.
    package var abilities: LevelAbilities { [] }

    /// The response of a URL; none if the index does not have it.
    package func responses(for key: String) async throws(FetchError) -> [LevelResponse] {
        guard let tables = await tables(),
            let (image, location) = tables.locations[SiteIndex.key(of: key)]
        else { return [] }
        return [
            LevelResponse(
                url: key, digest: image.source, byteCount: image.byteCount,
                mediaType: MediaType(rawValue: image.header.format.mediaType), location.validity,
                isFromPublicAddress: !location.isPrivate)
        ]
    }

    /// The header of a source or a variant that was made of it.
    package func variant(
        of source: BlobDigest, recipe: String, encoder: String
    ) async throws(FetchError) -> LevelVariant? {
        guard let tables = await tables() else { return nil }
        guard let image = tables.images[source] else { return nil }
        func variant(_ file: SiteIndex.File?, _ metadata: String) -> LevelVariant {
            LevelVariant(
                source: source, recipe: recipe, encoder: encoder,
                digest: file?.digest ?? source,
                byteCount: file?.byteCount ?? image.byteCount,
                metadata: metadata)
        }
        if recipe == HeaderStore.recipe {
            guard encoder == tables.build,
                let header = try? JSONEncoder().encode(image.header)
            else { return nil }
            return variant(nil, String(decoding: header, as: UTF8.self))
        }
        let key = SiteIndex.recipe(recipe, encoder)
        guard let file = image.files.first(where: { $0.recipe == key }),
            let made = try? JSONEncoder().encode(file.variant(isSource: file.digest == source))
        else { return nil }
        return variant(file, String(decoding: made, as: UTF8.self))
    }

    /// A published image, whose bytes are what the index says.
    package func blob(
        _ digest: BlobDigest, byteCount: Int, draft: FilePath
    ) async throws(FetchError) -> FilePath? {
        guard let (image, file) = await tables()?.files[digest], file.byteCount == byteCount,
            state.withLock({ $0.failures < Self.mostFailures })
        else { return nil }
        if let bytes = file.bytes {
            let isWritten =
                (try? OpenFile(creating: draft.string, mode: 0o600).write([UInt8](bytes))) != nil
            return isWritten ? draft : nil
        }
        let url = folder + (file.name ?? "")
        do throws(FetchError) {
            let loaded = try await downloader.download(Self.request(url), to: draft)
            let made = file.variant(isSource: file.digest == image.source)
            // Whether its recipe keeps metadata is known where it is used.
            let isAsTold =
                (try? made.check(fileAt: draft.string, of: image.header, metadata: .keep)) != nil
            if loaded.digest == digest, loaded.byteCount == byteCount, isAsTold { return draft }
            removeFile(draft.string)
            let isSame = loaded.digest == digest
            fail("\(url) \(isSame ? "is not as" : "has other bytes than") its index says")
        } catch {
            if error.code != .cancelled { fail("cannot fetch \(url): \(error.detail)", error) }
        }
        return nil
    }

    /// Ends all requests.
    package func close() async {
        downloader.refuseAll()
        // The index may have arrived, and be read from a file that the downloader removes.
        _ = await state.withLock(\.index)?.value
        await downloader.close()
    }

    // MARK: - Index

    /// The index for look-ups.
    private struct Tables: Sendable {
        var build: String
        var locations: [String: (SiteIndex.Image, SiteIndex.Location)] = [:]
        var images: [BlobDigest: SiteIndex.Image] = [:]
        var files: [BlobDigest: (SiteIndex.Image, SiteIndex.File)] = [:]

        init(_ index: SiteIndex) {
            build = index.build
            for image in index.images {
                images[image.source] = image
                for location in image.urls { locations[location.key] = (image, location) }
                for file in image.files { files[file.digest] = (image, file) }
            }
        }
    }

    /// The index; nil if it cannot be used.
    private func tables() async -> Tables? { await index().value }

    /// Requests the index, so that a later look-up need not wait as long.
    package func prepare() { _ = index() }

    private func index() -> Task<Tables?, Never> {
        state.withLock { state in
            if let task = state.index { return task }
            let task = Task { await self.load() }
            state.index = task
            return task
        }
    }

    private func load() async -> Tables? {
        let url = folder + SiteIndex.name
        let bytes: [UInt8]
        do throws(FetchError) {
            bytes = try await downloader.bytes(
                of: Self.request(url), limit: downloader.configuration.limits.bodyBytes)
        } catch {
            if error.code != .cancelled { fail("cannot fetch \(url): \(error.detail)", error) }
            return nil
        }
        do throws(SiteIndexError) {
            return Tables(try SiteIndex(reading: bytes))
        } catch {
            fail("the index \(url) is not used: \(error.reason)")
            return nil
        }
    }

    private static func request(_ url: String) -> FetchRequest {
        var request = FetchRequest(url)
        request.acceptsAnyContent = true
        request.isOptional = true
        return request
    }

    /// Tells the first failure, and gives the site up after several.
    ///
    /// Requests that wait for their turn or for an answer end at that moment.
    private func fail(_ reason: String, _ error: FetchError? = nil) {
        // A file that is missing says nothing about the others.
        let counts = error.map { $0.status.map { $0 == 429 || $0 >= 500 } ?? true } ?? false
        let (isFirst, isGivenUp) = state.withLock { state -> (Bool, Bool) in
            if counts { state.failures += 1 }
            defer { state.hasWarned = true }
            return (!state.hasWarned, counts && state.failures == Self.mostFailures)
        }
        if isFirst { warn(Problem(.siteUnusable, reason)) }
        // A request may have been allowed a moment ago, and not be under way yet.
        if isGivenUp { downloader.refuseAll() }
    }
}
