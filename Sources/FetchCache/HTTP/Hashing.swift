extension Sequence<UInt8> {
    /// FNV-1a: fast, the same in every process, and no protection against those who look for collisions.
    var fnv1a: UInt64 { fnv1a { $0 } }

    /// The same of what `transform` makes of each byte.
    func fnv1a(of transform: (UInt8) -> UInt8) -> UInt64 {
        reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64(transform($1))) &* 0x0000_0100_0000_01B3 }
    }
}
