import FetchCache
import Foundation
import TestSupport
import Testing

@Suite("The examples of the documentation", .timeLimit(.minutes(10)))
struct ExampleTests {
    private static let package = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../..").standardizedFileURL

    /// The lines of a file without surrounding blanks.
    private static func lines(_ path: String) throws -> [String] {
        let data = try Data(contentsOf: package.appending(path: path))
        return String(decoding: data, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }

    private static func files(below folder: String, _ suffixes: [String]) -> [String] {
        let names = FileManager.default.enumerator(atPath: package.appending(path: folder).path)
        return (names?.compactMap { $0 as? String } ?? [])
            .filter { name in suffixes.contains { name.hasSuffix($0) } }
            .map { "\(folder)/\($0)" }.sorted()
    }

    /// The Swift code in the articles and doc comments.
    private static func examples() throws -> [(file: String, lines: [String])] {
        try files(below: "Sources/FetchCache", [".md", ".swift"]).flatMap { file in
            let lines = try lines(file).map { line in
                line.hasPrefix("///")
                    ? line.dropFirst(3).trimmingCharacters(in: .whitespaces) : line
            }
            return lines.split(separator: "```swift").dropFirst().map { rest in
                (file, Array(rest.prefix { $0 != "```" }))
            }
        }
    }

    @Test func examplesAreCompiled() throws {
        let compiled = try Self.files(below: "examples/fetch-example", [".swift"])
            .map { try Self.lines($0).joined(separator: "\n") }
        let examples = try Self.examples()
        #expect(examples.count >= 8)
        for example in examples {
            let text = example.lines.joined(separator: "\n")
            #expect(compiled.contains { $0.contains(text) }, "\(example.file): \(text)")
        }
    }

    @Test func firstExampleIsACompleteProgram() throws {
        let program = try Self.lines("examples/fetch-example/main.swift").dropLast()
        #expect(program.count == 12)
        let article = "Sources/FetchCache/FetchCache.docc/FetchCache.md"
        #expect(try Self.examples().first { $0.file == article }?.lines == Array(program))
    }

    @Test func examplesWork() async throws {
        let origin = try await Origin.start()
        origin["http://images.example/a.png"] = OriginRoute(png(1), cacheControl: "max-age=60")
        let folder = try TestFolder()
        for level in ["network", "disk"] {
            let result = try await Command.run(
                Command.built("fetch-example"),
                [folder.path + "/cache", "http://images.example/a.png"],
                environment: ["http_proxy": origin.url, "no_proxy": ""])
            #expect(result.exitCode == 0)
            #expect(result.output.hasPrefix("\(level) image/png 200 /"))
        }
        #expect(origin.requestCount == 1)
    }

    @Test func exampleTellsFailuresAndResolvesRelativeFolders() async throws {
        let origin = try await Origin.start()
        origin["http://images.example/a.png"] = OriginRoute(png(1), cacheControl: "max-age=60")
        let folder = try TestFolder()
        let result = try await Command.run(
            Command.built("fetch-example"),
            ["cache", "http://images.example/gone.png", "http://images.example/a.png"],
            environment: ["http_proxy": origin.url, "no_proxy": ""], directory: folder.path)
        #expect(result.exitCode == 0)
        let lines = result.output.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(
            lines.first
                == "could not fetch http://images.example/gone.png: HTTP 404 through the proxy \(origin.url)"
        )
        #expect(lines.last?.contains(" \(folder.path)/cache/") == true, "\(result.output)")
    }

    @Test func codesPrintAsTheirNames() {
        #expect(
            "\(FetchError.Code.tooLarge) \(FetchError.Code.invalidURL)" == "tooLarge invalidURL")
    }

    @Test func emptyFolderIsRefused() {
        for open in [
            { (configuration: FetchConfiguration) in _ = try FetchManager(configuration) },
            { _ = try FetchDownloader(in: $0.folder.path) },
        ] as [(FetchConfiguration) throws -> Void] {
            let error = #expect(throws: FetchError.self) {
                try open(FetchConfiguration(folder: ""))
            }
            #expect(error?.code == .storage)
        }
    }
}
