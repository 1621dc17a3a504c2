package import FetchCache
import Files
import HTTPTypes
import Locks
package import Records
import Reports
package import Sites

/// The stage that loads an image: its bytes, from the cache, from its server or from the site.
package struct ImageLoader: Sendable {
    package let cache: FetchManager
    private let local: LocalImages
    private let options: PictureOptions
    /// The size of the largest video or audio file in bytes.
    private let mediaLimit: Int
    /// By cache key.
    ///
    /// An image with several variants is loaded once.
    private let loads = KeptValues<String, Result<LoadedImage, any Error>>()
    /// The times until which loaded images are fresh, by cache key.
    private let expiries = Locked<[String: Int64]>([:])

    package init(cache: FetchManager, site: Site, options: PictureOptions) {
        self.cache = cache
        local = LocalImages(root: site.root, cache: cache)
        self.options = options
        mediaLimit = site.reading.others.mediaLimit
    }

    /// The image at a source.
    ///
    /// - Parameters:
    ///   - source: The source.
    ///   - flight: The work that needs the image, whose priority counts; nil for a normal one.
    ///   - needsBytes: Whether the bytes must be on this machine.
    ///   - kind: What the file is.
    /// - Returns: The image.
    /// - Throws: ``FetchError``; ``Problem`` for a local image that does not exist and for one that is
    ///   not as it is locked; ``FileError``.
    package func load(
        _ source: ImageLocation, for flight: Flight? = nil, needsBytes: Bool = true,
        as kind: FileKind = .image
    ) async throws -> LoadedImage {
        let url: String
        switch source {
        case .local(let path): return try await local.image(at: path)
        case .remote(let remote): url = remote
        }
        if kind != .image { return try await other(url, kind, flight) }
        // The bytes may stay on another machine until they are needed.
        let image = try await shared(
            request(url, acceptsAbsent: options.usesOtherMachines), as: url, flight)
        if image.hasBytes || !needsBytes { return image }
        return try await shared(
            request(url, acceptsAbsent: false), as: url + " bytes", flight)
    }

    /// A file that is no image.
    private func other(
        _ url: String, _ kind: FileKind, _ flight: Flight?
    ) async throws -> LoadedImage {
        var request = request(url, acceptsAbsent: false)
        request.acceptsAnyContent = true
        if kind == .media { request.bodyLimit = mediaLimit }
        if kind == .style {
            request.headers[.accept] = "text/css,*/*;q=0.1"
            request.headers[.userAgent] = Self.browser
        }
        return try await shared(request, as: "\(url) \(kind.rawValue)", flight)
    }

    /// The name of a browser that reads all that CSS has: services of fonts give others less.
    private static let browser =
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
        + "Chrome/140.0.0.0 Safari/537.36"

    /// The image that a server sends now instead of a stored one that cannot be decoded, whose bytes
    /// may have been cut by a connection that broke; nil if it is the same one, or there is none.
    func replacement(
        for image: LoadedImage, of source: ImageLocation, for flight: Flight?
    ) async -> LoadedImage? {
        guard case .remote(let url) = source, image.origin != .fetched,
            options.lock == nil || options.lock?.record != nil, options.mode != .offline
        else { return nil }
        var request = request(url, acceptsAbsent: false)
        // The server would confirm what it has not sent.
        request.mode = .reload
        let new = try? await shared(request, as: url + " again", flight)
        return new?.digest == image.digest ? nil : new
    }

    /// Loads an image once for all callers.
    private func shared(
        _ request: FetchRequest, as key: String, _ flight: Flight?
    ) async throws -> LoadedImage {
        try await loads.value(for: key, as: Flight.Caller(for: flight)) { load in
            var request = request
            request.flight = load
            do {
                let image = try await remoteImage(request)
                expiries.withLock { $0[request.url] = image.freshUntil }
                return .success(image)
            } catch {
                return .failure(error)
            }
        }.get()
    }

    private func remoteImage(_ request: FetchRequest) async throws -> LoadedImage {
        var image =
            if let lock = options.lock {
                try await lock.image(request, from: cache)
            } else {
                LoadedImage(try await cache.load(request))
            }
        if !options.writesIndex { image.response = nil }
        return image
    }

    /// The time until which no server need be asked about an image that was loaded, in milliseconds
    /// since 1970; nil for another.
    package func freshUntil(_ url: String) -> Int64? { expiries.withLock { $0[url] } }

    /// The status that the file of an image of the site had before it was read; nil if it was not
    /// read, or had changed in the same tick.
    package func mark(ofLocal path: String) -> FileMark? { local.mark(of: path) }

    private func request(_ url: String, acceptsAbsent: Bool) -> FetchRequest {
        var request = FetchRequest(url, mode: options.mode)
        request.retryFailed = options.retryFailed
        request.acceptsAbsentBody = acceptsAbsent
        return request
    }

    /// A copy of a local image that no other program changes; nil for an image of another host.
    func snapshot(of source: ImageLocation) throws -> LoadedImage? {
        guard case .local(let path) = source else { return nil }
        return try local.snapshot(of: path)
    }

    /// Records that an image could be made from a source.
    func confirm(_ image: LoadedImage, of source: ImageLocation) {
        guard case .remote(let url) = source, !image.isConfirmed, !image.isNoStore, image.hasBytes
        else { return }
        try? cache.confirm(image.digest, of: FetchRequest(url))
    }

    /// The image that a source had before this one, which cannot be decoded; nil if there is none.
    func previous(
        to image: LoadedImage, of source: ImageLocation, because problem: Problem
    ) async throws -> LoadedImage? {
        guard case .remote(let url) = source, options.lock == nil, !image.isNoStore else {
            return nil
        }
        return try await cache.reject(
            image.digest, of: FetchRequest(url), because: problem.reason
        ).map(LoadedImage.init)
    }

    /// Forgets the image, so that the next request loads it again.
    func forget(_ source: ImageLocation) {
        loads.forget(source.key)
        for name in ["bytes", "again"] + FileKind.allCases.map(\.rawValue) {
            loads.forget("\(source.key) \(name)")
        }
    }

    /// Forgets all images, so that the next requests load them again.
    func forgetAll() { loads.forgetAll() }

    /// Cancels the running loads.
    func stop() { loads.stop() }
}
