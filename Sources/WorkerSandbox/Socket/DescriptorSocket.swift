internal import CLinux
import Glibc

/// A pair of connected Unix sockets that transfer bytes and open descriptors (unix(7),
/// `SCM_RIGHTS`).
package enum DescriptorSocket {
    /// Two connected descriptors, which are closed in programs that this process starts.
    ///
    /// - Returns: nil with `errno` set if the system has no more descriptors.
    package static func pair() -> (Int32, Int32)? {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
        return (ends[0], ends[1])
    }

    /// Sends all `bytes`; the first of them carries `descriptors`, at most 17.
    ///
    /// - Returns: Whether they were sent; false if the other end is closed.
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

    /// Waits for bytes and returns the available ones, with the descriptors that came with them.
    ///
    /// The caller has to close the descriptors.
    ///
    /// - Returns: nil at the end, or if the socket has failed.
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
