import Testing

@testable import FetchCache

struct MemoryCacheTests {
    private func entry(_ key: String) throws -> Entry {
        let digest = try #require(BlobDigest(hex: String(repeating: "0", count: 64)))
        return Entry(
            key: key, finalURL: key, digest: digest, byteCount: 0, mediaType: .png, status: 200,
            fieldText: "", responseTime: .distantPast, freshUntil: .distantPast,
            lastUse: .distantPast)
    }

    @Test func holdsNoMoreThanItsCapacity() throws {
        var cache = MemoryCache(capacity: 3)
        for key in ["a", "b", "c", "d"] { cache.put(try entry(key)) }
        #expect(cache.count == 3)
        #expect(cache["a"] == nil)
        #expect(cache["d"]?.key == "d")
    }

    @Test func keepsWhatIsUsed() throws {
        var cache = MemoryCache(capacity: 3)
        for key in ["a", "b", "c"] { cache.put(try entry(key)) }
        _ = cache["a"]
        cache.put(try entry("d"))
        #expect(cache["a"] != nil)
        #expect(cache["b"] == nil)
    }

    @Test func forgetsWhatIsRemoved() throws {
        var cache = MemoryCache(capacity: 3)
        for round in 0..<100 {
            cache.put(try entry("\(round)"))
            cache.remove("\(round)")
        }
        #expect(cache.count == 0)
        for key in ["a", "b", "c", "a"] { cache.put(try entry(key)) }
        #expect(cache.count == 3)
    }
}
