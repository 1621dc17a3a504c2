/// Selects the documents of a site that are read, by their paths relative to it.
package struct DocumentFilter: Encodable, Hashable, Sendable {
    /// Documents that are not read; empty by default.
    package var ignored: [Glob] = []
    /// If this is not empty, only these documents are read.
    package var included: [Glob] = []
    /// The path of the only document that is read; nil, the default, for all.
    package var only: String?

    package init() {}

    func takes(_ path: String) -> Bool {
        if let only { return path == only }
        // Each pattern learns whether it is used.
        if !ignored.filter({ $0.matches(path) }).isEmpty { return false }
        return included.isEmpty || !included.filter { $0.matches(path) }.isEmpty
    }
}

/// Selects the images of other hosts that are made local, by their normalised URLs, with or without
/// the scheme.
package struct URLFilter: Encodable, Hashable, Sendable {
    /// URLs that are left as they are; empty by default.
    package var ignored: [Glob] = []
    /// If this is not empty, all other URLs are left as they are.
    package var included: [Glob] = []

    package init() {}

    package func takes(_ url: String) -> Bool {
        if ignored.isEmpty && included.isEmpty { return true }
        if !ignored.filter({ $0.matches(url: url) }).isEmpty { return false }
        return included.isEmpty || !included.filter { $0.matches(url: url) }.isEmpty
    }
}
