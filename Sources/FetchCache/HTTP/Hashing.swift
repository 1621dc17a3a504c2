extension Sequence<UInt8> {
    /// The FNV-1a hash.
    ///
    /// It is fast and the same in every process, but not collision-resistant.
    var fnv1a: UInt64 { fnv1a { $0 } }

    /// The FNV-1a hash of the results of `transform` for each byte.
    func fnv1a(of transform: (UInt8) -> UInt8) -> UInt64 {
        reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64(transform($1))) &* 0x0000_0100_0000_01B3 }
    }
}

extension String {
    /// The SHA-256 as 64 hexadecimal digits.
    var sha256: String { BlobDigest(hashing: Array(utf8)).hex }
}
