import Dispatch
import Synchronization

/// Runs what blocks on a file of any size beside Swift's cooperative threads, on a bounded number of
/// threads.
enum BlockingCalls {
    private static let queues = (0..<4).map { DispatchQueue(label: "imgbake.blocking.\($0)") }
    private static let next = Atomic<Int>(0)

    static func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        let number = next.add(1, ordering: .relaxed).newValue
        return try await withCheckedThrowingContinuation { continuation in
            queues[number % queues.count].async {
                continuation.resume(with: Result(catching: body))
            }
        }
    }
}
