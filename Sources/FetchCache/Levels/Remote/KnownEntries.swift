/// The entries of a remote store that this run has read or written lately, by their sources.
///
/// An entry also tells what was made of its source, so a look-up of a header or a variant seldom needs
/// a request of its own. An entry is written again when more was made.
///
/// Variants have objects of their own too: another URL may give the same source, and of two
/// machines that write an entry at the same moment, one loses its results. An entry that was not
/// read is read before it is written, because another machine may have put results into it.
struct KnownEntries {
    private struct Source {
        /// By the names of their objects; none if the first one is yet to be written.
        var entries: [String: RemoteEntry]
        /// The results of the source, oldest first.
        var results: [RemoteEntry.Result]
        /// Whether there are results that no entry in the store has.
        var isChanged = false
    }

    /// The most sources that are remembered.
    private let limit: Int
    private var sources: [BlobDigest: Source] = [:]
    /// The source of each entry: the latest one that its URL gave.
    private var owners: [String: BlobDigest] = [:]
    /// The names of entries that the store does not have, or that cannot be read.
    private var absent: Set<String> = []
    /// The sources in the order of their arrival.
    private var order: [BlobDigest] = []
    /// The position of the first one in ``order`` that is still remembered.
    private var first = 0

    /// - Parameter limit: The most sources that are remembered.
    init(limit: Int) { self.limit = limit }

    /// Whether an entry was asked for or written.
    func isKnown(_ name: String) -> Bool { owners[name] != nil || absent.contains(name) }

    /// Remembers that there is no entry.
    mutating func noteAbsent(_ name: String) {
        // To ask once more does no harm.
        if absent.count >= limit { absent = [] }
        absent.insert(name)
    }

    /// Remembers a source whose entry will be written after its blob, so that results are kept for it.
    mutating func expect(_ source: BlobDigest) {
        if sources[source] == nil { add(source) }
    }

    /// Remembers an entry that was read, or that is about to be written.
    ///
    /// - Returns: The entry with the results of its source.
    @discardableResult
    mutating func note(_ entry: RemoteEntry, as name: String, of source: BlobDigest) -> RemoteEntry
    {
        if sources[source] == nil { add(source) }
        if let other = owners.updateValue(source, forKey: name), other != source {
            sources[other]?.entries[name] = nil
        }
        for result in entry.results ?? [] { note(result, of: source) }
        sources[source]?.entries[name] = entry
        var entry = entry
        entry.results = sources[source]?.results
        return entry
    }

    /// Remembers that the store has an entry as ``note(_:as:of:)`` has returned it.
    mutating func noteWritten(_ entry: RemoteEntry, of source: BlobDigest) {
        // Entries of other URLs, and later results, are still to be written.
        guard let known = sources[source], known.entries.count == 1, known.results == entry.results
        else { return }
        sources[source]?.isChanged = false
    }

    /// Remembers that an entry of a source is still to be written.
    mutating func noteChanged(_ source: BlobDigest) { sources[source]?.isChanged = true }

    /// Adds a result that the store should know.
    ///
    /// - Returns: Whether an entry of the source is known or expected.
    mutating func add(_ result: RemoteEntry.Result, of source: BlobDigest) -> Bool {
        guard sources[source] != nil else { return false }
        note(result, of: source)
        sources[source]?.isChanged = true
        return true
    }

    /// A result of a source; nil if none is known.
    func result(_ name: String, of source: BlobDigest) -> RemoteVariant? {
        sources[source]?.results.last { $0.name == name }?.variant
    }

    /// The names of the entries of a source with results that the store lacks, which count as written
    /// then.
    mutating func takeChanged(of source: BlobDigest) -> [String] {
        guard let known = sources[source], known.isChanged, !known.entries.isEmpty else {
            return []
        }
        sources[source]?.isChanged = false
        return Array(known.entries.keys)
    }

    /// An entry with the results of its source; nil if the latest one of its URL has another source.
    func entry(_ name: String, of source: BlobDigest) -> RemoteEntry? {
        var entry = sources[source]?.entries[name]
        entry?.results = sources[source]?.results
        return entry
    }

    /// The sources with results that the store lacks.
    var changed: [BlobDigest] { sources.filter(\.value.isChanged).map(\.key) }

    private mutating func note(_ result: RemoteEntry.Result, of source: BlobDigest) {
        sources[source]?.results.removeAll { $0.name == result.name }
        sources[source]?.results.append(result)
        let count = sources[source]?.results.count ?? 0
        sources[source]?.results.removeFirst(max(0, count - RemoteEntry.mostResults))
    }

    private mutating func add(_ source: BlobDigest) {
        sources[source] = Source(entries: [:], results: [])
        order.append(source)
        guard sources.count > limit else { return }
        for name in sources.removeValue(forKey: order[first])?.entries.keys ?? [:].keys {
            owners[name] = nil
        }
        first += 1
        if first > limit {
            order.removeFirst(first)
            first = 0
        }
    }
}
