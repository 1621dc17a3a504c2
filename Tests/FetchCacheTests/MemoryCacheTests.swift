import Testing

@testable import FetchCache

/// The limits are cost and count; the least recently used entry is removed first.
struct MemoryCacheTests {
    private func entry(
        _ key: String, byteCount: Int = 0, inMemory: Bool = false,
        arrival: Timestamp = .distantPast
    ) throws -> Entry {
        let digest = try #require(BlobDigest(hex: String(repeating: "0", count: 64)))
        return Entry(
            key: key, url: key, finalURL: key, digest: digest, byteCount: byteCount,
            mediaType: .png,
            response: StoredResponse(
                version: "HTTP/1.1", status: 200, fieldText: "", arrival: arrival,
                expiry: .distantPast),
            lastUse: .distantPast, location: inMemory ? .memory(path: "/tmp/\(key)") : nil)
    }

    @Test func respectsCountLimit() throws {
        var cache = MemoryCache(countLimit: 3, costLimit: .max)
        for key in ["a", "b", "c"] { #expect(try cache.put(entry(key)).isEmpty) }
        #expect(try cache.put(entry("d")).map(\.key) == ["a"])
        #expect(cache.count == 3)
        #expect(cache["a"] == nil)
        #expect(cache["d"]?.key == "d")
    }

    /// A load may read an entry while another one gets a newer response.
    @Test func entryThatWasReadEarlierDoesNotReplaceANewerOne() throws {
        let level = MemoryLevel()
        let (old, new) = (Timestamp(milliseconds: 1), Timestamp(milliseconds: 2))
        level.remember(try entry("a", arrival: new))
        level.remember(try entry("a", arrival: old), unlessNewer: true)
        #expect(level.entry(for: "a")?.response.arrival == new)
        level.remember(try entry("a", arrival: old))
        #expect(level.entry(for: "a")?.response.arrival == old)
        level.remember(try entry("a", arrival: new), unlessNewer: true)
        #expect(level.entry(for: "a")?.response.arrival == new)
    }

    @Test(arguments: [(0, Int.max), (10, 0)])
    func storesNothingAtSizeZero(_ count: Int, cost: Int) throws {
        var cache = MemoryCache(countLimit: count, costLimit: cost)
        #expect(try cache.put(entry("a")).isEmpty)
        #expect(try cache.put(entry("b", inMemory: true)).isEmpty)
        #expect(cache["a"] == nil)
        #expect(cache.count == 0)
        #expect(cache.cost == 0)
    }

    @Test func keepsRecentlyUsedEntries() throws {
        var cache = MemoryCache(countLimit: 3, costLimit: .max)
        for key in ["a", "b", "c"] { _ = try cache.put(entry(key)) }
        _ = cache["a"]
        _ = cache["b"]
        #expect(try cache.put(entry("d")).map(\.key) == ["c"])
        #expect(try cache.put(entry("e")).map(\.key) == ["a"])
    }

    @Test func respectsCostLimit() throws {
        let one = try entry("a", byteCount: 10_000, inMemory: true).memoryCost
        #expect(one > 10_000)
        var cache = MemoryCache(countLimit: 100, costLimit: 3 * one)
        for key in ["a", "b", "c"] {
            _ = try cache.put(entry(key, byteCount: 10_000, inMemory: true))
        }
        #expect(cache.cost == 3 * one)
        let evicted = try cache.put(entry("d", byteCount: 12_000, inMemory: true))
        #expect(evicted.map(\.key) == ["a", "b"])
        #expect(cache.count == 2)
    }

    @Test func bodyOnDiskHasNoCost() throws {
        #expect(try entry("a", byteCount: 1_000_000).memoryCost < 1000)
    }

    @Test func keepsNewestEntryOverCostLimit() throws {
        var cache = MemoryCache(countLimit: 3, costLimit: 100)
        #expect(try cache.put(entry("a")).isEmpty)
        #expect(cache["a"] != nil)
        #expect(try cache.put(entry("b")).map(\.key) == ["a"])
        #expect(cache.count == 1)
    }

    @Test func removesEntries() throws {
        var cache = MemoryCache(countLimit: 3, costLimit: .max)
        for round in 0..<100 {
            _ = try cache.put(entry("\(round)"))
            cache.remove("\(round)")
        }
        #expect(cache.count == 0)
        #expect(cache.cost == 0)
        for key in ["a", "b", "c", "a"] { _ = try cache.put(entry(key)) }
        #expect(cache.count == 3)
        #expect(cache.removeAll().count == 3)
        #expect(cache["a"] == nil)
    }

    /// Compares the cache with a simple list in the order of use.
    @Test func evictsLeastRecentlyUsed() throws {
        var random = SystemRandomNumberGenerator()
        var cache = MemoryCache(countLimit: 8, costLimit: .max)
        var list: [String] = []
        for _ in 0..<5000 {
            let key = "\(Int.random(in: 0..<20, using: &random))"
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                let isThere = cache[key] != nil
                #expect(isThere == list.contains(key))
                if isThere {
                    list.removeAll { $0 == key }
                    list.append(key)
                }
            case 1:
                _ = try cache.put(entry(key))
                list.removeAll { $0 == key }
                list.append(key)
                if list.count > 8 { list.removeFirst() }
            default:
                cache.remove(key)
                list.removeAll { $0 == key }
            }
            #expect(cache.count == list.count)
        }
    }
}
