import Foundation
import ImageFormats
import Recipes
import Testing

@testable import Baking
@testable import FetchCache
@testable import Pictures
@testable import Sites

/// The list of published images, which anybody may have written.
@Suite struct SiteIndexTests {
    /// An index with a number of images.
    private func index(count: Int) throws -> [UInt8] {
        let digest = try #require(BlobDigest(hex: String(repeating: "0", count: 64)))
        var image = SiteIndex.Image(
            source: digest, byteCount: 7, header: ImageHeader(format: .png, width: 3, height: 2))
        image.urls = [
            SiteIndex.Location(
                key: "k",
                validity: ResponseValidity(
                    etag: "e", lastModified: nil, vary: nil, selector: nil, arrival: 1_004,
                    expiry: 1_064))
        ]
        image.files = [
            SiteIndex.File(
                recipe: "r", digest: digest, byteCount: 9, stem: "stem", format: .webp, width: 3,
                height: 2, quality: 80)
        ]
        var index = SiteIndex(build: "b")
        index.images = Array(repeating: image, count: count)
        return index.encoded
    }

    private func reason(_ bytes: [UInt8]) -> String? {
        do throws(SiteIndexError) {
            _ = try SiteIndex(reading: bytes)
            return nil
        } catch {
            return error.reason
        }
    }

    @Test func indexIsReadAsItWasWritten() throws {
        let read = try SiteIndex(reading: try index(count: 2))
        #expect(read.images.count == 2)
        let image = try #require(read.images.first)
        #expect(image.urls.map(\.validity.arrival) == [1_004])
        let file = try #require(image.files.first)
        #expect(file.name == "stem-0000000000000000.webp")
        #expect((file.width, file.height) == (3, 2) && file.recipe == "r")
        #expect(try SiteIndex(reading: read.encoded) == read)
        #expect(try SiteIndex(reading: read.encoded).encoded == read.encoded)
    }

    /// All members, also those that are seldom there.
    @Test func everyMemberIsReadAsItWasWritten() throws {
        let digest = BlobDigest(hashing: [1])
        var header = ImageHeader(
            format: .svg, width: 0, height: 20, frameCount: 3, hasAlpha: true, isReoriented: true,
            isStandardColour: false, isLossless: false, hasMetadata: true, shownWidth: 5,
            objection: "it has a script", removals: "2 scripts")
        var index = SiteIndex(build: "build")
        for number in 0..<2 {
            var image = SiteIndex.Image(source: digest, byteCount: 9, header: header)
            image.urls = [
                SiteIndex.Location(
                    key: "k",
                    validity: ResponseValidity(
                        etag: nil, lastModified: nil, vary: nil, selector: nil, arrival: 1_000,
                        expiry: 0)),
                SiteIndex.Location(
                    key: "l",
                    validity: ResponseValidity(
                        etag: "\"e\"", lastModified: "m", vary: "Accept", selector: "s",
                        arrival: 2_000, expiry: 9_000), isPrivate: true),
            ]
            image.files = [
                SiteIndex.File(
                    digest: digest, byteCount: 9, stem: "a", format: .svg, width: 0, height: 20),
                SiteIndex.File(
                    recipe: "r\(number)", digest: digest, byteCount: 3, format: .webp, width: 7,
                    height: 8, quality: 80, colour: 0xABCDEF, bytes: Data([1, 2, 3])),
            ]
            index.images.append(image)
            header.objection = nil
        }
        #expect(try SiteIndex(reading: index.encoded) == index)
        #expect(try SiteIndex(reading: SiteIndex(build: "b").encoded) == SiteIndex(build: "b"))
    }

    @Test func moreImagesThanTheLimitAreRefused() throws {
        let reason = try #require(reason(try index(count: SiteIndex.mostImages + 1)))
        #expect(reason.contains("100000"))
    }

    @Test func everyTruncatedIndexIsRefused() throws {
        let bytes = try index(count: 1)
        // The last byte is a line break.
        for count in 0..<(bytes.count - 1) {
            #expect(reason(Array(bytes.prefix(count))) != nil, "\(count)")
        }
    }

    @Test(arguments: [
        ("site index 3", "site index 9"), (":7,", ":0,"), (":7,", ":-7,"),
        (":7,", ":99999999999999,"), ("0000", "000!"), ("0000", "000"), (":1004", ":-1"),
        (":1064", ":-1"), (":1064", ":9223372036854775807"), (":1004", ":9999999999999"),
        ("\"e\"", "\"a\\r\\nb\""), ("\"stem\":\"stem\"", "\"stem\":\"../x\""),
        ("\"stem\":\"stem\"", "\"stem\":\"St\""), ("\"stem\":\"stem\"", "\"stem\":null"),
        ("\"stem\":\"stem\"", "\"stem\":\"" + String(repeating: "a", count: 300) + "\""),
        (":9,", ":0,"), ("\"webp\"", "\"exe\""), ("\"png\"", "\"exe\""),
        ("\"header\":{", "\"header\":7,\"x\":{"), ("\"images\"", "\"others\""),
        ("\"key\"", "\"others\""), ("\"urls\":[", "\"urls\":[7,"),
    ])
    func damagedIndexIsRefused(old: String, new: String) throws {
        let text = String(decoding: try index(count: 1), as: UTF8.self)
        let damaged = text.replacing(old, with: new, maxReplacements: 1)
        try #require(damaged != text)
        #expect(reason(Array(damaged.utf8)) != nil)
    }

    @Test func indexOfAnotherVersionIsNamedAsSuch() throws {
        let old = """
            {"build":"b","format":"imgbake site index 1","images":[{"h":{},"n":7}]}
            """
        #expect(reason(Array(old.utf8)) == "another version of imgbake has written it")
        #expect(reason(Array("{}".utf8)) == "it is not an index of imgbake")
        #expect(reason(Array("[]".utf8)) != nil)
        #expect(reason([]) != nil)
    }
}
