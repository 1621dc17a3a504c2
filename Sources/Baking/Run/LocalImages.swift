import Crypto
import FetchCache
import Glibc

/// The site's own images: found below its root, and hashed.
struct LocalImages: Sendable {
    /// There is no file that could be baked.
    struct Absence: Error {
        var reason: String
    }

    /// The root of the site.
    let root: String
    let cache: FetchCache
    private let digests = Once<String, Result<SourceImage, any Error>>()

    init(root: String, cache: FetchCache) {
        self.root = root
        self.cache = cache
    }

    /// The image at `path` as it is now, hashed once a bake.
    ///
    /// - Throws: ``Absence``, ``FileFault``.
    func image(at path: String) async throws -> SourceImage {
        try await digests.value(for: path) {
            Result {
                let file = try locate(path)
                let (digest, byteCount) = try readThrough(file, into: nil)
                return SourceImage(
                    digest: digest, path: file, byteCount: byteCount, origin: .local)
            }
        }.get()
    }

    /// A copy of the image at `path` that nobody changes any more, with the digest of its own bytes:
    /// what is made of it is remembered under that, and must be of nothing else.
    ///
    /// - Throws: ``Absence``, ``FileFault``, ``FetchError``.
    func snapshot(of path: String) throws -> SourceImage {
        let file = try locate(path)
        let copy = try cache.temporaryFile()
        let (digest, byteCount) = try readThrough(file, into: copy)
        return SourceImage(digest: digest, path: copy, byteCount: byteCount, origin: .local)
    }

    /// The file's path without links, if no link leads out of the site.
    private func locate(_ path: String) throws(Absence) -> String {
        try locateLocalImage(path, root: root)
    }
}

/// The path without links of an image of the site.
///
/// - Throws: ``LocalImages/Absence`` where there is no plain file, or a link leads out of the site.
func locateLocalImage(_ path: String, root: String) throws(LocalImages.Absence) -> String {
    guard let file = resolvedPath(root + "/" + path) else {
        throw LocalImages.Absence(reason: "there is no file \(path) in the site")
    }
    guard isPath(file, within: root) else {
        throw LocalImages.Absence(reason: "a link leads from \(path) out of the site")
    }
    guard FileStatus(file)?.kind == .file else {
        throw LocalImages.Absence(reason: "\(path) is not a file")
    }
    return file
}

/// Reads a file from its beginning to its end, and writes what was read to a new file at `copy`.
private func readThrough(
    _ path: String, into copy: String?
) throws(FileFault) -> (digest: BlobDigest, byteCount: Int) {
    // Not to wait, should a pipe have taken the file's place.
    let input = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard input >= 0 else { throw FileFault("read", path) }
    defer { close(input) }
    var output: Int32?
    if let copy {
        let descriptor = open(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileFault("write", copy) }
        output = descriptor
    }
    defer { if let output { close(output) } }
    var hash = SHA256()
    var byteCount = 0
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    while true {
        let got = read(input, &buffer, buffer.count)
        if got < 0, errno == EINTR { continue }
        guard got >= 0 else { throw FileFault("read", path) }
        if got == 0 { break }
        hash.update(data: buffer[..<got])
        byteCount += got
        if let output { try writeAll(buffer[..<got], to: output, copy ?? "") }
    }
    guard let digest = BlobDigest(bytes: hash.finalize()) else {
        throw FileFault("read", path, code: EIO)
    }
    return (digest, byteCount)
}

private func writeAll(
    _ bytes: ArraySlice<UInt8>, to descriptor: Int32, _ path: String
) throws(FileFault) {
    var rest = bytes
    while !rest.isEmpty {
        let wrote = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if wrote > 0 {
            rest = rest.dropFirst(wrote)
        } else if errno != EINTR {
            throw FileFault("write", path)
        }
    }
}
