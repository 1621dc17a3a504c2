package import FetchCache
import FoundationEssentials
import Locks
package import Reports
import Secrets

/// The images and other files that the URLs of a site are known to give, by their SHA-256: the file
/// `imgbake.lock`.
///
/// ```text
/// {"imgbake-lock":1}
/// {"url":"https://…","sha256":"…","bytes":1234,"mediaType":"image/png"}
/// ```
///
/// Lines are sorted by their URLs; see ``LineFile``.
package struct Lockfile: Equatable, Sendable {
    /// The image of a URL.
    package struct Image: Codable, Hashable, Sendable {
        /// The URL as ``Secrets/lockedURL(_:)`` gives it.
        package var url: String
        /// In hexadecimal.
        package var sha256: String
        package var bytes: Int
        package var mediaType: String

        /// The size and the digest, for a message.
        package var facts: String { "\(bytes) bytes with the SHA-256 \(sha256)" }
        /// The same in a message about a document, which has at most 300 characters.
        var shortFacts: String { "\(bytes) bytes with the SHA-256 \(sha256.prefix(16))…" }
    }

    /// The usual name of the file.
    package static let name = "imgbake.lock"

    /// The images, by their URLs.
    package var images: [String: Image] = [:]
    /// The numbers of the lines that the images were read from, by their URLs.
    package private(set) var lines: [String: Int] = [:]
    /// What `imgbake lock` loads besides; nil in a bake, which loads what is locked.
    package var record: LockRecord?

    package init(_ images: [Image] = []) {
        for image in images { self.images[image.url] = image }
    }

    package static func == (left: Self, right: Self) -> Bool { left.images == right.images }

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - name: The path in messages.
    /// - Returns: The content and its bytes; nil if there is no file.
    /// - Throws: ``FatalProblem`` with the place of the first line that cannot be used.
    package static func read(
        _ path: String, named name: String
    ) throws(FatalProblem) -> (file: Lockfile, bytes: [UInt8])? {
        let found = try CommittedFile(path: path, name: name).read(Lockfile.init(parsing:))
        return found.map { ($0.content, $0.bytes) }
    }

    private static let form = LineFile(
        heading: "imgbake-lock", code: .invalidLockfile,
        remedy: "restore the file from version control, or delete it and run 'imgbake lock'")

    /// Reads the text of a file; the order of its lines does not matter.
    ///
    /// - Throws: ``LineProblem``.
    package init(parsing bytes: [UInt8]) throws(LineProblem) {
        for (line, text) in try Self.form.lines(of: bytes) {
            guard let image = try? JSONDecoder().decode(Image.self, from: Data(text)),
                image.isPossible
            else { throw Self.form.problem(line, "this is not a line of a lockfile") }
            if let other = images[image.url], other != image {
                throw Self.form.problem(
                    line, "line \(lines[image.url] ?? 0) locks another image for the same URL",
                    "delete one of the two lines")
            }
            images[image.url] = image
            lines[image.url] = line
        }
    }

    /// The file as text; equal images give equal bytes.
    package var encoded: [UInt8] {
        Self.form.encoded(images.values.sorted { $0.url < $1.url }.map(\.line))
    }

    /// What the file locks, as a key of results that depend on it.
    package var digest: String { BlobDigest(hashing: encoded).hex }
}

extension Lockfile.Image {
    fileprivate init(_ resource: Resource) {
        self.init(
            url: lockedURL(resource.url), sha256: resource.digest.hex, bytes: resource.byteCount,
            mediaType: resource.mediaType.rawValue)
    }

    /// Whether ``Lockfile`` may contain the image; the text of a file may be anything.
    fileprivate var isPossible: Bool {
        (0...possibleByteCounts.upperBound).contains(bytes)
            && BlobDigest(lowercaseHex: sha256) != nil
            && ["http://", "https://"].contains { url.hasPrefix($0) } && printable(url) == url
            && printable(mediaType) == mediaType
    }

    /// The image as a line, with the URL first.
    fileprivate var line: String {
        "{\"url\":\(jsonText(url)),\"sha256\":\(jsonText(sha256)),\"bytes\":\(bytes)"
            + ",\"mediaType\":\(jsonText(mediaType))}"
    }
}

extension Lockfile {
    /// The image that is locked for a URL; nil for none.
    package func image(of url: String) -> Image? { images[lockedURL(url)] }

    /// Loads the locked image of a URL: from the cache if its bytes are there, else from its server.
    ///
    /// - Throws: ``Problem`` if none is locked or the URL gives another one; ``FetchError``.
    func image(_ request: FetchRequest, from cache: FetchManager) async throws -> LoadedImage {
        let mode = record?.mode(of: request.url)
        guard let locked = image(of: request.url) else {
            guard let record, let mode else { throw Problem.notLocked }
            var request = request
            if request.mode == .normal { request.mode = mode }
            let resource = try await cache.load(request)
            record.add(Image(resource), of: request.url)
            return LoadedImage(resource)
        }
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
        // Relative URLs of a style sheet need the URL after redirects.
        guard !locked.mediaType.hasPrefix("text/css"),
            let digest = BlobDigest(hex: locked.sha256),
            let path = try cache.blob(digest, byteCount: locked.bytes, for: request.url)
        else { return nil }
        return LoadedImage(
            digest: digest, path: path.string, byteCount: locked.bytes, origin: .cached,
            isConfirmed: true, freshUntil: .max,
            facts: LoadedImage.Facts(
                finalURL: request.url, mediaType: MediaType(rawValue: locked.mediaType)))
    }
}

extension Problem {
    package static let notLocked = Problem(.notLocked, "no file is locked for this URL")
}

/// What `imgbake lock` asks for: files whose URLs are not locked, and those of style sheets, which name
/// further files.
package final class LockRecord: Sendable {
    /// How a file is loaded whose URL is not locked; nil if it is not.
    private let mode: @Sendable (String) -> FetchRequest.Mode?
    private let files = Locked<[String: Lockfile.Image?]>([:])

    package init(mode: @escaping @Sendable (String) -> FetchRequest.Mode?) { self.mode = mode }

    /// The URLs that were asked for.
    package var urls: [String] { files.withLock { Array($0.keys) } }

    /// The file that was loaded for a URL; nil if none was, or if it is locked.
    package func file(of url: String) -> Lockfile.Image? { files.withLock { $0[url] ?? nil } }

    fileprivate func mode(of url: String) -> FetchRequest.Mode? {
        files.withLock { if $0[url] == nil { $0[url] = .some(nil) } }
        return mode(url)
    }

    fileprivate func add(_ file: Lockfile.Image, of url: String) {
        files.withLock { $0[url] = file }
    }
}
