import Foundation
import TestSupport
import Testing

/// A worker that lies about one image each: see `Tests/WorkerProbe/Liar.swift`.
@Suite(.timeLimit(.minutes(10))) struct LyingWorkerTests {
    struct Lie: Sendable, CustomTestStringConvertible {
        /// The members of the lie, as JSON.
        var text: String
        var testDescription: String { String(text.prefix(120)) }
        init(_ text: String) { self.text = text }
        /// A member of the answer with another value.
        init(_ path: String, _ value: String) {
            let value = (try? JSONSerialization.data(withJSONObject: [value])) ?? Data()
            text =
                #""changes": {"\#(path)": \#(String(decoding: value.dropFirst().dropLast(), as: UTF8.self))}"#
        }
    }

    private static let largest = ["9223372036854775807", "-9223372036854775808", "2147483648"]
    private static let long = String(repeating: "long ", count: 20_000)

    static let lies: [Lie] =
        ["header.width", "header.height", "variant.width", "variant.height"].flatMap { path in
            (largest + ["-1", "0", "1", "4096", "9223372036854775808", "1.5", "null", ""])
                .map { Lie(path, $0) }
        }
        + (largest + ["-1", "0"]).map { Lie("header.shownWidth", $0) }
        + (largest + ["-1", "0"]).map { Lie("header.frameCount", $0) }
        + ["svg", "svgz", "ico", "cur", "jpeg", "webp", "tiff", "jxl", "bmp", "other", ""].map {
            Lie("header.format", "\"\($0)\"")
        }
        + ["svg", "svgz", "ico", "gif", "jpeg", "tiff", "avif", "png"].map {
            Lie("variant.format", "\"\($0)\"")
        }
        + [
            Lie("variant.isSource", "true"), Lie("variant.quality", "0"),
            Lie("variant.quality", "101"), Lie("header.objection", "\"the SVG has a <script>\""),
            Lie("header.removals", "\"2 scripts\""), Lie("header.hasAlpha", "7"),
            Lie("recipe.width", "3"), Lie("recipe.encoding.quality", "1"),
            Lie("recipe.encoding.format", "\"svg\""), Lie("recipe", "{}"),
            Lie(#""output": "<!doctype html><script>alert(1)</script>""#),
            Lie(#""output": "<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>""#),
            Lie(#""output": """#), Lie(#""output": "RIFF""#),
            Lie(#""output": "RIFF\u0010\u0000\u0000\u0000WEBPVP8L""#),
            Lie(#""appended": "<script>alert(1)</script>""#),
            Lie(#""output": "\#(String(repeating: "x", count: 3_000_000))""#),
            Lie(#""line": """#), Lie(#""line": "{}""#), Lie(#""line": "null""#),
            Lie(#""line": "\#(String(repeating: "[", count: 10_000))""#),
            Lie(#""line": "\#(long)""#), Lie(#""line": "\#(long)\#(long)\#(long)\#(long)""#),
            Lie(#""line": "{\"header\":{}}""#),
            Lie(
                #""line": "{\"failure\":{\"_0\":{\"code\":\"corrupt\",\"reason\":\"\#(long)\"}}}""#),
            Lie(
                #""line": "{\"failure\":{\"_0\":{\"code\":\"corrupt\",\"reason\":\"\\u001b[2J\"}}}""#
            ),
            Lie(#""line": "{\"failure\":{\"_0\":{\"code\":\"corrupt\",\"reason\":\"a\\nb\"}}}""#),
            Lie(#""line": "{\"failure\":{\"_0\":{\"code\":\"other\",\"reason\":\"a\"}}}""#),
            Lie(
                #""line": "{\"variant\":{\"_0\":{\"format\":\"png\",\"width\":64,\"height\":48,"#
                    + #"\"isSource\":true}}}""#),
            Lie("image._0.variants", "[]"), Lie("image._0.variants", ""),
            Lie("image._0.variants.0", "{\"notMade\":{}}"), Lie("image._0.variants.0", "null"),
            Lie("image._0.variants.0", "{}"), Lie("image._0.variants.0", ""),
            Lie(
                "image._0.variants.0",
                #"{"failure":{"_0":{"code":"corrupt","reason":"a\nb"}}}"#),
        ]

    /// The results of a bake with the lies, and of the next one with an honest worker.
    private struct Bakes {
        var lying: CommandResult
        var afterwards: CommandResult
        var lyingImages: [String]
        /// The files of the next bake, and those of one that never met a lie.
        var files: [String: [UInt8]]
        var expected: [String: [UInt8]]
    }

    private static let bakes = Task { try await run() }

    /// The image of a lie; its size identifies it.
    private static func name(_ index: Int) -> String { "lie\(index).png" }

    private static func run() async throws -> Bakes {
        let honest = try LyingSite(lies.count)
        _ = try await honest.bake()
        let site = try LyingSite(lies.count)
        let sizes = lies.enumerated().map { "\"\(site.size + $0)\": {\($1.text)}" }
        try await site.lie(#"{"sizes": {\#(sizes.joined(separator: ", "))}}"#)
        let lying = try await site.bake()
        let images = try site.site.images(in: "out/imgbake")
        try await site.tellTheTruth()
        let afterwards = try await site.bake()
        return Bakes(
            lying: lying, afterwards: afterwards, lyingImages: images, files: try site.files(),
            expected: try honest.files())
    }

    @Test(arguments: lies.indices)
    func lieFailsOnlyItsImage(index: Int) async throws {
        let bakes = try await Self.bakes.value
        let told = try bakes.lying.diagnostics.map(\.summary)
        let name = Self.name(index)
        #expect(
            told.filter { $0.hasSuffix(" \(name)") }
                == ["error site/a.html:\(index + 1):11 worker-failed \(name)"],
            "\(Self.lies[index])")
        #expect(!bakes.lyingImages.contains { $0.hasPrefix("lie\(index)-") })
    }

    @Test func truthIsPublishedBesideLies() async throws {
        let bakes = try await Self.bakes.value
        #expect(bakes.lying.exitCode == 1, "\(bakes.lying.errors)")
        #expect(bakes.lyingImages.count == 1 && bakes.lyingImages[0].hasPrefix("good-"))
        #expect(!bakes.lying.errors.contains("\u{1B}") && bakes.lying.errors.utf8.count < 100_000)
    }

    @Test func nextBakeIsAsIfNothingWereStored() async throws {
        let bakes = try await Self.bakes.value
        #expect(bakes.afterwards.exitCode == 0, "\(bakes.afterwards.errors)")
        #expect(bakes.files.count > Self.lies.count)
        #expect(bakes.files == bakes.expected)
    }

    @Test(arguments: [
        #""encoder": "\"\"""#, #""encoder": "\"a\\u001b[2J\"""#, #""encoder": "7""#,
        #""libraries": "[\"relative\"]""#, #""libraries": "[\"/a\\nb\"]""#,
        #""formats.reads": "[\"exe\"]""#, #""sandbox.landlockVersion": "-1""#,
        #""sandbox.gaps": "[{\"protection\":\"landlock\",\"reason\":\"\\u001b[2J\"}]""#,
        #""sandbox": "{}""#,
    ])
    func lyingHandshakeIsNoWorker(change: String) async throws {
        let site = try LyingSite(0)
        try await site.lie(#"{"greeting": {\#(change)}}"#)
        let result = try await site.bake()
        #expect(result.exitCode == 1)
        #expect(try result.diagnostics.map(\.code) == ["worker-unavailable"])
        #expect(!result.errors.contains("\u{1B}"))
        try await site.tellTheTruth()
        #expect(try await site.bake().exitCode == 0)
    }

    @Test func unaskedAnswerIsIgnored() async throws {
        let site = try LyingSite(3)
        let twice = (0..<3).map { "\"\(site.size + $0)\": {\"count\": 2}" }
        try await site.lie(#"{"sizes": {\#(twice.joined(separator: ", "))}}"#)
        _ = try await site.bake()
        let honest = try LyingSite(3)
        _ = try await honest.bake()
        try await site.tellTheTruth()
        #expect(try await site.bake().exitCode == 0)
        #expect(try site.files() == honest.files())
    }
}
