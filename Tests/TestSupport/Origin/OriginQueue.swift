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
            for _ in 0..<6_000 where requestCount <= index {
                try await Task.sleep(for: .milliseconds(10))
            }
            guard requestCount > index else { throw TooFewRequests(count: requestCount) }
            gates.withLock { $0[index] }.open()
        }
    }

    private var requestCount: Int { gates.withLock { $0.count } }
}
