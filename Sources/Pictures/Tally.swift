package import FetchCache
import Locks
package import Reports

/// The work that a bake has done so far.
package struct Counts: Codable, Hashable, Sendable {
    /// Documents found by the scan.
    package var documents = 0
    /// Documents that are complete.
    package var documentsDone = 0
    /// The part of ``documentsDone`` that was read, and not known from an earlier bake.
    package var documentsRead = 0
    /// Documents with replaced references, also if they need no write because an earlier bake has
    /// written them.
    package var documentsRewritten = 0
    /// References to images on other hosts, and to local images if they are baked too.
    package var references = 0
    /// Distinct URLs of images that these references name, however many files are made of each.
    package var images = 0
    /// Images that were downloaded completely.
    package var fetched = 0
    /// Images that a conditional request found unchanged.
    package var unchanged = 0
    /// Images taken from the cache without a request, or because the server failed.
    package var cached = 0
    /// Images of the site itself.
    package var local = 0
    /// Images of which a file failed: not fetched, not decoded or refused.
    package var failed = 0
    /// Files that were made in this bake.
    package var transformed = 0
    /// The bytes of the sources of all images that did not fail, each URL counted once.
    package var bytesBefore = 0
    /// The bytes of their variants.
    package var bytesAfter = 0

    package init() {}

    /// Images whose outcome is known.
    package var imagesDone: Int { fetched + unchanged + cached + local + failed }
}

/// The counts of a running bake.
///
/// All its tasks add to them, and the progress display reads them.
package final class Tally: Sendable {
    private let counts = Locked(Counts())
    private let largest = Locked(LargestImages())
    private let times = Locked(ImageTimes())
    private let keptImages = Locked(KeptImages())
    /// The URLs of the images that are ready.
    private let sources = Locked<Set<String>>([])
    /// The counts that images belong to, by their URLs; nil while that is not known.
    private let outcomes = Locked<[String: Outcome?]>([:])

    package typealias Outcome = any WritableKeyPath<Counts, Int> & Sendable

    package init() {}

    package var now: Counts { counts.withLock { $0 } }

    /// The largest images so far.
    package var largestImages: [LargeImage] { largest.withLock(\.images) }

    /// The slowest images.
    ///
    /// - Parameter loads: The seconds of the loads, by URL.
    /// - Returns: A few images, the slowest first.
    package func slowestImages(_ loads: [String: Double]) -> [SlowImage] {
        times.withLock { $0.slowest(loads) }
    }

    /// The seconds that each image took, by URL; parameters as in ``slowestImages(_:)``.
    package func imageSeconds(_ loads: [String: Double]) -> [String: Double] {
        times.withLock { $0.seconds(loads) }
    }

    /// Notes what the image at `url` is made of, so that the jobs on it count as time of the image.
    func note(_ source: BlobDigest, of url: String) {
        times.withLock { $0.note(source, of: url) }
    }

    /// Adds the time of a job on a source.
    package func add(seconds: Double, on source: BlobDigest) {
        times.withLock { $0.add(seconds, on: source) }
    }

    /// Counts an image, once for all files that are made of it.
    ///
    /// - Parameters:
    ///   - url: Its URL.
    ///   - outcome: The count that it belongs to: that of its first file, or of one that fails; nil
    ///     while that is not known.
    package func count(_ url: String, as outcome: Outcome? = nil) {
        let (isNew, old) = outcomes.withLock { known -> (Bool, Outcome?) in
            guard let old = known[url] else {
                known.updateValue(outcome, forKey: url)
                return (true, nil)
            }
            guard let outcome, old == nil || outcome == \Counts.failed else {
                return (false, outcome)
            }
            known[url] = outcome
            return (false, old)
        }
        add {
            if isNew { $0.images += 1 }
            if let old { $0[keyPath: old] -= 1 }
            if let outcome { $0[keyPath: outcome] += 1 }
        }
    }

    /// Counts an image no more whose only file was stopped.
    func uncount(_ url: String) {
        let isUnknown = outcomes.withLock { known in
            guard known[url] == .some(nil) else { return false }
            return known.removeValue(forKey: url) != nil
        }
        if isUnknown { add { $0.images -= 1 } }
    }

    /// Counts the bytes of a file that is ready.
    ///
    /// The bytes of its source count once, even if several variants are made of it.
    ///
    /// - Parameters:
    ///   - url: The URL of its source.
    ///   - before: The bytes of the source.
    ///   - after: The bytes of the variant.
    ///   - quality: See ``BakedImage/quality``.
    package func add(_ url: String, before: Int, after: Int, quality: Int?) {
        let isFirst = sources.withLock { $0.insert(url).inserted }
        add {
            if isFirst { $0.bytesBefore += before }
            $0.bytesAfter += after
        }
        largest.withLock { $0.add(url, before: before, after: after, quality: quality) }
    }

    /// The images that get fewer files than the options ask for.
    package var kept: KeptImages { keptImages.withLock(\.self) }

    package func add(_ kept: KeptImages) {
        keptImages.withLock { $0.add(kept) }
    }

    package func add(_ change: (inout Counts) -> Void) {
        counts.withLock { change(&$0) }
    }
}
