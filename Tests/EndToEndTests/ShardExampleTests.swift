import Foundation
import TestSupport
import Testing
import Yams

/// The examples of CI that bake one site on several machines, which share a store.
@Suite(.timeLimit(.minutes(10))) struct ShardExampleTests {
    /// A checked-out project with a built site, and the servers of its images and its store.
    private struct Project {
        let origin: Origin
        let store: StoreServer
        let site: TestSite
        let imageCount = 7

        init() async throws {
            origin = try await Origin.start()
            store = try await StoreServer()
            var files = ["style.css": "body { background: url(\(origin.url)/0.png) }"]
            for number in 0..<imageCount {
                origin["/\(number).png"] = OriginRoute(
                    try Pictures.scene(seed: UInt64(number), as: "png"),
                    cacheControl: "max-age=100000")
            }
            for number in 0..<20 {
                files["\(number % 3)/\(number).html"] =
                    "<img src=\(origin.url)/\(number % imageCount).png>"
            }
            site = try TestSite(files)
            try site.folder.write(
                """
                fetch: {allow-private-network: true}
                cache: {remote: \(store.url)}
                """, to: "imgbake.yml")
            try FileManager.default.createDirectory(
                atPath: site.folder.path("home/.local/bin"), withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(
                atPath: site.folder.path("home/.local/bin/imgbake"),
                withDestinationPath: Command.built("imgbake"))
        }

        /// Runs a script of a job in the folder of the project, on a machine with an empty cache.
        func run(_ script: String, _ variables: [String: String] = [:]) async throws {
            var environment = site.environment.merging(variables) { $1 }
            environment["HOME"] = site.folder.path("home")
            environment["IMGBAKE_CACHE_DIR"] = site.folder.path("cache-\(UUID())")
            let result = try await Command.run(
                "/bin/sh", ["-eu", "-c", script], environment: environment,
                directory: site.folder.path)
            #expect(result.exitCode == 0, "\(script)\n\(result.output)\(result.errors)")
        }

        /// Expects in `public` what a bake of the whole site writes, and each image asked for once.
        func expectWholeSite() async throws {
            #expect(origin.requestCount == imageCount)
            try await run("~/.local/bin/imgbake site -o whole --site-url https://example.org/")
            let contents = { folder in
                try site.folder.contents(below: folder).filter { path, _ in
                    !path.contains(".imgbake-output") && !path.contains(".imgbake-images")
                }
            }
            #expect(try contents("public") == contents("whole"))
        }
    }

    /// A mapping of an example.
    private func example(_ name: String) throws -> [String: Any] {
        try #require(
            try load(yaml: DocumentationTests.text("examples/ci/" + name)) as? [String: Any])
    }

    @Test func partsOfGitLabAreTheWholeSite() async throws {
        let jobs = try example("gitlab-shards.yml")
        func script(_ job: String) throws -> String {
            let lines = (jobs[job] as? [String: Any])?["script"] as? [String]
            return try #require(lines).joined(separator: "\n")
        }
        let project = try await Project()
        let count = try #require((jobs["bake"] as? [String: Any])?["parallel"] as? Int)
        let address = ["CI_PAGES_URL": "https://example.org"]
        for index in 1...count {
            let node = ["CI_NODE_INDEX": "\(index)", "CI_NODE_TOTAL": "\(count)"]
            try await project.run(try script("bake"), address.merging(node) { $1 })
        }
        try await project.run(try script("pages"), address)
        try await project.expectWholeSite()
    }

    @Test func partsOfGitHubAreTheWholeSite() async throws {
        let jobs = try #require(try example("github-shards.yml")["jobs"] as? [String: Any])
        func job(_ name: String) throws -> [String: Any] {
            try #require(jobs[name] as? [String: Any])
        }
        func steps(_ name: String) throws -> [[String: Any]] {
            try #require(try job(name)["steps"] as? [[String: Any]])
        }
        let matrix = (try job("bake")["strategy"] as? [String: Any])?["matrix"] as? [String: Any]
        let parts = try #require(matrix?["part"] as? [Int])
        let bake = try #require(
            try steps("bake").first { ($0["uses"] as? String)?.hasPrefix("imgbake/") == true })
        let inputs = try #require(bake["with"] as? [String: Any])
        let project = try await Project()
        for part in parts {
            let arguments = try #require(inputs["args"] as? String)
                .replacing("${{ matrix.part }}", with: "\(part)")
                .replacing("${{ strategy.job-total }}", with: "\(parts.count)")
            try await project.run(
                "~/.local/bin/imgbake \(try #require(inputs["path"])) "
                    + "-o out/part-\(part) \(arguments)")
        }
        for step in try steps("join") {
            guard let script = step["run"] as? String else { continue }
            // The command is there; the release is not.
            let local = script.replacing(/curl [^|]*\|\s*sh .*\n/, with: "")
            try await project.run(local)
        }
        try await project.expectWholeSite()
    }
}
