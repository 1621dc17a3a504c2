import NIOCore
import NIOPosix

/// Holds back responses until a test opens it.
///
/// Requests then overlap for as long as the test needs, without fixed delays.
package final class OriginGate: Sendable {
    private let promise = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: Void.self)

    package init() {}

    deinit { open() }

    /// Releases all responses, now and from now on.
    package func open() { promise.succeed(()) }

    var opened: EventLoopFuture<Void> { promise.futureResult }
}
