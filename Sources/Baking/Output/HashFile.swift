import Crypto
import FetchCache
import Glibc

/// Reads a file from beginning to end, hashes it, and passes on each piece that was read.
///
/// - Parameters:
///   - path: The path of a regular file; no link is followed.
///   - body: Called with each piece.
/// - Returns: The digest and the length of the bytes that were read.
/// - Throws: ``FileFault``, of the file or from `body`.
func hashFile(
    _ path: String, _ body: (ArraySlice<UInt8>) throws(FileFault) -> Void = { _ in }
) throws(FileFault) -> (digest: BlobDigest, byteCount: Int) {
    // Non-blocking, in case a pipe has replaced the file.
    let input = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard input >= 0 else { throw FileFault("read", path) }
    defer { close(input) }
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
        try body(buffer[..<got])
    }
    guard let digest = BlobDigest(bytes: hash.finalize()) else {
        throw FileFault("read", path, code: EIO)
    }
    return (digest, byteCount)
}

/// Writes all of `bytes`; `path` is for the error.
func writeAll(
    _ bytes: ArraySlice<UInt8>, to descriptor: Int32, path: String
) throws(FileFault) {
    var rest = bytes
    while !rest.isEmpty {
        let wrote = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if wrote >= 0 {
            rest = rest.dropFirst(wrote)
        } else if errno != EINTR {
            throw FileFault("write", path)
        }
    }
}
