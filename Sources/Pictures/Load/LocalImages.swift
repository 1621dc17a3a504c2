import FetchCache
import Files
import Glibc
import Locks
import Records
package import Reports

/// Finds the site's own images below its root and hashes them.
struct LocalImages: Sendable {
    /// The root of the site.
    let root: String
    let cache: FetchManager
    private let digests = KeptValues<String, Result<LoadedImage, any Error>>()
    private let marks = Locked<[String: FileMark]>([:])

    /// The current image at `path`, hashed once in a bake.
    ///
    /// - Throws: ``Problem``, ``FileError``.
    func image(at path: String) async throws -> LoadedImage {
        try await digests.value(for: path) { _ in
            Result {
                let file = try locateLocalImage(path, root: root)
                let mark = FileStatus(file).flatMap { FileMark($0, settledAt: FileMark.now) }
                marks.withLock { $0[path] = mark }
                let (digest, byteCount) = try BlobDigest.ofFile(file)
                return LoadedImage(
                    digest: digest, path: file, byteCount: byteCount, origin: .local,
                    isForOthers: true)
            }
        }.get()
    }

    /// The status that an image had before it was hashed; nil if it was not, or had changed in the
    /// same tick.
    func mark(of path: String) -> FileMark? { marks.withLock { $0[path] } }

    /// A copy of the image at `path` that no other program changes, with the digest of its bytes.
    ///
    /// The results are stored under that digest, so they must be made of exactly these bytes.
    ///
    /// - Throws: ``Problem``, ``FileError``, ``FetchError``.
    func snapshot(of path: String) throws -> LoadedImage {
        let file = try locateLocalImage(path, root: root)
        let copy = try cache.temporaryFile().string
        let output = try OpenFile(creating: copy, mode: 0o600)
        var pieces = try HashedPieces(file)
        while let bytes = try pieces.next() { try output.write(bytes) }
        return LoadedImage(
            digest: pieces.digest, path: copy, byteCount: pieces.byteCount, origin: .local,
            isForOthers: true)
    }
}

/// The path, without links, of an image of the site.
///
/// - Throws: ``Problem`` if there is no regular file, or a link leads out of the site.
package func locateLocalImage(_ path: String, root: String) throws(Problem) -> String {
    guard let file = resolvedPath(root + "/" + path) else {
        throw Problem(.missingImage, "there is no file \(path) in the site")
    }
    guard isPath(file, within: root) else {
        throw Problem(.missingImage, "\(path) leads out of the site through a symbolic link")
    }
    guard FileStatus(file)?.kind == .file else {
        throw Problem(.missingImage, "\(path) is not a file")
    }
    return file
}
