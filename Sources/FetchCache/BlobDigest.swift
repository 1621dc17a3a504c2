package import Files
internal import Hashing

/// The SHA-256 of a blob.
///
/// It is also the blob's name.
public struct BlobDigest: Sendable, Hashable {
    private let words: (UInt64, UInt64, UInt64, UInt64)

    /// Creates a digest from its 32 bytes; nil if the count is not 32.
    public init?(bytes: some Sequence<UInt8>) {
        var words = [UInt64](repeating: 0, count: 4)
        var count = 0
        for byte in bytes {
            guard count < 32 else { return nil }
            words[count / 8] = words[count / 8] << 8 | UInt64(byte)
            count += 1
        }
        guard count == 32 else { return nil }
        self.words = (words[0], words[1], words[2], words[3])
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
    init(sha256 hash: [UInt8]) {
        words = hash.withUnsafeBytes { bytes in
            func word(_ index: Int) -> UInt64 {
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
            }
            return (word(0), word(1), word(2), word(3))
        }
    }

    /// Parses 64 hexadecimal digits of either case; nil for any other text.
    public init?(hex: String) {
        let digits = hex.utf8.compactMap(Self.value(ofDigit:))
        guard digits.count == 64, hex.utf8.count == 64 else { return nil }
        self.init(bytes: (0..<32).lazy.map { digits[2 * $0] << 4 | digits[2 * $0 + 1] })
    }

    /// Parses 64 lower-case hexadecimal digits, as in ``hex``; nil for any other text.
    package init?(lowercaseHex hex: String) {
        self.init(hex: hex)
        if self.hex != hex { return nil }
    }

    /// The digest as 64 lower-case hexadecimal digits.
    public var hex: String {
        String(unsafeUninitializedCapacity: 64) { buffer in
            var index = 0
            for word in [words.0, words.1, words.2, words.3] {
                for shift in stride(from: UInt64(60), through: 0, by: -4) {
                    let digit = UInt8(word >> shift & 15)
                    buffer[index] = digit < 10 ? 0x30 + digit : 0x61 + digit - 10
                    index += 1
                }
            }
            return 64
        }
    }

    private static func value(ofDigit digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x41 + 10
        case 0x61...0x66: digit - 0x61 + 10
        default: nil
        }
    }

    /// Whether two digests are the same.
    public static func == (left: Self, right: Self) -> Bool { left.words == right.words }

    /// Hashes the first 8 bytes only: they are as evenly distributed as any others.
    public func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}

extension BlobDigest: CustomStringConvertible {
    /// The digest in hexadecimal.
    public var description: String { hex }
}

/// The lengths that a blob with bytes can have, by what anybody may have written: sums of them do not
/// overflow.
package let possibleByteCounts = 1...1 << 40

extension Sequence<UInt8> {
    /// The FNV-1a hash.
    ///
    /// It is fast and the same in every process, but not collision-resistant.
    var fnv1a: UInt64 {
        reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }
}

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
    private(set) var hasher = SHA256()
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

    /// Reads all of a file.
    static func all(_ path: String) throws(FileError) -> HashedPieces {
        var pieces = try HashedPieces(path)
        while try pieces.next() != nil {}
        return pieces
    }

    /// The digest of all bytes that were read.
    package var digest: BlobDigest { BlobDigest(sha256: hasher.finalize()) }
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
