import NIOCore

/// The routes of the origin and the requests that it has received.
struct OriginState {
    typealias Handler = @Sendable (OriginRequest) -> OriginRoute

    var handlers: [String: Handler] = [:]
    /// The default handler.
    var rest: Handler = { _ in .status(404) }
    private(set) var requests: [OriginRequest] = []
    private(set) var maximumSimultaneous = 0
    private(set) var maximumSimultaneousPerHost: [String: Int] = [:]
    private var running: [String: Int] = [:]
    private var channels: [ObjectIdentifier: any Channel] = [:]
    private(set) var connectionCount = 0

    /// The handler for a request: by its path and query, then by its path only, then the default.
    func handler(for request: OriginRequest) -> Handler {
        handlers[request.target] ?? handlers[request.path] ?? rest
    }

    mutating func begin(_ request: OriginRequest) {
        requests.append(request)
        let host = request.header("Host") ?? ""
        running[host, default: 0] += 1
        maximumSimultaneous = max(maximumSimultaneous, running.values.reduce(0, +))
        maximumSimultaneousPerHost[host] = max(
            maximumSimultaneousPerHost[host] ?? 0, running[host] ?? 0)
    }

    mutating func end(host: String) {
        running[host, default: 1] -= 1
    }

    mutating func forget() {
        requests = []
        maximumSimultaneous = 0
        maximumSimultaneousPerHost = [:]
        connectionCount = 0
    }

    mutating func opened(_ channel: any Channel) {
        connectionCount += 1
        channels[ObjectIdentifier(channel)] = channel
    }

    mutating func closed(_ channel: any Channel) {
        channels[ObjectIdentifier(channel)] = nil
    }

    /// The open connections.
    var openChannels: [any Channel] { Array(channels.values) }
}
