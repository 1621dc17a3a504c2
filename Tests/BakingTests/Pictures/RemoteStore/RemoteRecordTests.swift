import Foundation
import Testing

@testable import FetchCache
@testable import Pictures

/// The records of a remote store, which anybody may have written.
@Suite struct RemoteRecordTests {
    private static let url = "https://example.org/a.png"
    private static let digest = BlobDigest(hashing: [1])
    private static let validity = ResponseValidity(
        etag: "\"a\"", lastModified: nil, vary: nil, selector: nil, arrival: 1_000, expiry: 2_000)

    private static let response = LevelResponse(
        url: url, digest: digest, byteCount: 7, mediaType: MediaType(rawValue: "image/png"),
        validity, isFromPublicAddress: true)

    private func entry() throws -> RemoteEntry { try #require(RemoteEntry(Self.response)) }

    @Test func entryIsReadAsItWasWritten() throws {
        let entry = try entry()
        let bytes = RemoteName.bytes(of: entry)
        #expect(bytes == RemoteName.bytes(of: entry))
        let read: RemoteEntry? = RemoteName.record(bytes)
        #expect(read == entry)
        let response = try #require(read?.response(to: Self.url))
        #expect(response.digest == Self.digest && response.byteCount == 7)
        #expect(response.publicValidity == Self.validity)
        #expect(response.isFromPublicAddress)
        // The URL is not told.
        #expect(!String(decoding: bytes, as: UTF8.self).contains("example"))
    }

    @Test(
        arguments: [
            { $0.byteCount = 0 }, { $0.byteCount = -1 }, { $0.byteCount = 1 << 41 },
            { $0.validity.arrival = -1 },
            { $0.validity.expiry = .max }, { $0.validity.etag = "a\r\nX: b" },
            { $0.validity.vary = String(repeating: "a", count: 1_001) },
            { $0.validity.lastModified = "\u{0}" }, { $0.mediaType = "image/png\n" },
        ] as [@Sendable (inout RemoteEntry) -> Void])
    func impossibleEntryGivesNoResponse(change: @Sendable (inout RemoteEntry) -> Void) throws {
        var entry = try entry()
        change(&entry)
        #expect(entry.response(to: Self.url) == nil)
    }

    @Test(arguments: ["x", "", String(repeating: "0", count: 65)])
    func impossibleDigestIsRefused(text: String) throws {
        let bytes = String(decoding: RemoteName.bytes(of: try entry()), as: UTF8.self)
        let other = bytes.replacing(Self.digest.hex, with: text)
        #expect(other != bytes)
        let read: RemoteEntry? = RemoteName.record(Array(other.utf8))
        #expect(read == nil)
    }

    @Test func variantIsReadAsItWasWritten() {
        let variant = LevelVariant(
            source: Self.digest, recipe: "r", encoder: "e", digest: BlobDigest(hashing: [2]),
            byteCount: 3, metadata: "{\"a\":1}")
        let bytes = RemoteName.bytes(of: RemoteVariant(variant))
        let read: RemoteVariant? = RemoteName.record(bytes)
        #expect(read?.variant(of: Self.digest, recipe: "r", encoder: "e") == variant)
        var other = read
        other?.byteCount = 0
        #expect(other?.variant(of: Self.digest, recipe: "r", encoder: "e") == nil)
    }

    @Test func everyTruncatedOrTooLongRecordIsRefused() throws {
        let bytes = RemoteName.bytes(of: try entry())
        for count in 0..<bytes.count {
            let read: RemoteEntry? = RemoteName.record(Array(bytes.prefix(count)))
            #expect(read == nil)
        }
        let long = bytes + [UInt8](repeating: 0x20, count: RemoteName.longestRecord)
        let read: RemoteEntry? = RemoteName.record(long)
        #expect(read == nil)
    }

    @Test func namesDifferForWhateverDiffers() {
        let other = BlobDigest(hashing: [2])
        let names = [
            RemoteName.blob(Self.digest), RemoteName.blob(other), RemoteName.entry("a"),
            RemoteName.entry("b"),
            RemoteName.variant(of: Self.digest, recipe: "a", encoder: "b"),
            RemoteName.variant(of: Self.digest, recipe: "b", encoder: "a"),
            RemoteName.variant(of: other, recipe: "a", encoder: "b"),
        ]
        #expect(Set(names).count == names.count)
        #expect(names.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 && $0 > 0x20 } })
    }
}
