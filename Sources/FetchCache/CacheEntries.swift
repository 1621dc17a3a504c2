/// The entries of a cache folder; see ``FetchManager/entries``.
///
/// They are read in pages, so memory does not grow with their number. Entries that are written or
/// removed meanwhile may be missing.
public struct CacheEntries: AsyncSequence, Sendable {
    let index: Index

    /// Reads the entries; see ``CacheEntries``.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private static let pageSize = 500

        private let index: Index
        private var page: ArraySlice<Entry> = []
        private var last: Entry?
        private var isAtEnd = false

        init(_ index: Index) { self.index = index }

        /// The next entry; nil at the end.
        ///
        /// - Throws: ``FetchError/Code/storage``.
        public mutating func next() async throws(FetchError) -> CacheEntry? {
            try await next(isolation: nil)
        }

        /// The next entry; nil at the end.
        ///
        /// - Throws: ``FetchError/Code/storage``.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(FetchError) -> CacheEntry? {
            if page.isEmpty, !isAtEnd {
                page = try await index.entries(after: last, count: Self.pageSize)[...]
                isAtEnd = page.isEmpty
            }
            last = page.popFirst() ?? last
            return isAtEnd ? nil : last.map(CacheEntry.init)
        }
    }

    /// Begins with the first entry.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(index) }
}
