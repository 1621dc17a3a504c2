import FetchCache
import Locks
import Secrets

/// How a bake uses a lockfile: each image of another host must be the one that is locked.
package struct LockPolicy: Sendable {
    /// An image that is not the locked one.
    struct Change: Sendable {
        /// Nil if the locked image is not in the cache.
        var locked: LoadedImage?
        var now: LoadedImage
    }

    /// The images that have changed, by the URL in messages.
    private let changed = Locked<[String: Change]>([:])
    package let file: Lockfile
    /// Whether no request is made for an image that is in the cache.
    package let isFrozen: Bool

    /// A key of the policy, for results that depend on it.
    let key: String

    package init(_ file: Lockfile, isFrozen: Bool) {
        self.file = file
        self.isFrozen = isFrozen
        key = "\(file.digest) \(isFrozen)"
    }

    /// The images that have changed, for the pictures of a report.
    var changes: [String: Change] { changed.withLock(\.self) }

    /// The image that is locked for a URL; nil for none.
    func image(of url: String) -> Lockfile.Image? { file.images[lockedURL(url)] }

    /// Loads the locked image of a URL.
    ///
    /// - Throws: ``Problem`` if none is locked or the URL gives another one; ``FetchError``.
    func image(_ request: FetchRequest, from cache: FetchManager) async throws -> LoadedImage {
        guard let locked = image(of: request.url) else { throw Problem.notLocked }
        if isFrozen, let stored = try await stored(locked, request, in: cache) { return stored }
        var resource = try await cache.load(request)
        // Another run, before the lockfile was written, may have left its image in the cache.
        if resource.digest.hex != locked.sha256, request.mode == .normal, !resource.isNew {
            var again = request
            again.mode = .reload
            resource = try await cache.load(again)
        }
        guard resource.digest.hex == locked.sha256 else {
            let change = Change(
                locked: try? blob(locked, request, in: cache), now: LoadedImage(resource))
            changed.withLock { $0[printable(withoutSecrets(request.url))] = change }
            throw Problem(
                .lockedImageChanged,
                "the image is not the one that is locked: \(Lockfile.Image(resource).facts) "
                    + "instead of \(locked.facts)")
        }
        return LoadedImage(resource)
    }

    /// The locked image, if it is in the cache: for its URL, or for another one, such as the same URL
    /// with another signature.
    private func stored(
        _ locked: Lockfile.Image, _ request: FetchRequest, in cache: FetchManager
    ) async throws -> LoadedImage? {
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
            // A limit or a policy forbids the stored image.
            guard error.code == .offline else { throw error }
        }
        return try blob(locked, request, in: cache)
    }

    private func blob(
        _ locked: Lockfile.Image, _ request: FetchRequest, in cache: FetchManager
    ) throws(FetchError) -> LoadedImage? {
        guard let digest = BlobDigest(hex: locked.sha256),
            let path = try cache.blob(digest, byteCount: locked.bytes, for: request.url)
        else { return nil }
        return LoadedImage(
            digest: digest, path: path.string, byteCount: locked.bytes, origin: .cached,
            isConfirmed: true, freshUntil: .max)
    }
}

extension Problem {
    static let notLocked = Problem(.notLocked, "no image is locked for this URL")
}

extension Resource {
    /// Whether a server has just answered with these bytes.
    fileprivate var isNew: Bool { origin == .network || origin == .revalidated }
}
