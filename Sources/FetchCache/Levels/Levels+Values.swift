/// Small values that callers store.
extension Levels {
    /// The values of some keys; a key without a value is left out.
    func values(
        for keys: [String], in namespace: String
    ) async throws(FetchError) -> [String: [UInt8]] {
        let found = try await disk.index.values(for: keys, in: namespace)
        var values: [String: [UInt8]] = [:]
        for (key, value) in found {
            values[key] = value.bytes
            if Touch.isDue(value.lastUse, at: now) {
                disk.index.touch(.value(namespace: namespace, key: key), at: now)
            }
        }
        for level in readOnly where values.count < keys.count {
            let missing = keys.filter { values[$0] == nil }
            guard let more = try? await level.index.values(for: missing, in: namespace) else {
                continue
            }
            values.merge(more.mapValues(\.bytes)) { own, _ in own }
        }
        return values
    }
}
