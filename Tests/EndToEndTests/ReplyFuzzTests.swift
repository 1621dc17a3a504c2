import Foundation
import TestSupport
import Testing

/// Random and mutated answers of a worker against the whole bake.
///
/// `scripts/fuzz replies COUNT` tries as many as you say.
@Suite(.timeLimit(.minutes(600))) struct ReplyFuzzTests {
    /// The images of one bake, each of which gets one lie.
    private static let imageCount = 100

    private static let replyCount =
        ProcessInfo.processInfo.environment["IMGBAKE_FUZZ_REPLIES"].flatMap { Int($0) } ?? 200
    private static let firstSeed =
        ProcessInfo.processInfo.environment["IMGBAKE_FUZZ_SEED"].flatMap { UInt64($0) } ?? 1

    @Test func noReplyCrashesTheBakeOrPoisonsTheCache() async throws {
        let site = try LyingSite(Self.imageCount)
        let rounds = UInt64(max(1, Self.replyCount / Self.imageCount))
        var refusedCount = 0
        for seed in Self.firstSeed..<Self.firstSeed + rounds {
            if site.site.folder.exists("cache") {
                try FileManager.default.removeItem(atPath: site.site.folder.path("cache"))
            }
            try await site.lie(#"{"seed": \#(seed)}"#)
            let lying = try await site.bake("--manifest", "images.json")
            #expect([0, 1].contains(lying.exitCode), "seed \(seed): \(lying.errors.suffix(2_000))")
            #expect(!lying.errors.contains("\u{1B}"), "seed \(seed)")
            let codes = Set(try lying.diagnostics.map(\.code))
            #expect(codes.isSubset(of: ["worker-failed"]), "seed \(seed): \(codes)")
            refusedCount += Self.imageCount + 1 - (try checkPublished(by: site, seed))
            try await site.tellTheTruth()
            let next = try await site.bake("--manifest", "images.json")
            #expect(next.exitCode == 0, "seed \(seed): \(next.errors.suffix(2_000))")
            #expect(try checkPublished(by: site, seed) == Self.imageCount + 1)
        }
        #expect(refusedCount > 0)
        print("\(rounds) bakes of \(Self.imageCount) replies; \(refusedCount) replies were refused")
    }

    /// Compares each published file with the size and format that the manifest states.
    ///
    /// - Returns: The number of images.
    private func checkPublished(by site: LyingSite, _ seed: UInt64) throws -> Int {
        let text = try site.site.folder.bytes("images.json")
        let manifest = try JSONDecoder().decode(Manifest.self, from: Data(text))
        for image in manifest.images {
            for variant in image.variants {
                let bytes = try site.site.folder.bytes("out/" + variant.file)
                let size = try #require(Self.size(of: bytes, variant.format), "seed \(seed)")
                #expect(size == [variant.width, variant.height], "seed \(seed): \(image.url)")
                #expect(variant.file.hasSuffix("." + variant.format), "seed \(seed): \(image.url)")
            }
        }
        return manifest.images.count
    }

    private struct Manifest: Decodable {
        struct Image: Decodable {
            var url: String
            var variants: [Variant]
        }

        struct Variant: Decodable {
            var file: String
            var format: String
            var width: Int
            var height: Int
        }

        var images: [Image]
    }

    /// The size of a PNG or WebP; nil for bytes of another format.
    private static func size(of bytes: [UInt8], _ format: String) -> [Int]? {
        guard bytes.count >= 30 else { return nil }
        func little(_ place: Int, _ count: Int) -> Int {
            bytes[place..<place + count].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        if format == "png" {
            guard bytes[1..<4].elementsEqual("PNG".utf8) else { return nil }
            return [16, 20].map { bytes[$0..<$0 + 4].reduce(0) { $0 << 8 | Int($1) } }
        }
        guard format == "webp", bytes.starts(with: "RIFF".utf8) else { return nil }
        switch String(decoding: bytes[12..<16], as: UTF8.self) {
        case "VP8X": return [little(24, 3) + 1, little(27, 3) + 1]
        case "VP8L": return [little(21, 4) & 0x3FFF + 1, little(21, 4) >> 14 & 0x3FFF + 1]
        case "VP8 ": return [little(26, 2) & 0x3FFF, little(28, 2) & 0x3FFF]
        default: return nil
        }
    }
}
