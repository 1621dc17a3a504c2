import Foundation

/// A server on loopback that sends one body to each connection, as fast as the client takes it, and
/// counts the bytes.
package final class CountingServer: Sendable {
    /// `http://127.0.0.1:PORT`, without a slash at the end.
    package let url: String
    /// For each connection, when it has ended: the bytes of the body that the system took for it.
    ///
    /// They are a little more than the client has received.
    package let counts: AsyncStream<Int>
    private let handle: Int32

    /// Starts the server.
    ///
    /// - Parameters:
    ///   - beginning: The first bytes of the body.
    ///   - byteCount: The length of the body, which ends with zeros.
    /// - Throws: `POSIXError` if no socket can be opened.
    package init(_ beginning: [UInt8], byteCount: Int) throws {
        let handle = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        // Connections inherit it. By default, the system takes several megabytes in advance.
        var buffer: Int32 = 1 << 15
        setsockopt(handle, SOL_SOCKET, SO_SNDBUF, &buffer, socklen_t(MemoryLayout<Int32>.size))
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
        let (counts, continuation) = AsyncStream.makeStream(of: Int.self)
        self.counts = counts
        Thread.detachNewThread {
            while true {
                let connection = accept(handle, nil, nil)
                if connection < 0 { break }
                continuation.yield(Self.answer(connection, beginning, byteCount))
                close(connection)
            }
            continuation.finish()
            close(handle)
        }
    }

    // This ends the thread's call of accept; closing the socket would not.
    deinit { shutdown(handle, Int32(SHUT_RDWR)) }

    /// Sends the body until its end, or until the client closes the connection.
    private static func answer(
        _ connection: Int32, _ beginning: [UInt8], _ byteCount: Int
    ) -> Int {
        var request = [UInt8](repeating: 0, count: 4096)
        _ = read(connection, &request, request.count)
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(byteCount)\r\n\r\n"
        guard send(Array(head.utf8)[...], connection) > 0 else { return 0 }
        let zeros = [UInt8](repeating: 0, count: 1 << 14)
        var sent = 0
        while sent < byteCount {
            let piece = sent < beginning.count ? beginning[sent...] : zeros[...]
            let count = send(piece.prefix(byteCount - sent), connection)
            guard count > 0 else { return sent }
            sent += count
        }
        return sent
    }

    private static func send(_ bytes: ArraySlice<UInt8>, _ connection: Int32) -> Int {
        bytes.withUnsafeBytes {
            Foundation.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
    }
}
