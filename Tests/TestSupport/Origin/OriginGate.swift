import NIOCore
import NIOPosix

/// Holds answers back until a test opens it: so requests overlap for as long as the test wants, and not
/// for some milliseconds.
package final class OriginGate: Sendable {
    private let promise = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: Void.self)

    package init() {}

    deinit { open() }

    /// Lets all answers go, now and from now on.
    package func open() { promise.succeed(()) }

    var opened: EventLoopFuture<Void> { promise.futureResult }
}
