internal import CCurl
internal import Files

/// An IP address, with a check whether it is public.
enum IPAddress: Hashable, Sendable {
    case v4(UInt32)
    /// The upper and the lower 64 bits.
    case v6(UInt64, UInt64)

    /// Converts a socket address; nil if it is of another family.
    init?(_ address: UnsafePointer<sockaddr>, length: Int) {
        switch Int32(address.pointee.sa_family) {
        case AF_INET where length >= MemoryLayout<sockaddr_in>.size:
            self = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                .v4(UInt32(bigEndian: $0.pointee.sin_addr.s_addr))
            }
        case AF_INET6 where length >= MemoryLayout<sockaddr_in6>.size:
            self = address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                withUnsafeBytes(of: $0.pointee.sin6_addr) { IPAddress(sixteen: $0) }
            }
        default: return nil
        }
    }

    /// Parses the usual text form of an address: dotted decimal, or IPv6 without brackets.
    init?(_ text: String) {
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            self = .v4(UInt32(bigEndian: four.s_addr))
            return
        }
        var six = in6_addr()
        // A zone (`fe80::1%eth0`) does not affect the kind of the address.
        guard inet_pton(AF_INET6, String(text.prefix { $0 != "%" }), &six) == 1 else { return nil }
        self = withUnsafeBytes(of: six) { IPAddress(sixteen: $0) }
    }

    /// Parses an address or a network (`10.0.0.0/8`) into an address and a number of leading bits.
    static func network(_ text: String) -> Network? {
        let sides = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = sides.first, let address = IPAddress(String(first)) else { return nil }
        let all = if case .v4 = address { 32 } else { 128 }
        if sides.count == 1 { return Network(address: address, bits: all) }
        guard sides[1].first?.isNumber == true, let bits = Int(sides[1]), bits <= all
        else { return nil }
        return Network(address: address, bits: bits)
    }

    /// All addresses that have the same leading bits.
    struct Network: Hashable, Sendable {
        var address: IPAddress
        var bits: Int

        func contains(_ other: IPAddress) -> Bool {
            switch (address, other) {
            case (.v4(let left), .v4(let right)):
                return (left ^ right) >> (32 - bits) == 0
            case (.v6(let left, let lower), .v6(let right, let otherLower)):
                return (left ^ right) >> max(64 - bits, 0) == 0
                    && (lower ^ otherLower) >> (128 - bits) == 0
            default: return false
            }
        }
    }

    private init(sixteen bytes: UnsafeRawBufferPointer) {
        self = .v6(
            UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
            UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }
}

extension IPAddress: CustomStringConvertible {
    var description: String {
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        switch self {
        case .v4(let value):
            var four = in_addr(s_addr: value.bigEndian)
            inet_ntop(AF_INET, &four, &buffer, socklen_t(buffer.count))
        case .v6(let upper, let lower):
            var halves = (upper.bigEndian, lower.bigEndian)
            inet_ntop(AF_INET6, &halves, &buffer, socklen_t(buffer.count))
        }
        return String(
            decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

extension IPAddress {
    /// The ranges that are not public, with the number of leading bits that their addresses share and
    /// with their kinds, from IANA's special-purpose registries.
    private static let special: [(base: IPAddress, bits: Int, kind: String)] = [
        (.v4(0x0000_0000), 8, "unspecified"),
        (.v4(0x0A00_0000), 8, "private"),
        (.v4(0x6440_0000), 10, "carrier-grade NAT"),
        (.v4(0x7F00_0000), 8, "loopback"),
        (.v4(0xA9FE_0000), 16, "link-local"),
        (.v4(0xAC10_0000), 12, "private"),
        (.v4(0xC000_0000), 24, "reserved"),
        (.v4(0xC000_0200), 24, "reserved"),
        (.v4(0xC058_6300), 24, "reserved"),
        (.v4(0xC0A8_0000), 16, "private"),
        (.v4(0xC612_0000), 15, "reserved"),
        (.v4(0xC633_6400), 24, "reserved"),
        (.v4(0xCB00_7100), 24, "reserved"),
        (.v4(0xE000_0000), 4, "multicast"),
        (.v4(0xF000_0000), 4, "reserved"),
        (.v6(0, 0), 128, "unspecified"),
        (.v6(0, 1), 128, "loopback"),
        (.v6(0xFF00_0000_0000_0000, 0), 8, "multicast"),
        (.v6(0xFE80_0000_0000_0000, 0), 10, "link-local"),
        (.v6(0xFEC0_0000_0000_0000, 0), 10, "private"),
        (.v6(0xFC00_0000_0000_0000, 0), 7, "private"),
        // For protocols, and for documentation.
        (.v6(0x2001_0000_0000_0000, 0), 23, "reserved"),
        (.v6(0x2001_0DB8_0000_0000, 0), 32, "reserved"),
        (.v6(0x3FFF_0000_0000_0000, 0), 20, "reserved"),
    ]

    /// The kind of a non-public address, such as `loopback` or `private`; nil if the address is
    /// public.
    ///
    /// An IPv6 address that embeds an IPv4 address has the kind of the latter.
    var specialKind: String? {
        if let carried { return carried.lazy.compactMap(\.specialKind).first }
        let range = Self.special.first { Network(address: $0.base, bits: $0.bits).contains(self) }
        if let range { return range.kind }
        // Only 2000::/3 is allocated to public addresses.
        guard case .v6(let upper, _) = self, upper >> 61 != 1 else { return nil }
        return "reserved"
    }

    /// The IPv4 addresses that are embedded in an IPv6 address; nil if there are none.
    private var carried: [IPAddress]? {
        guard case .v6(let upper, let lower) = self else { return nil }
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
}
