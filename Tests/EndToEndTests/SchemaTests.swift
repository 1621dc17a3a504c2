import Foundation
import TestSupport
import Testing

/// The outputs in JSON follow the schemas of `docs/schema/`, and no schema describes a member that
/// no output has.
@Suite(.timeLimit(.minutes(10))) struct SchemaTests {
    /// Validates the objects, which together must have each member of the schema.
    ///
    /// - Parameters:
    ///   - name: The name of the schema.
    ///   - objects: The outputs.
    ///   - absent: The ends of the pointers of shared members that this output never has.
    /// - Throws: If the schema cannot be read or used, or an output is not JSON.
    private func expect(_ name: String, describes objects: [String], absent: [String] = []) throws {
        let schema = try JSONSchema(DocumentationTests.text("docs/schema/\(name).json"))
        #expect(!objects.isEmpty)
        var seen: Set<String> = []
        for object in objects {
            let result = try schema.validate(object)
            #expect(result.errors == [], "\(object)")
            seen.formUnion(result.members)
        }
        let missing = schema.members.subtracting(seen).filter { member in
            !absent.contains { member.hasSuffix($0) }
        }
        #expect(missing == [], "no output of \(name) has these members")
    }

    private func lines(_ text: String) -> [String] {
        text.split(separator: "\n").map(String.init)
    }

    /// A project of Hugo with an image, one that is not there, and one in a script.
    private func project(_ origin: Origin) throws -> TestSite {
        origin["/good.png"] = .init(try Pictures.scene(as: "png"))
        let site = try TestSite([
            "hugo.toml": "baseURL = 'https://example.org/blog/'\n",
            "content/a.md": "![](\(origin.url)/good.png)\n\n![](\(origin.url)/bad.png)",
            "content/b.html": "<script>show('\(origin.url)/good.png')</script>",
            "content/c.html":
                "<link rel=preconnect href=\(origin.url)><img src=\(origin.url)/good.png>",
        ])
        return site
    }

    @Test func bakeCheckAndDryRun() async throws {
        let origin = try await Origin.start()
        let site = try project(origin)
        let check = try await site.run("check", "site", "--all", "--json")
        // Only the places in a built site have sources.
        let built = try TestSite([
            "hugo.toml": "title = 'x'\n", "content/a.md": "text",
            "public/a/index.html": """
            <img src="\(origin.url)/bad.png"><script>show('\(origin.url)/good.png')</script>
            """,
        ])
        let builtCheck = try await built.run("check", "site/public", "--json")
        try expect(
            "check", describes: lines(check.output + builtCheck.output),
            absent: ["/items/properties/url"])
        let dryRun = try await site.bake("--dry-run", "--json")
        try expect("dry-run", describes: lines(dryRun.output))
        let bake = try await site.bake(
            "--styles", "--json", "--manifest", "images.json", "--report", "report.json")
        let builtBake = try await built.run(
            "site/public", "--json", "--allow-private-network")
        try expect("bake", describes: lines(bake.output + builtBake.output))
        try expect(
            "report", describes: [try site.folder.text("report.json")],
            absent: ["/items/properties/source", "/totals/properties/layout/properties/publicPath"])
        try expect(
            "manifest", describes: [try site.folder.text("images.json")],
            absent: ["/uses/items/properties/source", "/place/properties/source"])
    }

    @Test func restore() async throws {
        let origin = try await Origin.start()
        origin["/good.png"] = .init(try Pictures.scene(as: "png"))
        let site = try TestSite([
            "a.md": "![](\(origin.url)/good.png) ![](\(origin.url)/good.png?password=abcdef)"
        ])
        #expect(try await site.bake("--forget-secret-urls").exitCode == 0)
        let result = try await site.run("restore", "site", "--json")
        #expect(result.exitCode == 1)
        try expect(
            "restore", describes: lines(result.output), absent: ["/items/properties/source"])
    }

    @Test func lock() async throws {
        let origin = try await Origin.start()
        for name in ["a", "b", "c"] {
            origin["/\(name).png"] = .init(try Pictures.scene(as: "png"))
        }
        let site = try TestSite(["a.md": "![](\(origin.url)/a.png) ![](\(origin.url)/b.png)"])
        #expect(try await site.start(command: "lock", ["site"]).result().exitCode == 0)
        origin["/a.png"] = .init(try Pictures.scene(seed: 2, as: "png"))
        try site.restore([
            "a.md": "![](\(origin.url)/a.png) ![](\(origin.url)/c.png) ![](\(origin.url)/x.png)"
        ])
        let words = ["site", "--json", "--update", "\(origin.url)/a.png"]
        let result = try await site.start(command: "lock", words).result()
        try expect("lock", describes: lines(result.output), absent: ["/items/properties/source"])
    }

    @Test func explain() async throws {
        let origin = try await Origin.start()
        origin["/a.png"] = OriginRoute(try Pictures.scene(as: "png"), cacheControl: "no-cache")
        origin["/c.css"] = OriginRoute(Array("@import 'd.css';".utf8), contentType: "text/css")
        let site = try TestSite([
            "a.md": "![](\(origin.url)/a.png) ![](\(origin.url)/b.png)",
            "c.html": "<link rel=stylesheet href=\(origin.url)/c.css>",
        ])
        try site.folder.write("overrides: [{set: {quality: 70}}]", to: "imgbake.yml")
        let wide = "<style>img { max-width: 100% }</style><img src=\(origin.url)/a.png>"
        let responsive = try TestSite(["b.html": wide])
        _ = try await site.start(command: "lock", ["site"]).result()
        _ = try await site.bake("-o", "out", "--styles")
        origin["/a.png"] = .status(404)
        _ = try await site.bake("-o", "out")
        let result = try await site.start(command: "explain", ["site/a.md", "--json"]).result()
        let several = try await responsive.start(
            command: "explain", ["site/b.html", "--json", "--responsive"]
        ).result()
        let sheet = try await site.start(
            command: "explain", ["site/c.html", "--json", "--styles"]
        ).result()
        try expect(
            "explain", describes: lines(result.output + several.output + sheet.output),
            absent: ["/items/properties/source"])
    }

    @Test func bakeWithNote() async throws {
        let site = try TestSite(["a.md": "![](x.svg)"])
        try site.folder.write(SVGTexts.wrap("<script>alert(1)</script>"), to: "site/x.svg")
        let bake = try await site.bake("--local", "--json")
        let diagnostics = try bake.json["diagnostics"] as? [[String: any Sendable]]
        #expect(diagnostics?.map { $0["severity"] as? String } == ["note"])
        let schema = try JSONSchema(DocumentationTests.text("docs/schema/bake.json"))
        #expect(try schema.validate(bake.output).errors == [])
    }

    @Test func prefetch() async throws {
        let origin = try await Origin.start()
        let site = try project(origin)
        let result = try await site.start(command: "prefetch", ["--json", "site"]).result()
        try expect(
            "prefetch", describes: lines(result.output),
            absent: ["/places/items/properties/source"])
    }

    @Test func fetchAndCache() async throws {
        let origin = try await Origin.start()
        let site = try TestSite([:])
        origin["/a.png"] = .init(
            try Pictures.scene(as: "png"), etag: "\"1\"",
            lastModified: "Wed, 21 Oct 2015 07:28:00 GMT",
            cacheControl: "max-age=0, must-revalidate")
        let nothing = try await site.run("cache", "clean", "--json")
        func fetch() async throws -> [String] {
            let words = ["--json", "--stale-on-error", "always", "--retries", "0"]
            let urls = ["\(origin.url)/a.png", "http://nowhere.invalid/b.png"]
            return lines(try await site.start(command: "fetch", words + urls).result().output)
        }
        let first = try await fetch()
        origin["/a.png"] = .init(delivery: .reset(after: nil))
        let stale = try await fetch()
        try expect("fetch", describes: first + stale)

        _ = try await site.start(command: "prefetch", ["site"]).result()
        try site.folder.write("\(origin.url)/missing.png", to: "list")
        _ = try await site.start(command: "prefetch", ["list"]).result()
        let list = try await site.run("cache", "list", "--json")
        try expect("cache-list", describes: lines(list.output))
        let failures = try await site.run("cache", "list", "--failed", "--json")
        try expect("cache-failures", describes: lines(failures.output))
        let clean = try await site.run("cache", "clean", "--json", "--max-age", "0")
        try expect("cache-clean", describes: lines(nothing.output + clean.output))
        let info = try await site.run("cache", "info", "--json")
        try expect("cache-info", describes: lines(info.output))
    }

    @Test func configAndErrors() async throws {
        let site = try TestSite(["a.md": "x"])
        let config = try await site.run("config", "show", "site", "--json")
        try expect("config", describes: lines(config.output))
        var errors: [String] = []
        for words in [
            ["site", "--json", "--jobs", "0"], ["nowhere", "--json"], ["cache", "info", "--json"],
            ["check", "nowhere", "--format", "json"], ["check", "nowhere", "--format=json"],
        ] {
            let result = try await Command.run(
                Command.built("imgbake"), words, environment: site.environment,
                directory: site.folder.path)
            #expect(result.exitCode != 0)
            errors += lines(result.output)
        }
        #expect(errors.count == 5)
        try expect("error", describes: errors)
    }

    @Test func version() async throws {
        let site = try TestSite([:])
        let whole = try await site.run("version", "--json")
        let broken = try await site.run(
            "version", "--json", environment: ["IMGBAKE_WORKER": "/nowhere"])
        let worker = Command.built("imgbake-worker")
        try await site.folder.writeScript(
            """
            #!/bin/sh
            exec "\(Command.built("worker-probe"))" without landlock "\(worker)" "$@"
            """, to: "worker")
        let weak = try await site.run(
            "version", "--json", environment: ["IMGBAKE_WORKER": site.folder.path("worker")])
        try expect("version", describes: lines(whole.output + broken.output + weak.output))
        #expect(try broken.json["error"] != nil)
    }

    /// A validator that accepts everything would prove nothing.
    @Test func validatorFindsFaults() throws {
        let schema = try JSONSchema(
            """
            {"type": "object", "required": ["a"], "additionalProperties": false, "properties": {
             "a": {"type": "integer", "minimum": 1}, "b": {"enum": ["x", "y"]},
             "c": {"type": "array", "items": {"type": "string", "pattern": "^[a-f]+$"}}}}
            """)
        #expect(try schema.validate(#"{"a": 1, "b": "x", "c": ["ab"]}"#).errors == [])
        for wrong in [
            "[]", "{}", #"{"a": 0}"#, #"{"a": 1.5}"#, #"{"a": true}"#, #"{"a": 1, "b": "z"}"#,
            #"{"a": 1, "c": ["xyz"]}"#, #"{"a": 1, "d": 1}"#,
        ] {
            #expect(try schema.validate(wrong).errors.count == 1, "\(wrong)")
        }
        #expect(throws: JSONSchema.SchemaError.self) {
            try JSONSchema(#"{"unevaluatedItems": false}"#)
        }
    }
}
