import FetchCache
import Foundation
import TestSupport
import Testing

@Suite("The ten lines that the documentation begins with", .timeLimit(.minutes(5)))
struct ExampleTests {
    @Test func areThoseOfTheExampleThatIsBuilt() throws {
        let package = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../..").standardizedFileURL
        func text(_ path: String) throws -> String {
            String(decoding: try Data(contentsOf: package.appending(path: path)), as: UTF8.self)
        }
        let example = try text("examples/fetch-example/main.swift")
        #expect(example.split(separator: "\n", omittingEmptySubsequences: false).count == 11)
        let article = try text("Sources/FetchCache/FetchCache.docc/FetchCache.md")
        let block = try #require(article.split(separator: "```swift\n").dropFirst().first)
        #expect(block.hasPrefix(example + "```"))
    }

    @Test func work() async throws {
        let origin = try await Origin.start()
        origin["/a.png"] = OriginRoute(png(1), cacheControl: "max-age=60")
        let folder = try TestFolder()
        for level in ["network", "disk"] {
            let result = try await Command.run(
                Command.built("fetch-example"), [folder.path + "/cache", origin.url + "/a.png"],
                environment: ["http_proxy": "", "all_proxy": ""])
            #expect(result.exitCode == 0)
            #expect(result.output.hasPrefix("\(level) image/png 200 /"))
        }
        #expect(origin.requestCount == 1)
        await origin.shutdown()
    }
}
