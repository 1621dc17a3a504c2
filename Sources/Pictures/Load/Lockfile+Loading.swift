package import FetchCache
package import Reports
import Secrets

extension Lockfile {
    /// The image that is locked for a URL; nil for none.
    package func image(of url: String) -> Image? { images[lockedURL(url)] }

    /// Loads the locked image of a URL: from the cache if its bytes are there, else from its server.
    ///
    /// - Throws: ``Problem`` if none is locked or the URL gives another one; ``FetchError``.
    func image(_ request: FetchRequest, from cache: FetchManager) async throws -> LoadedImage {
        guard let locked = image(of: request.url) else { throw Problem.notLocked }
        if let stored = try await stored(locked, request, in: cache) { return stored }
        var request = request
        var resource = try await cache.load(request)
        if resource.digest.hex != locked.sha256, resource.origin != .network,
            request.mode != .offline
        {
            // A server would confirm the image that the cache has.
            request.mode = .reload
            resource = try await cache.load(request)
        }
        if resource.digest.hex == locked.sha256 { return LoadedImage(resource) }
        // Which image arrives first must not matter.
        for other in images.values.sorted(by: { $0.url < $1.url })
        where other.sha256 == locked.sha256 && other.url != locked.url {
            let again = try? await cache.load(FetchRequest(other.url, mode: request.mode))
            if let again, again.digest.hex == locked.sha256 { return LoadedImage(again) }
        }
        guard resource.origin == .network else {
            let failure = resource.gone?.reason ?? resource.warning
            throw Problem(
                .notInCache,
                "the cache has another image than the locked one"
                    + (failure.map { ", and its server does not give it: \($0)" } ?? ""),
                remedy: failure.map { _ in "run again when the server answers" })
        }
        throw Problem(
            .lockedImageChanged,
            "the image is not the one that is locked: \(Image(resource).shortFacts) "
                + "instead of \(locked.shortFacts)")
    }

    /// The locked image, if it is in the cache: for its URL, or for another one, such as the same URL
    /// with another signature.
    ///
    /// - Throws: ``FetchError`` if a limit or a policy forbids it.
    package func stored(
        _ locked: Image, _ request: FetchRequest, in cache: FetchManager
    ) async throws(FetchError) -> LoadedImage? {
        var offline = request
        offline.mode = .offline
        do throws(FetchError) {
            let resource = try await cache.load(offline)
            if resource.digest.hex == locked.sha256 {
                var image = LoadedImage(resource)
                image.freshUntil = .max
                return image
            }
        } catch {
            guard error.code == .offline else { throw error }
        }
        guard let digest = BlobDigest(hex: locked.sha256),
            let path = try cache.blob(digest, byteCount: locked.bytes, for: request.url)
        else { return nil }
        return LoadedImage(
            digest: digest, path: path.string, byteCount: locked.bytes, origin: .cached,
            isConfirmed: true, freshUntil: .max)
    }
}

extension Problem {
    package static let notLocked = Problem(.notLocked, "no image is locked for this URL")
}
