import Glibc
import Locks
import NIOCore
import NIOHTTP1
import NIOPosix

/// A real HTTP/1.1 server on loopback with configurable responses per path.
///
/// ```swift
/// let origin = try await Origin.start()
/// origin["/cat.png"] = OriginRoute(png, contentType: "image/png", etag: "\"1\"")
/// … origin.url + "/cat.png" …
/// #expect(origin.requestCount(for: "/cat.png") == 1)
/// ```
///
/// It stops when nothing references it: at the end of the test, even if that fails. A closure that
/// handles its requests must therefore not capture it.
///
/// Routes can be changed while it runs; a path without a route gets 404.
package final class Origin: Sendable {
    /// The port, which the system chooses unless one is given.
    package let port: Int
    /// `http://127.0.0.1:PORT`, without a slash at the end.
    package let url: String

    private let shared: Locked<OriginState>
    private let listener: any Channel

    private init(shared: Locked<OriginState>, listener: any Channel, host: String) throws {
        guard let port = listener.localAddress?.port else { throw ChannelError.unknownLocalAddress }
        self.shared = shared
        self.listener = listener
        self.port = port
        self.url = host.contains(":") ? "http://[\(host)]:\(port)" : "http://\(host):\(port)"
    }

    deinit {
        listener.close(promise: nil)
        for channel in shared.withLock({ $0.openChannels }) { channel.close(promise: nil) }
    }

    /// Starts a server on `host`, `127.0.0.1` by default, and on a free port, unless one is given.
    package static func start(host: String = "127.0.0.1", port: Int = 0) async throws -> Origin {
        let shared = Locked(OriginState())
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                shared.withLock { $0.opened(channel) }
                channel.closeFuture.whenComplete { _ in
                    shared.withLock { $0.closed(channel) }
                }
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(OriginHandler(shared))
                }
            }
            .bind(host: host, port: port).get()
        return try Origin(shared: shared, listener: listener, host: host)
    }

    /// Stops listening and closes every connection, for a test that goes on without the server.
    package func shutdown() async {
        try? await listener.close().get()
        for channel in shared.withLock({ $0.openChannels }) {
            try? await channel.close().get()
        }
    }

    /// Stops the server and keeps its port reserved, so that no other process can listen there.
    ///
    /// - Returns: An object that reserves the port while it exists.
    package func vanish() async throws -> any Sendable {
        await shutdown()
        // The system may need a moment to release the port.
        for _ in 0..<100 {
            if let held = HeldPort(port) { return held }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw ChannelError.unknownLocalAddress
    }

    /// The response at a path or at a path with a query; nil gives 404.
    ///
    /// Reading returns the response to a plain GET.
    package subscript(path: String) -> OriginRoute? {
        get {
            let handler = shared.withLock { $0.handlers[path] }
            return handler?(OriginRequest(method: "GET", target: path, headers: []))
        }
        set {
            var handler: OriginState.Handler?
            if let route = newValue { handler = { _ in route } }
            shared.withLock { [handler] in $0.handlers[path] = handler }
        }
    }

    /// Sets a closure that handles each request for a path; it runs on the server's thread.
    package func handle(
        _ path: String, _ handler: @escaping @Sendable (OriginRequest) -> OriginRoute
    ) {
        shared.withLock { $0.handlers[path] = handler }
    }

    /// Sets a closure that handles every path without a route, instead of 404; it runs on the
    /// server's thread.
    package func handleRest(_ handler: @escaping @Sendable (OriginRequest) -> OriginRoute) {
        shared.withLock { $0.rest = handler }
    }
}

extension Origin {
    /// Every request so far, in the order of arrival.
    package var requests: [OriginRequest] { shared.withLock { $0.requests } }

    /// The requests for a path with any query, or for a path with exactly this query.
    package func requests(for path: String) -> [OriginRequest] {
        requests.filter { $0.target == path || $0.path == path }
    }

    /// The number of requests for a path, including redirects and 304.
    package func requestCount(for path: String) -> Int { requests(for: path).count }

    package var requestCount: Int { requests.count }

    /// The maximum number of concurrent requests.
    package var maximumSimultaneous: Int { shared.withLock { $0.maximumSimultaneous } }

    /// The maximum number of concurrent requests per value of the Host field.
    package var maximumSimultaneousPerHost: [String: Int] {
        shared.withLock { $0.maximumSimultaneousPerHost }
    }

    /// The number of connections that were opened.
    package var connectionCount: Int { shared.withLock { $0.connectionCount } }

    /// Removes all recorded requests and counts, but keeps the routes.
    package func forgetRequests() { shared.withLock { $0.forget() } }
}

/// A bound port without a listener: connections are refused.
private final class HeldPort: Sendable {
    private let handle: Int32

    init?(_ port: Int) {
        handle = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var yes: Int32 = 1
        setsockopt(handle, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(handle, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isBound else { return nil }
    }

    deinit { close(handle) }
}
