package import Files
internal import Hashing

/// The SHA-256 of a blob.
///
/// It is also the blob's name.
public struct BlobDigest: Sendable, Hashable {
    /// The digest as 64 lower-case hexadecimal digits.
    public let hex: String

    /// Creates a digest from its 32 bytes; nil if the count is not 32.
    public init?(bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == 32 else { return nil }
        self.init(sha256: bytes)
    }

    /// The SHA-256 of some bytes.
    public init(hashing bytes: [UInt8]) { self.init(hashing: bytes[...]) }

    /// The SHA-256 of some bytes.
    public init(hashing bytes: ArraySlice<UInt8>) {
        var hash = SHA256()
        bytes.withUnsafeBytes { hash.update($0) }
        self.init(sha256: hash.finalize())
    }

    /// - Parameter hash: 32 bytes.
    init(sha256 hash: [UInt8]) { hex = hash.hex }

    /// Parses 64 hexadecimal digits of either case; nil for any other text.
    public init?(hex: String) {
        let digits = hex.lowercased()
        guard digits.utf8.count == 64,
            digits.utf8.allSatisfy({ "0123456789abcdef".utf8.contains($0) })
        else { return nil }
        self.hex = digits
    }

    /// Parses 64 lower-case hexadecimal digits, as in ``hex``; nil for any other text.
    package init?(lowercaseHex hex: String) {
        self.init(hex: hex)
        if self.hex != hex { return nil }
    }
}

extension BlobDigest: CustomStringConvertible {
    /// The digest in hexadecimal.
    public var description: String { hex }
}

/// The lengths that a blob with bytes can have, by what anybody may have written: sums of them do not
/// overflow.
package let possibleByteCounts = 1...1 << 40

extension String {
    /// The SHA-256 as 64 hexadecimal digits.
    var sha256: String { BlobDigest(hashing: Array(utf8)).hex }
}

/// A digest is coded as its 64 hexadecimal digits.
extension BlobDigest: Codable {
    /// Reads the digits, of either case; any other text is a `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let digest = BlobDigest(hex: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no digest")
        }
        self = digest
    }

    /// Writes the digits in lower case.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(hex)
    }
}

/// The bytes of a regular file, which are hashed while they are read; no link is followed.
package struct HashedPieces: ~Copyable {
    private var pieces: FilePieces
    private var hasher = SHA256()
    package private(set) var byteCount = 0

    package init(_ path: String) throws(FileError) {
        pieces = try FilePieces(path)
    }

    /// The next bytes, which are valid until the next call; nil at the end.
    package mutating func next() throws(FileError) -> UnsafeRawBufferPointer? {
        guard let bytes = try pieces.next() else { return nil }
        hasher.update(bytes)
        byteCount += bytes.count
        return bytes
    }

    /// The digest of all bytes that were read.
    package var digest: BlobDigest { BlobDigest(sha256: hasher.finalize()) }
}

extension BlobDigest {
    /// The digest and the length of a regular file; no link is followed.
    package static func ofFile(
        _ path: String
    ) throws(FileError) -> (digest: BlobDigest, byteCount: Int) {
        var pieces = try HashedPieces(path)
        while try pieces.next() != nil {}
        return (pieces.digest, pieces.byteCount)
    }
}
