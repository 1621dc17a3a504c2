extension FetchManager {
    /// Returns small values that the caller has stored, by their keys.
    ///
    /// - Parameters:
    ///   - keys: The keys, which are all looked up in one transaction.
    ///   - namespace: Separates the keys of one purpose from those of another.
    /// - Returns: The values; a key without a value is left out.
    /// - Throws: ``FetchError/Code/storage``.
    package func values(
        for keys: [String], in namespace: String
    ) async throws(FetchError) -> [String: [UInt8]] {
        try await levels.values(for: keys, in: namespace)
    }

    /// Returns one value that the caller has stored; nil if there is none.
    package func value(
        for key: String, in namespace: String
    ) async throws(FetchError) -> [UInt8]? {
        try await values(for: [key], in: namespace)[key]
    }

    /// Records the use of a value, without a look-up.
    package func useValue(for key: String, in namespace: String) {
        levels.disk.index.touch(.value(namespace: namespace, key: key), at: levels.now)
    }

    /// Stores small values in one transaction, replacing the previous values of their keys.
    ///
    /// - Parameters:
    ///   - values: The values by their keys, each of a few kilobytes at most.
    ///   - namespace: Separates the keys of one purpose from those of another.
    /// - Throws: ``FetchError/Code/storage``, in which case none of the values is stored.
    package func setValues(
        _ values: [String: [UInt8]], in namespace: String
    ) async throws(FetchError) {
        if values.isEmpty { return }
        try await levels.disk.index.put(values, in: namespace, at: levels.now)
    }

    /// Removes small values in one transaction.
    ///
    /// - Parameters:
    ///   - keys: The keys; one without a value is not an error.
    ///   - namespace: The namespace of the keys.
    /// - Throws: ``FetchError/Code/storage``.
    package func removeValues(for keys: [String], in namespace: String) async throws(FetchError) {
        if keys.isEmpty { return }
        try await levels.disk.index.removeValues(for: keys, in: namespace)
    }
}
