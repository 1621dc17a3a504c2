import Locks

/// Holds answers back, and releases the first ones in the order of the requests.
///
/// A client then never gets more answers than a test allows, however slow the machine is.
package final class OriginQueue: Sendable {
    private struct TooFewRequests: Error {
        let count: Int
    }

    private let gates = Locked<[OriginGate]>([])

    package init() {}

    /// The same answer, held back.
    package func hold(_ route: OriginRoute) -> OriginRoute {
        let gate = OriginGate()
        var route = route
        route.gate = gate
        gates.withLock { $0.append(gate) }
        return route
    }

    /// Releases the first `count` answers, each as soon as it is asked for.
    ///
    /// - Throws: If they are not asked for within a minute.
    package func release(_ count: Int) async throws {
        for index in 0..<count {
            try await wait(for: index + 1)
            gates.withLock { $0[index] }.open()
        }
    }

    /// Waits until `count` answers are asked for, those that were released included.
    ///
    /// - Throws: If they are not asked for within a minute.
    package func wait(for count: Int) async throws {
        for _ in 0..<6_000 where requestCount < count {
            try await Task.sleep(for: .milliseconds(10))
        }
        guard requestCount >= count else { throw TooFewRequests(count: requestCount) }
    }

    private var requestCount: Int { gates.withLock { $0.count } }
}
