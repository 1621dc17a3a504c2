import Locks
package import Sites

/// The images that a document waits for.
package final class PendingImages: Sendable {
    /// Those of the document that the current task bakes.
    @TaskLocal package static var current: PendingImages?

    private let counts = Locked<[ImageLocation: Int]>([:])

    package init() {}

    /// The sources of the images whose outcomes are not known yet.
    package var sources: Set<ImageLocation> { Set(counts.withLock(\.keys)) }

    func add(_ source: ImageLocation) { counts.withLock { $0[source, default: 0] += 1 } }

    func remove(_ source: ImageLocation) {
        counts.withLock { $0[source] = ($0[source] ?? 0) > 1 ? $0[source, default: 0] - 1 : nil }
    }
}
