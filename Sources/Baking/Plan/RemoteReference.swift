import Documents

/// The references of a document that name images on other hosts, as far as they can be baked.
struct RemoteReferences {
    struct Item {
        var reference: Reference
        /// The cache key.
        var url: String
    }

    var items: [Item] = []
    /// References that are meant for another host, but cannot be baked.
    var unusable: [(reference: Reference, reason: String)] = []

    init(_ extraction: Extraction) {
        for reference in extraction.references {
            switch RemoteURL(reference.url) {
            case .remote(let url): items.append(Item(reference: reference, url: url))
            case .local: break
            case .malformed(let reason): unusable.append((reference, reason))
            }
        }
    }

    /// The cache keys, each once, in the order of the document.
    var urls: [String] {
        var seen: Set<String> = []
        return items.map(\.url).filter { seen.insert($0).inserted }
    }

    var count: Int { items.count + unusable.count }
}
