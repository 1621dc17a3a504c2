import FetchCache
import Foundation
import ImageFormats
import Recipes
import Testing

@testable import Baking
@testable import Pictures
@testable import Sites

/// The list of published images, which anybody may have written.
@Suite struct SiteIndexTests {
    /// An index with a number of images.
    private func index(count: Int) throws -> [UInt8] {
        let empty = String(decoding: SiteIndex(build: "b").encoded, as: UTF8.self)
        let digest = String(repeating: "A", count: 43)
        let image = """
            ["\(digest)",7,["png",3,2,8],[["k",4,60,"e"]],[[0,"\(digest)",9,"webp","stem",80]]]
            """
        let images = [String](repeating: image, count: count).joined(separator: ",")
        return Array(
            empty.replacing("\"images\":[]", with: "\"images\":[\(images)]")
                .replacing("\"recipes\":[]", with: "\"recipes\":[\"r\"]")
                .replacing("\"since\":0", with: "\"since\":1000").utf8)
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
        #expect(image.urls.map(\.arrival) == [1_004] && image.urls.map(\.expiry) == [1_064])
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
                SiteIndex.Location(key: "k", arrival: 1_000, expiry: 0),
                SiteIndex.Location(
                    key: "l", etag: "\"e\"", lastModified: "m", vary: "Accept", selector: "s",
                    arrival: 2_000, expiry: 9_000, isPrivate: true),
            ]
            image.files = [
                SiteIndex.File(
                    digest: digest, byteCount: 9, stem: "a", format: .svg, width: 0, height: 20),
                SiteIndex.File(
                    recipe: "r\(number)", digest: digest, byteCount: 3, format: .webp, width: 7,
                    height: 8, quality: 80, colour: 0xABCDEF, bytes: [1, 2, 3]),
            ]
            index.images.append(image)
            header.objection = nil
        }
        #expect(try SiteIndex(reading: index.encoded) == index)
        #expect(try SiteIndex(reading: SiteIndex(build: "b").encoded) == SiteIndex(build: "b"))
    }

    @Test func moreImagesThanTheLimitAreRefused() throws {
        let reason = try #require(reason(try index(count: SiteIndex.mostImages + 1)))
        #expect(reason.contains("200000"))
    }

    @Test func everyTruncatedIndexIsRefused() throws {
        let bytes = try index(count: 1)
        // The last byte is a line break.
        for count in 0..<(bytes.count - 1) {
            #expect(reason(Array(bytes.prefix(count))) != nil, "\(count)")
        }
    }

    @Test(arguments: [
        ("site index 2", "site index 9"), (",7,[", ",0,["), (",7,[", ",-7,["),
        (",7,[", ",99999999999999,["), ("AAA", "AA!"), ("AAA", "AA"),
        (",4,60", ",-1001,60"), (",4,60", ",4,9999999999999"), (",4,60", ",4,-1005"),
        (",4,60", ",9223372036854775807,60"), (",4,60", ",4,9223372036854775807"),
        ("\"e\"", "\"a\\r\\nb\""), ("[[0,", "[[1,"), ("[[0,", "[[-1,"), ("\"stem\"", "\"../x\""),
        ("\"stem\"", "\"St\""), ("\"stem\"", "null"),
        ("\"stem\"", "\"" + String(repeating: "a", count: 300) + "\""),
        (",9,\"webp\"", ",0,\"webp\""), ("\"webp\"", "\"exe\""), ("\"png\"", "\"exe\""),
        ("[\"png\",3,2,8]", "7"), ("\"images\"", "\"others\""), ("\"recipes\"", "\"others\""),
        ("\"since\":1000", "\"since\":-9"), ("[[\"k\"", "[\"k\""),
    ])
    func damagedIndexIsRefused(old: String, new: String) throws {
        let text = String(decoding: try index(count: 1), as: UTF8.self)
        let damaged = text.replacing(old, with: new, maxReplacements: 1)
        try #require(damaged != text)
        #expect(reason(Array(damaged.utf8)) != nil)
    }

    /// An index of the first version, which a site may still have.
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
