import Synchronization

/// The total transfer time of one download, without the time in the queue.
final class TransferTime: Sendable {
    private let total = Atomic<Int64>(0)

    var milliseconds: Int64 { total.load(ordering: .relaxed) }

    func add(_ milliseconds: Int64) { total.wrappingAdd(milliseconds, ordering: .relaxed) }
}
