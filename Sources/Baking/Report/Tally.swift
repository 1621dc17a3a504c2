import FetchCache
import Synchronization

/// What a bake has done so far.
package struct Counts: Codable, Hashable, Sendable {
    /// Documents found by the scan.
    package var documents = 0
    /// Documents that need nothing more.
    package var documentsDone = 0
    /// Documents that were written, or in a dry run would be.
    package var documentsRewritten = 0
    /// References to images on other hosts, and those to local images if they are baked too.
    package var references = 0
    /// Distinct images that these references name, one made in two ways counted twice.
    package var images = 0
    /// Downloaded whole.
    package var fetched = 0
    /// Asked for with a condition, and unchanged.
    package var unchanged = 0
    /// Taken from the cache without a request, or because the server failed.
    package var cached = 0
    /// Found in the site itself.
    package var local = 0
    /// Without an image: not fetched, not decoded or refused.
    package var failed = 0
    /// Of ``images``, those that were transformed in this bake.
    package var transformed = 0
    /// Bytes of the sources of all images that did not fail.
    package var bytesBefore = 0
    /// Bytes of their variants.
    package var bytesAfter = 0

    package init() {}

    /// Images whose outcome is known.
    package var imagesDone: Int { fetched + unchanged + cached + local + failed }
}

/// The counts of a running bake, for all its tasks to add to and its progress to be drawn from.
package final class Tally: Sendable {
    private let counts = Mutex(Counts())

    package init() {}

    package var now: Counts { counts.withLock { $0 } }

    func add(_ change: (inout Counts) -> Void) {
        counts.withLock { change(&$0) }
    }
}
