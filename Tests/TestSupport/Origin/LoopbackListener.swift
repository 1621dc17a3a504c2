import Foundation

/// A socket on loopback that hands each connection to a function, one after the other.
final class LoopbackListener: Sendable {
    /// `http://127.0.0.1:PORT`, without a slash at the end.
    let url: String
    private let handle: Int32

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - sendBufferSize: The size of the system's buffer for each connection; nil for its default
    ///     of several megabytes.
    ///   - serve: Serves a connection, which is closed afterwards.
    ///   - end: Called when no connection follows.
    /// - Throws: `POSIXError` if no socket can be opened.
    init(
        sendBufferSize: Int32? = nil, serve: @escaping @Sendable (Int32) -> Void,
        end: @escaping @Sendable () -> Void = {}
    ) throws {
        let handle = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        if var size = sendBufferSize {
            // Connections inherit it.
            setsockopt(handle, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
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
                serve(connection)
                close(connection)
            }
            end()
            close(handle)
        }
    }

    // This ends the thread's call of accept; closing the socket would not.
    deinit { shutdown(handle, Int32(SHUT_RDWR)) }
}
