internal import Crypto
package import Files

/// The bytes of a regular file, which are hashed while they are read; no link is followed.
package struct HashedPieces: ~Copyable {
    private var pieces: FilePieces
    private(set) var hasher = SHA256()
    package private(set) var byteCount = 0

    package init(_ path: String) throws(FileError) {
        pieces = try FilePieces(path)
    }

    /// The next bytes, which are valid until the next call; nil at the end.
    package mutating func next() throws(FileError) -> UnsafeRawBufferPointer? {
        guard let bytes = try pieces.next() else { return nil }
        hasher.update(bufferPointer: bytes)
        byteCount += bytes.count
        return bytes
    }

    /// Reads all of a file.
    static func all(_ path: String) throws(FileError) -> HashedPieces {
        var pieces = try HashedPieces(path)
        while try pieces.next() != nil {}
        return pieces
    }

    /// The digest of all bytes that were read.
    package var digest: BlobDigest { BlobDigest(hasher.finalize()) }
}

extension BlobDigest {
    /// The digest and the length of a regular file; no link is followed.
    package static func ofFile(
        _ path: String
    ) throws(FileError) -> (digest: BlobDigest, byteCount: Int) {
        let pieces = try HashedPieces.all(path)
        return (pieces.digest, pieces.byteCount)
    }
}
