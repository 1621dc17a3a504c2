import Foundation

/// A server on loopback that sends one body to each connection, as fast as the client takes it, and
/// counts the bytes.
package final class CountingServer: Sendable {
    /// `http://127.0.0.1:PORT`, without a slash at the end.
    package var url: String { listener.url }
    /// For each connection, when it has ended: the bytes of the body that the system took for it.
    ///
    /// They are a little more than the client has received.
    package let counts: AsyncStream<Int>
    private let listener: LoopbackListener

    /// Starts the server.
    ///
    /// - Parameters:
    ///   - beginning: The first bytes of the body.
    ///   - byteCount: The length of the body, which ends with zeros.
    /// - Throws: `POSIXError` if no socket can be opened.
    package init(_ beginning: [UInt8], byteCount: Int) throws {
        let (counts, continuation) = AsyncStream.makeStream(of: Int.self)
        self.counts = counts
        // By default, the system takes several megabytes in advance.
        listener = try LoopbackListener(sendBufferSize: 1 << 15) { connection in
            continuation.yield(Self.answer(connection, beginning, byteCount))
        } end: {
            continuation.finish()
        }
    }

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
