import FetchCache
import Foundation
import Testing

@testable import Baking

/// The list of published images, which anybody may have written.
@Suite struct SiteIndexTests {
    /// An index with a number of images.
    private func index(count: Int) throws -> [UInt8] {
        let empty = String(decoding: SiteIndex(build: "b").encoded, as: UTF8.self)
        let image = """
            {"h":{"f":"png","h":1,"w":1,"x":0},"n":7,"s":"\(String(repeating: "A", count: 43))",\
            "u":[{"a":1,"k":"k","x":2}],"v":[]}
            """
        let images = [String](repeating: image, count: count).joined(separator: ",")
        return Array(empty.replacing("\"images\":[]", with: "\"images\":[\(images)]").utf8)
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
        #expect(try SiteIndex(reading: read.encoded) == read)
        #expect(try SiteIndex(reading: read.encoded).encoded == read.encoded)
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
        ("site index 1", "site index 9"), ("\"n\":7", "\"n\":0"), ("\"n\":7", "\"n\":-7"),
        ("\"n\":7", "\"n\":99999999999999"), ("AAA", "AA!"), ("AAA", "AA"),
        ("\"a\":1", "\"a\":-1"), ("\"x\":2", "\"x\":9999999999999"),
        ("\"k\":\"k\"", "\"k\":\"k\",\"e\":\"a\\r\\nb\""),
        ("\"v\":[]", "\"v\":[{\"d\":\"x\"}]"), ("\"png\"", "\"exe\""),
        ("\"v\":[]", "\"v\":7"), ("\"images\"", "\"others\""),
    ])
    func damagedIndexIsRefused(old: String, new: String) throws {
        let text = String(decoding: try index(count: 1), as: UTF8.self)
        #expect(reason(Array(text.replacing(old, with: new, maxReplacements: 1).utf8)) != nil)
    }
}
