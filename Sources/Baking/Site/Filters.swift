/// Which documents of a site are read, by their paths relative to it.
package struct DocumentFilter: Encodable, Hashable, Sendable {
    /// Documents that are not read; empty by default.
    package var ignored: [Glob] = []
    /// If there is one, the only documents that are read.
    package var included: [Glob] = []

    package init() {}

    func takes(_ path: String) -> Bool {
        if ignored.contains(where: { $0.matches(path) }) { return false }
        return included.isEmpty || included.contains { $0.matches(path) }
    }
}

/// Which images of other hosts are made local, by their normalised URLs, with their scheme or without
/// it.
package struct URLFilter: Encodable, Hashable, Sendable {
    /// URLs that are left as they are; empty by default.
    package var ignored: [Glob] = []
    /// If there is one, the only URLs that are not left.
    package var included: [Glob] = []

    package init() {}

    func takes(_ url: String) -> Bool {
        if ignored.isEmpty && included.isEmpty { return true }
        let bare = url.utf8.firstRange(of: "://".utf8).map { String(url[$0.upperBound...]) }
        func matches(_ glob: Glob) -> Bool {
            glob.matches(url) || bare.map(glob.matches) == true
        }
        if ignored.contains(where: matches) { return false }
        return included.isEmpty || included.contains(where: matches)
    }
}
