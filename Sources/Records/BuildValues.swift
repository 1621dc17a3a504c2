package import FetchCache

/// Values of the cache that are cheap to make again.
///
/// Each belongs to the build that made it. A build takes the value of another one for missing and
/// replaces it. So a change of the code never meets a result of older code, and no version has to be
/// raised by hand.
package struct BuildValues: Sendable {
    /// The result of a look-up.
    package enum Found: Equatable {
        case none
        /// There is a value of another build.
        case outdated
        case value([UInt8])
    }

    /// The namespace in the cache.
    let name: String
    package let cache: FetchManager

    package init(
        name: String, cache: FetchManager
    ) {
        self.name = name
        self.cache = cache
    }

    package func find(_ key: String, of build: String) async throws(FetchError) -> Found {
        guard var bytes = try await cache.value(for: key, in: name) else { return .none }
        let mark = Array(build.utf8) + [UInt8(ascii: "\n")]
        guard bytes.starts(with: mark) else { return .outdated }
        // In place: some values are megabytes.
        bytes.removeFirst(mark.count)
        return .value(bytes)
    }

    /// The value of this build.
    package func value(for key: String, of build: String) async throws(FetchError) -> [UInt8]? {
        guard case .value(let bytes) = try await find(key, of: build) else { return nil }
        return bytes
    }

    package func set(_ value: [UInt8], for key: String, of build: String) async throws(FetchError) {
        let mark = Array(build.utf8) + [UInt8(ascii: "\n")]
        try await cache.setValues([key: mark + value], in: name)
    }

    package func remove(_ key: String) async throws(FetchError) {
        try await cache.removeValues(for: [key], in: name)
    }

    /// Records that a value is still needed.
    package func use(_ key: String) { cache.useValue(for: key, in: name) }
}
