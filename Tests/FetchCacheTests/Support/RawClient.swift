import Glibc

/// Sends bytes to a loopback port and reads the reply until the peer closes the connection.
struct RawClient {
    enum End: Equatable { case closed, reset, quiet }

    /// - Parameters:
    ///   - request: The bytes to send.
    ///   - port: The port.
    ///   - patience: How long to wait for the next bytes, in milliseconds.
    /// - Returns: The received text and how the reply ended; `quiet` if nothing arrived for that
    ///   long.
    static func exchange(
        _ request: String, port: Int, patience: Int
    ) -> (text: String, end: End) {
        let handle = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(handle) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(handle, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { return ("", .reset) }
        var timeout = timeval(tv_sec: patience / 1000, tv_usec: patience % 1000 * 1000)
        setsockopt(
            handle, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        let bytes = Array(request.utf8)
        guard send(handle, bytes, bytes.count, 0) == bytes.count else { return ("", .reset) }
        return read(from: handle)
    }

    private static func read(from handle: Int32) -> (text: String, end: End) {
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(handle, &buffer, buffer.count, 0)
            if count > 0 {
                received += buffer.prefix(count)
                continue
            }
            let text = String(decoding: received, as: UTF8.self)
            if count == 0 { return (text, .closed) }
            return (text, errno == ECONNRESET ? .reset : .quiet)
        }
    }
}
