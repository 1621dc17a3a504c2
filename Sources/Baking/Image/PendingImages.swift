import Locks

/// The images that a document waits for.
final class PendingImages: Sendable {
    /// Those of the document that the current task bakes.
    @TaskLocal static var current: PendingImages?

    private let counts = Locked<[ImageLocation: Int]>([:])

    /// The sources of the images whose outcomes are not known yet.
    var sources: Set<ImageLocation> { Set(counts.withLock(\.keys)) }

    func add(_ source: ImageLocation) { counts.withLock { $0[source, default: 0] += 1 } }

    func remove(_ source: ImageLocation) {
        counts.withLock { $0[source] = ($0[source] ?? 0) > 1 ? $0[source, default: 0] - 1 : nil }
    }
}
