import Foundation

/// A server on loopback that answers each connection with fixed bytes, which need not be HTTP.
package final class RawServer: Sendable {
    /// `http://127.0.0.1:PORT`, without a slash at the end.
    package let url: String
    private let handle: Int32

    /// Starts the server.
    package init(answer: [UInt8]) throws {
        let handle = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(handle, $0, length) == 0 && getsockname(handle, $0, &length) == 0
                    && listen(handle, 16) == 0
            }
        }
        guard isListening else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EINVAL)
        }
        self.handle = handle
        url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
        Thread.detachNewThread {
            while true {
                let connection = accept(handle, nil, nil)
                if connection < 0 { break }
                var request = [UInt8](repeating: 0, count: 4096)
                _ = read(connection, &request, request.count)
                _ = answer.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, 0) }
                // The client closes first, so that nothing that it has not read is lost.
                shutdown(connection, Int32(SHUT_WR))
                while read(connection, &request, request.count) > 0 {}
                close(connection)
            }
            close(handle)
        }
    }

    // This ends the thread's call of accept; closing the socket would not.
    deinit { shutdown(handle, Int32(SHUT_RDWR)) }
}
