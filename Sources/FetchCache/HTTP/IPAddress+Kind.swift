extension IPAddress {
    /// The IPv4 ranges that are not public, with their kinds, from IANA's special-purpose registry.
    private static let specialV4: [(base: UInt32, bits: UInt32, kind: String)] = [
        (0x0000_0000, 8, "unspecified"),
        (0x0A00_0000, 8, "private"),
        (0x6440_0000, 10, "carrier-grade NAT"),
        (0x7F00_0000, 8, "loopback"),
        (0xA9FE_0000, 16, "link-local"),
        (0xAC10_0000, 12, "private"),
        (0xC000_0000, 24, "reserved"),
        (0xC000_0200, 24, "reserved"),
        (0xC058_6300, 24, "reserved"),
        (0xC0A8_0000, 16, "private"),
        (0xC612_0000, 15, "reserved"),
        (0xC633_6400, 24, "reserved"),
        (0xCB00_7100, 24, "reserved"),
        (0xE000_0000, 4, "multicast"),
        (0xF000_0000, 4, "reserved"),
    ]

    /// The kind of a non-public address, such as `loopback` or `private`; nil if the address is
    /// public.
    ///
    /// An IPv6 address that embeds an IPv4 address has the kind of the latter.
    var specialKind: String? {
        switch self {
        case .v4(let value):
            Self.specialV4.first { value >> (32 - $0.bits) == $0.base >> (32 - $0.bits) }?.kind
        case .v6(let upper, let lower):
            if let carried = Self.carried(upper, lower) {
                carried.lazy.compactMap(\.specialKind).first
            } else {
                Self.kindOfV6(upper, lower)
            }
        }
    }

    /// The IPv4 addresses that are embedded in an IPv6 address; nil if there are none.
    private static func carried(_ upper: UInt64, _ lower: UInt64) -> [IPAddress]? {
        let low = UInt32(truncatingIfNeeded: lower)
        // ::ffff:a.b.c.d, mapped
        if upper == 0, lower >> 32 == 0xFFFF { return [.v4(low)] }
        // ::ffff:0:a.b.c.d, translated (SIIT)
        if upper == 0, lower >> 32 == 0xFFFF_0000 { return [.v4(low)] }
        // ::a.b.c.d, compatible; :: and ::1 are in 0.0.0.0/8 but have separate kinds
        if upper == 0, lower >> 32 == 0, low > 1 { return [.v4(low)] }
        // 64:ff9b::a.b.c.d, NAT64
        if upper == 0x0064_FF9B_0000_0000, lower >> 32 == 0 { return [.v4(low)] }
        // 2002:aabb:ccdd::, 6to4
        if upper >> 48 == 0x2002 { return [.v4(UInt32(truncatingIfNeeded: upper >> 16))] }
        // 2001:0:SERVER:…:CLIENT with every bit of the client's address inverted, Teredo
        if upper >> 32 == 0x2001_0000 {
            return [.v4(~low), .v4(UInt32(truncatingIfNeeded: upper))]
        }
        return nil
    }

    private static func kindOfV6(_ upper: UInt64, _ lower: UInt64) -> String? {
        if upper == 0, lower == 0 { return "unspecified" }
        if upper == 0, lower == 1 { return "loopback" }
        if upper >> 56 == 0xFF { return "multicast" }
        if upper >> 54 == 0xFE80 >> 6 { return "link-local" }
        if upper >> 54 == 0xFEC0 >> 6 { return "private" }
        if upper >> 57 == 0xFC >> 1 { return "private" }
        // Only 2000::/3 is allocated. In it, 2001::/23 is for protocols, and 2001:db8::/32 and
        // 3fff::/20 are for documentation.
        if upper >> 61 != 1 || upper >> 41 == 0x2001_0000 >> 9 { return "reserved" }
        if upper >> 32 == 0x2001_0DB8 || upper >> 44 == 0x3FFF0 { return "reserved" }
        return nil
    }
}
