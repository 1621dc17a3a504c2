/// A read-only cache folder.
struct ReadOnlyLevel: Sendable {
    let index: Index
    let blobs: BlobStore

    /// - Throws: ``FetchError/Code/storage`` if it does not exist or cannot be read.
    init(root: String, namespace: String) throws(FetchError) {
        let layout = CacheLayout(root: root, namespace: namespace)
        index = try Index(readingOnly: layout.root)
        blobs = BlobStore(layout: layout)
    }

    /// The entries of a key with the locations of their blobs, latest response first.
    func entries(for key: String) async throws(FetchError) -> [Entry] {
        try await index.entries(for: key).map(located)
    }

    /// The entries of several keys, read synchronously.
    func entries(for keys: [String]) throws(FetchError) -> [[Entry]] {
        try index.entries(for: keys).map { $0.map(located) }
    }

    private func located(_ entry: Entry) -> Entry {
        var entry = entry
        entry.location = .readOnly(path: blobs.layout.blob(entry.digest))
        return entry
    }
}
