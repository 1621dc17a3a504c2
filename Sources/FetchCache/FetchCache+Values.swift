extension FetchCache {
    /// Small things that the caller has remembered, by their keys.
    ///
    /// - Parameters:
    ///   - keys: All are looked up in one transaction, on the caller's thread.
    ///   - namespace: Keeps the keys of one purpose from those of another.
    /// - Returns: The values; a key that has none is left out.
    /// - Throws: ``FetchError/Code/storage``.
    public func values(
        for keys: [String], in namespace: String
    ) throws(FetchError) -> [String: [UInt8]] {
        let found = try index.values(for: keys, in: namespace)
        var values: [String: [UInt8]] = [:]
        for (key, value) in found {
            values[key] = value.bytes
            if Touch.isDue(value.lastUse, at: now) {
                index.touch(.value(namespace: namespace, key: key))
            }
        }
        for fallback in fallbacks where values.count < keys.count {
            let missing = keys.filter { values[$0] == nil }
            guard let more = try? fallback.index.values(for: missing, in: namespace) else {
                continue
            }
            values.merge(more.mapValues(\.bytes)) { own, _ in own }
        }
        return values
    }

    /// One thing that the caller has remembered; nil if there is none.
    public func value(for key: String, in namespace: String) throws(FetchError) -> [UInt8]? {
        try values(for: [key], in: namespace)[key]
    }

    /// Remembers small things in one transaction, over what their keys had.
    ///
    /// - Parameters:
    ///   - values: Of some kilobytes each at most, by their keys.
    ///   - namespace: Keeps the keys of one purpose from those of another.
    /// - Throws: ``FetchError/Code/storage``, after which none of them is remembered.
    public func setValues(
        _ values: [String: [UInt8]], in namespace: String
    ) async throws(FetchError) {
        if values.isEmpty { return }
        try await index.put(values, in: namespace, at: now)
    }
}
