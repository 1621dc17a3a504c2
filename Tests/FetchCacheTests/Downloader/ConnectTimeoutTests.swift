import FetchCache
import Glibc
import TestSupport
import Testing

@Suite("Connections that are not made in time", .timeLimit(.minutes(10)))
struct ConnectTimeoutTests {
    /// A port of the loopback interface on which nothing is accepted.
    private final class DeafPort: Sendable {
        private let listener: Int32
        private let clients: [Int32]
        let port: Int

        /// Listens; `isFull` means that so many connections wait that the kernel makes no other.
        init(isFull: Bool) throws {
            listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let listener = listener
            let isListening = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(listener, $0, length) == 0 && listen(listener, isFull ? 0 : 8) == 0
                        && getsockname(listener, $0, &length) == 0
                }
            }
            guard isListening else { throw POSIXFailure(code: errno) }
            port = Int(UInt16(bigEndian: address.sin_port))
            clients = (0..<(isFull ? 8 : 0)).map { _ in
                let handle = socket(
                    AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
                _ = withUnsafePointer(to: &address) {
                    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        connect(handle, $0, length)
                    }
                }
                return handle
            }
        }

        deinit { for handle in clients + [listener] { Glibc.close(handle) } }
    }

    /// The server does not answer the handshake of TCP, or that of TLS.
    @Test(arguments: [(scheme: "http", isFull: true), ("https", false)])
    func timesOut(scheme: String, isFull: Bool) async throws {
        let deaf = try DeafPort(isFull: isFull)
        let folder = try TestFolder()
        let cache = try FetchManager(
            folder.configuration { $0.downloader.times.connect = .milliseconds(300) })
        let error = await #expect(throws: FetchError.self) {
            try await cache.load(FetchRequest("\(scheme)://127.0.0.1:\(deaf.port)/a.png"))
        }
        #expect(error?.code == .timedOut)
        #expect(error?.detail == "no connection within 300 ms")
        #expect(error?.isTransient == true)
        // A time-out is not remembered.
        #expect(try await cache.failures().isEmpty)
        await cache.close()
        withExtendedLifetime(deaf) {}
    }
}
