internal import CLinux
import Glibc

/// A pair of connected Unix sockets, over which bytes and open descriptors go (unix(7),
/// `SCM_RIGHTS`).
package enum DescriptorSocket {
    /// Two connected descriptors that are closed in a program that this process starts.
    ///
    /// - Returns: nil with `errno` set where the system has none left.
    package static func pair() -> (Int32, Int32)? {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
        return (ends[0], ends[1])
    }

    /// Sends all `bytes`, with `descriptors`, at most four, beside the first of them.
    ///
    /// - Returns: Whether they were sent; false where the other end is gone.
    package static func send(
        _ bytes: some Collection<UInt8>, _ descriptors: [Int32] = [], over socket: Int32
    ) -> Bool {
        var rest = Array(bytes)[...]
        var descriptors = descriptors
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { rest in
                guard let start = rest.baseAddress else { return 0 }
                return clinux_send(
                    socket, start, rest.count, descriptors, Int32(descriptors.count))
            }
            if sent > 0 {
                rest = rest.dropFirst(sent)
                descriptors = []
            } else if sent == 0 || errno != EINTR {
                return false
            }
        }
        return true
    }

    /// Waits for bytes and takes those that are there, and the descriptors that came with them,
    /// which the caller has to close.
    ///
    /// - Returns: nil at the end, or where the socket is broken.
    package static func receive(
        from socket: Int32
    ) -> (bytes: ArraySlice<UInt8>, descriptors: [Int32])? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        var descriptors = [Int32](repeating: -1, count: Int(clinux_most_descriptors))
        while true {
            var descriptorCount: Int32 = 0
            let count = clinux_receive(
                socket, &buffer, buffer.count, &descriptors, &descriptorCount)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return nil }
            return (buffer[..<count], Array(descriptors.prefix(Int(descriptorCount))))
        }
    }
}
