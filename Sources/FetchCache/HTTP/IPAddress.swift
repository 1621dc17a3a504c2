internal import CCurl
import Glibc

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
