import Foundation

/// A server on loopback that answers each connection with fixed bytes, which need not be HTTP.
package final class RawServer: Sendable {
    /// `http://127.0.0.1:PORT`, without a slash at the end.
    package var url: String { listener.url }
    private let listener: LoopbackListener

    /// Starts the server.
    package init(answer: [UInt8]) throws {
        listener = try LoopbackListener { connection in
            var request = [UInt8](repeating: 0, count: 4096)
            _ = read(connection, &request, request.count)
            _ = answer.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, 0) }
            // The client closes first, so that nothing that it has not read is lost.
            shutdown(connection, Int32(SHUT_WR))
            while read(connection, &request, request.count) > 0 {}
        }
    }
}
