import FetchCache
import Glibc
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct VariantTests {
    private func write(_ bytes: [UInt8], to path: FilePath) throws {
        let handle = open(path.string, O_WRONLY | O_CREAT | O_EXCL, 0o644)
        defer { close(handle) }
        guard Glibc.write(handle, bytes, bytes.count) == bytes.count else {
            throw POSIXFailure(code: errno)
        }
    }

    @Test func findsVariantsBySourceRecipeAndEncoder() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png())
        let source = try await fixture.load("/a.png").digest
        let cache = fixture.cache
        #expect(try await cache.variant(of: source, recipe: "r", encoder: "e") == nil)

        let path = try cache.temporaryFile()
        try write(png(7, count: 50_000), to: path)
        let stored = try await cache.storeVariant(
            fileAt: path, of: source, recipe: "r", encoder: "e", metadata: "600x400")

        #expect(bytes(of: path) == nil)
        #expect(bytes(of: stored.path) == png(7, count: 50_000))
        #expect(try await cache.variant(of: source, recipe: "r", encoder: "e") == stored)
        #expect(stored.metadata == "600x400")
        #expect(try await cache.variant(of: source, recipe: "s", encoder: "e") == nil)
        #expect(try await cache.variant(of: source, recipe: "r", encoder: "f") == nil)
        #expect(try await cache.variant(of: stored.digest, recipe: "r", encoder: "e") == nil)
        await fixture.close()
        let reopened = try fixture.reopened()
        #expect(try await reopened.variant(of: source, recipe: "r", encoder: "e") == stored)
    }

    @Test(arguments: [true, false])
    func damagedBlobIsNotReturned(_ isMissing: Bool) async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png())
        let source = try await fixture.load("/a.png").digest
        let path = try fixture.cache.temporaryFile()
        try write(png(7), to: path)
        let stored = try await fixture.cache.storeVariant(
            fileAt: path, of: source, recipe: "r", encoder: "e")
        try damage(stored.path, isMissing: isMissing)
        #expect(try await fixture.cache.variant(of: source, recipe: "r", encoder: "e") == nil)
    }

    @Test func variantCanBeTheSource() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png())
        let source = try await fixture.load("/a.png")
        let stored = try await fixture.cache.storeVariant(
            sameAs: source.digest, recipe: "r", encoder: "e", metadata: "m")
        #expect(stored.path == source.path)
        #expect(
            try await fixture.cache.variant(of: source.digest, recipe: "r", encoder: "e") == stored)
    }

    @Test func missingFileFails() async throws {
        let fixture = try await Fixture()
        let digest = try #require(BlobDigest(hex: String(repeating: "0a", count: 32)))
        let path = try fixture.cache.temporaryFile()
        await #expect(throws: FetchError.self) {
            try await fixture.cache.storeVariant(fileAt: path, of: digest, recipe: "", encoder: "")
        }
        await #expect(throws: FetchError.self) {
            try await fixture.cache.storeVariant(sameAs: digest, recipe: "", encoder: "")
        }
    }
}

struct ValueTests {
    @Test func storesValuesByNamespaceAndKey() async throws {
        let fixture = try await Fixture()
        let cache = fixture.cache
        try await cache.setValues(["a": [1, 2], "b": []], in: "x")
        try await cache.setValues(["a": [3]], in: "y")
        try await cache.setValues(["b": [9, 0, 255]], in: "x")
        #expect(
            try await cache.values(for: ["a", "b", "c"], in: "x") == [
                "a": [1, 2], "b": [9, 0, 255],
            ])
        #expect(try await cache.value(for: "a", in: "y") == [3])
        #expect(try await cache.value(for: "b", in: "y") == nil)
        await fixture.close()
        let reopened = try fixture.reopened()
        #expect(try await reopened.value(for: "a", in: "x") == [1, 2])
    }
}

struct BlobDigestTests {
    @Test func digestRoundTrips() throws {
        let hex = "00ff0123456789abcdeffedcba98765432100f1e2d3c4b5a69788796a5b4c3d2"
        let digest = try #require(BlobDigest(hex: hex))
        #expect(digest.hex == hex)
        #expect(BlobDigest(hex: hex.uppercased()) == digest)
        #expect(BlobDigest(lowercaseHex: hex) == digest)
        #expect(BlobDigest(lowercaseHex: hex.uppercased()) == nil)
        #expect(BlobDigest(bytes: (0..<32).map { UInt8($0) })?.hex.hasPrefix("000102") == true)
    }

    @Test(arguments: [
        "", "00", String(repeating: "g", count: 64), String(repeating: "0", count: 65),
    ])
    func refusesInvalidDigests(_ hex: String) {
        #expect(BlobDigest(hex: hex) == nil)
        #expect(BlobDigest(bytes: [UInt8](repeating: 0, count: 31)) == nil)
        #expect(BlobDigest(bytes: [UInt8](repeating: 0, count: 33)) == nil)
    }
}
