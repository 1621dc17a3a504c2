import Foundation
import TestSupport
import Testing

/// The README and the pages of the documentation: their commands work, their options exist, and their
/// links lead to files.
///
/// A fenced block of `sh` is run. A comment `<!-- exit: 1 -->` before it gives another exit code than
/// 0. Blocks of `shell` are not run, because they need root, another program or the network.
@Suite(.timeLimit(.minutes(10)))
struct DocumentationTests {
    @Test(arguments: try commandBlocks())
    func commandsWork(block: CodeBlock) async throws {
        let origin = try await Origin.start()
        let image = OriginRoute(
            try Pictures.scene(width: 64, height: 48, as: "png"), contentType: "image/png",
            cacheControl: "max-age=600")
        origin.handleRest { _ in image }
        let site = try TestSite(Self.site(origin.url))
        for (path, text) in Self.files(origin.url) { try site.folder.write(text, to: path) }
        let commit = """
            git init -q && git add . && git -c user.name=A -c user.email=a@example.org commit -qm All
            git update-ref refs/remotes/origin/main HEAD
            """
        let repository = try await Command.run(
            "/bin/sh", ["-euc", commit], environment: site.environment,
            directory: site.folder.path)
        #expect(repository.exitCode == 0, "\(repository.errors)")
        // Some commands need an existing cache.
        let prefetch = try await site.run("prefetch", "urls.txt")
        #expect(prefetch.exitCode == 0, "\(prefetch.errors)")
        let programs = URL(filePath: Command.built("imgbake")).deletingLastPathComponent().path
        let script = block.text.replacing("https://images.example.org", with: origin.url)
        var environment = site.environment
        environment["PATH"] = programs + ":/usr/local/bin:/usr/bin:/bin"
        let result = try await Command.run(
            "/bin/sh", ["-euc", script], environment: environment, directory: site.folder.path)
        #expect(result.exitCode == block.exitCode, "\(block)\n\(result.errors)")
    }

    /// Blocks of `yaml` that begin with a setting are read as `imgbake.yml`.
    @Test func settingsAreAccepted() async throws {
        let site = try TestSite(["a.md": "text"])
        let example = try await site.run("config", "example").output
        let keys = Set(example.matches(of: /(?m)^#? ?([a-z-]+):/).map { String($0.output.1) })
        let blocks = try Self.pages().flatMap(\.blocks).filter { block in
            block.language == "yaml"
                && block.text.split(separator: "\n").contains { line in
                    keys.contains(String(line.prefix { $0 != ":" }))
                }
        }
        let texts = blocks.map(\.text).joined()
        for key in ["failures", "budget", "overrides"] { #expect(texts.contains("\(key):")) }
        for block in blocks {
            try site.folder.write(block.text, to: "imgbake.yml")
            let result = try await site.run("config", "show", "site")
            #expect(result.exitCode == 0, "\(block)\n\(result.errors)")
        }
    }

    /// The commands of `watch` do not end by themselves, and one needs a generator.
    @Test func watchesBake() async throws {
        let page = try #require(try Self.pages().first { $0.path == "docs/commands.md" })
        let block = try #require(page.blocks.first { $0.text.hasPrefix("imgbake watch ") })
        for line in block.text.split(separator: "\n") {
            let site = try TestSite([:])
            for folder in ["content", "layouts"] {
                try site.folder.write("text", to: folder + "/a.md")
            }
            try await site.folder.writeScript(
                "#!/bin/sh\nmkdir -p public && cp content/* public/\n", to: "hugo")
            if line.contains("hugo") { try site.folder.write("text", to: "public/a.md") }
            let words = line.replacing("hugo", with: "./hugo").split(separator: " ").dropFirst()
            let command = try Command(
                Command.built("imgbake"), words.map(String.init), environment: site.environment,
                directory: site.folder.path)
            for _ in 0..<3_000 where !command.outputSoFar.contains("baked ") {
                try await Task.sleep(for: .milliseconds(10))
            }
            command.signal(SIGINT)
            let result = try await command.result()
            #expect(result.output.contains("baked "), "\(line)\n\(result.errors)")
            #expect(result.exitCode == 130)
        }
    }

    @Test func optionsExist() async throws {
        let known = try await Self.knownOptions()
        for page in try Self.pages() {
            for code in page.commands {
                for match in code.matches(of: /(?:^|[\s`'])(--[a-z-]*[a-z])(?![a-z-])/) {
                    let option = String(match.output.1)
                    #expect(known.contains(option), "\(page.path): \(option) in '\(code)'")
                }
            }
        }
    }

    @Test func linkedFilesExist() throws {
        for page in try Self.pages() {
            let folder = URL(filePath: page.path, relativeTo: Self.package)
                .deletingLastPathComponent()
            for match in page.text.matches(of: /\]\(([^)#:\s]+)(?:#[^)]*)?\)/) {
                let target = folder.appending(path: String(match.output.1))
                #expect(
                    FileManager.default.fileExists(atPath: target.path),
                    "\(page.path): \(match.output.1)")
            }
            for match in page.text.matches(of: /(?:^|[\s`])(scripts\/[a-z-]+)/) {
                let script = Self.package.appending(path: String(match.output.1))
                #expect(
                    FileManager.default.isExecutableFile(atPath: script.path),
                    "\(page.path): \(match.output.1)")
            }
        }
    }

    @Test func swiftExampleMatchesItsSource() throws {
        let example = try Self.text("examples/fetch-example/main.swift")
        #expect(try Self.text("docs/fetchcache.md").contains("```swift\n" + example + "```"))
    }

    @Test func readmeIsShort() throws {
        let words = try Self.text("README.md").split(whereSeparator: \.isWhitespace)
        #expect(words.count <= 900)
    }

    static let package = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../..", directoryHint: .isDirectory).standardizedFileURL

    static func text(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: package.appending(path: path)), as: UTF8.self)
    }

    /// The README and all pages.
    static func pages() throws -> [DocumentationPage] {
        let docs = try FileManager.default.contentsOfDirectory(
            atPath: package.appending(path: "docs").path)
        let names = docs.filter { $0.hasSuffix(".md") }.sorted()
        return try (["README.md"] + names.map { "docs/" + $0 }).map {
            DocumentationPage(path: $0, text: try text($0))
        }
    }

    static func commandBlocks() throws -> [CodeBlock] {
        try pages().flatMap { page in page.blocks.filter { $0.language == "sh" } }
    }

    /// Every option that the help of a subcommand names.
    private static func knownOptions() async throws -> Set<String> {
        // The library for arguments has an option that no help lists.
        var options: Set<String> = ["--generate-completion-script"]
        let commands = [
            ["bake"], ["check"], ["fetch"], ["prefetch"], ["explain"], ["lock"],
            ["watch"], ["measure"], ["config", "show"], ["config", "example"], ["cache", "info"],
            ["cache", "list"], ["cache", "clean"],
        ]
        for command in commands {
            let help = try await Command.run(Command.built("imgbake"), command + ["--help"])
            for match in help.output.matches(of: /--[a-z][a-z-]*/) {
                options.insert(String(match.output))
            }
        }
        for match in try text("spark/imgbake_spark.py").matches(of: /"(--[a-z-]+)"/) {
            options.insert(String(match.output.1))
        }
        return options
    }

    /// The documents of `site`.
    private static func site(_ url: String) -> [String: String] {
        [
            "index.html": "<img src=\"\(url)/photos/ridge.jpg\" alt=A><img src=\"own.png\">",
            "docs/guide.md": "![B](\(url)/b.png)\n",
            "drafts/later.md": "![C](\(url)/c.png)\n",
            "css/style.css": "body { background: url(\(url)/d.png) }\n",
        ]
    }

    /// All other files that the commands name, by their paths beside `site`.
    private static func files(_ url: String) -> [String: String] {
        [
            "imgbake.yml": "fetch:\n  allow-private-network: true\n",
            "urls.txt": "# A list.\n\(url)/photos/ridge.jpg\n\(url)/b.png\n",
            "notes/day.md": "![E](\(url)/e.png)\n",
            "my-hugo-project/hugo.toml": "baseURL = 'https://example.org/blog/'\n",
            "my-hugo-project/content/post.md": "![F](\(url)/f.png)\n",
        ]
    }
}

/// A Markdown file of the documentation.
struct DocumentationPage: Sendable {
    /// Relative to the package.
    var path: String
    var text: String

    /// Its fenced blocks of code.
    var blocks: [CodeBlock] {
        var blocks: [CodeBlock] = []
        var open: CodeBlock?
        var exitCode: Int32 = 0
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let words = line.trimmingPrefix { $0 == " " }
            if var block = open {
                if words == "```" {
                    blocks.append(block)
                    open = nil
                } else {
                    block.text += line + "\n"
                    open = block
                }
            } else if words.hasPrefix("```") {
                open = CodeBlock(
                    place: "\(path):\(index + 1)", language: String(words.dropFirst(3)),
                    exitCode: exitCode)
                exitCode = 0
            } else if let match = words.wholeMatch(of: /<!-- exit: (\d+) -->/) {
                exitCode = Int32(match.output.1) ?? 0
            } else if !words.isEmpty {
                exitCode = 0
            }
        }
        return blocks
    }

    /// The commands of imgbake, and single options, in blocks and between backticks.
    var commands: [String] {
        let lines = blocks.flatMap { $0.text.split(separator: "\n") }.compactMap { line in
            line.firstRange(of: /\bimgbake\s/).map { String(line[$0.lowerBound...]) }
        }
        let spans = text.matches(of: /`((?:imgbake |--)[^`\n]*)`/).map { String($0.output.1) }
        return (lines + spans).map { $0.replacing(/\s\|.*$/, with: "") }
    }
}

/// A fenced block of code.
struct CodeBlock: Sendable, CustomStringConvertible {
    /// The file and the line of the fence.
    var place: String
    var language: String
    var exitCode: Int32
    var text = ""

    var description: String { place }
}
