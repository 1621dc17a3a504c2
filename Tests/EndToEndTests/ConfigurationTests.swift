import Foundation
import TestSupport
import Testing

/// The command finds and applies `imgbake.yml`.
@Suite(.timeLimit(.minutes(10))) struct ConfigurationTests {
    private func origin() async throws -> Origin {
        let origin = try await Origin.start()
        origin["/a.png"] = OriginRoute(
            try Pictures.scene(as: "png"), cacheControl: "max-age=3600")
        return origin
    }

    private func host(_ origin: Origin) -> String { String(origin.url.dropFirst("http://".count)) }

    @Test func commandLineOverridesFile() async throws {
        let origin = try await origin()
        let site = try TestSite(["a.md": "![](\(origin.url)/a.png)"])
        try site.folder.write(
            """
            output: public
            image-dir: img
            format: jpeg
            max-width: 100
            cache: {dir: kept}
            fetch: {allow-private-network: true, user-agent: tester}
            """, to: "imgbake.yml")
        let environment = ["IMGBAKE_CACHE_DIR": ""]
        let result = try await site.run("site", environment: environment)
        #expect(result.exitCode == 0, "\(result.errors)")
        let image = try #require(try site.images(in: "public/img").first)
        #expect(image.hasSuffix(".jpg"))
        #expect(try PictureFacts(of: site.folder.bytes("public/img/" + image)).width == 100)
        #expect(site.folder.exists("kept/CACHEDIR.TAG"))
        #expect(origin.requests.map { $0.header("User-Agent") } == ["tester"])
        let other = try await site.run(
            "site", "-o", "other", "--image-dir", "pic", "--format", "png", "--max-width", "50",
            environment: environment)
        #expect(other.exitCode == 0, "\(other.errors)")
        let small = try #require(try site.images(in: "other/pic").first)
        #expect(small.hasSuffix(".png"))
        #expect(try PictureFacts(of: site.folder.bytes("other/pic/" + small)).width == 50)
    }

    @Test func fileCanBeNamedOrIgnored() async throws {
        let site = try TestSite([:])
        try site.folder.write("cache: {dir: here}", to: "deep/my.yml")
        try site.folder.write("cache: {dir: there}", to: "imgbake.yaml")
        let environment = ["IMGBAKE_CACHE_DIR": "", "XDG_CACHE_HOME": "/xdg"]
        let cases = [
            ([], site.folder.path("there")),
            (["--config", "deep/my.yml"], site.folder.path("deep/here")),
            (["--no-config"], "/xdg/imgbake"), (["--cache-dir", "x"], site.folder.path("x")),
        ]
        for (options, path) in cases {
            let result = try await Command.run(
                Command.built("imgbake"), ["cache", "path"] + options, environment: environment,
                directory: site.folder.path)
            #expect(result.output == path + "\n", "\(options) \(result.errors)")
        }
        let variable = try await site.run("cache", "path")
        #expect(variable.output == site.folder.path("cache") + "\n")
    }

    @Test(arguments: [["site"], ["prefetch", "list"], ["fetch", "http://h/"], ["cache", "info"]])
    func faultInFileHasOneLineAndExitCode2(words: [String]) async throws {
        let site = try TestSite([:])
        try site.folder.write("", to: "list")
        try site.folder.write("max-width: 5\nfetch:\n  retrys: 3\n", to: "imgbake.yml")
        let result = try await Command.run(
            Command.built("imgbake"), words, environment: site.environment,
            directory: site.folder.path)
        #expect(result.exitCode == 2)
        #expect(
            result.errors == """
                imgbake: error: imgbake.yml:3:3: unknown key 'retrys'; did you mean 'retries'?

                """)
    }

    @Test func ambiguousOrTooLargeFilesAreErrors() async throws {
        let site = try TestSite([:])
        try site.folder.write("", to: "imgbake.yml")
        try site.folder.write(
            String(repeating: "# a comment\n", count: 100_000), to: "imgbake.yaml")
        let two = try await site.run("site")
        #expect(two.exitCode == 2)
        #expect(two.errors.contains("keep one"), "\(two.errors)")
        let large = try await site.run("site", "--config", "imgbake.yaml")
        #expect(large.exitCode == 2)
        #expect(
            large.errors == "imgbake: error: imgbake.yaml: this is larger than 1000000 bytes\n")
    }

    @Test func sendsFieldsAndCredentialsOnlyToTheirHost() async throws {
        let origin = try await origin()
        let site = try TestSite([:])
        try site.folder.write(
            """
            hosts:
              "\(host(origin))":
                headers: {X-Key: "k-${KEY}"}
                bearer: ${TOKEN}
              other.example.org: {bearer: "${TOKEN}"}
            """, to: "imgbake.yml")
        let result = try await site.start(
            command: "fetch", ["--verbose", "--json", "\(origin.url)/a.png"],
            environment: ["KEY": "s3cret", "TOKEN": "t0ken"]
        ).result()
        #expect(result.exitCode == 0, "\(result.errors)")
        let request = try #require(origin.requests.first)
        #expect(request.header("X-Key") == "k-s3cret")
        #expect(request.header("Authorization") == "Bearer t0ken")
        let said = result.output + result.errors
        #expect(!said.contains("s3cret") && !said.contains("t0ken"), "\(said)")
        #expect(try await site.run("cache", "path").exitCode == 0)
        let unset = try await site.run("fetch", "\(origin.url)/a.png")
        #expect(unset.exitCode == 1)
        #expect(
            unset.errors.contains("imgbake.yml:3:22: the environment variable KEY is not set"),
            "\(unset.errors)")
    }

    @Test func commandLineRestrictsFile() async throws {
        let origin = try await origin()
        let site = try TestSite([:])
        try site.folder.write("fetch: {allow-private-network: true}", to: "imgbake.yml")
        let forbidden = try await site.run(
            "fetch", "--no-allow-private-network", "\(origin.url)/a.png")
        #expect(forbidden.exitCode == 1)
        #expect(try forbidden.diagnostics.map(\.code) == ["private-address"])
        let allowed = try await site.run("fetch", "--json", "\(origin.url)/a.png")
        #expect(allowed.exitCode == 0, "\(allowed.errors)")
    }

    @Test func makesNoRequestToDeniedHosts() async throws {
        let origin = try await origin()
        let site = try TestSite(["a.md": "![](\(origin.url)/a.png)"])
        for list in ["deny-hosts: [127.0.0.1]", "allow-hosts: [example.org]"] {
            try site.folder.write("fetch: {\(list)}", to: "imgbake.yml")
            let result = try await site.bake()
            #expect(result.exitCode == 1)
            #expect(
                try result.diagnostics.map(\.summary)
                    == ["error site/a.md:1:5 host-not-allowed \(origin.url)/a.png"])
        }
        #expect(origin.requestCount == 0)
    }

    @Test func urlsDifferingInDroppedParametersShareEntry() async throws {
        let origin = try await origin()
        let site = try TestSite([:])
        try site.folder.write("fetch: {drop-query: [utm_*]}", to: "imgbake.yml")
        for source in ["x", "y"] {
            let result = try await site.start(
                command: "fetch", ["--json", "\(origin.url)/a.png?utm_source=\(source)"]
            ).result()
            #expect(result.exitCode == 0, "\(result.errors)")
        }
        #expect(origin.requestCount == 1)
    }

    @Test func warnsAboutMissingReadOnlyCache() async throws {
        let origin = try await origin()
        let site = try TestSite(["a.md": "![](\(origin.url)/a.png)"])
        try site.folder.write("cache: {read-only: [nowhere]}", to: "imgbake.yml")
        let result = try await site.bake()
        #expect(result.exitCode == 0)
        let path = site.folder.path("nowhere")
        let warnings = result.errors.split(separator: "\n").filter { $0.contains("warning: ") }
        #expect(warnings == ["imgbake: warning: the read-only cache \(path) does not exist"])
        #expect(try await site.bake("-q").errors == "")
    }

    @Test func readsCredentialsFromNetrc() async throws {
        let origin = try await origin()
        let site = try TestSite([:])
        let text = "machine 127.0.0.1 login tom password s3cret\n"
        try site.folder.write(text, to: ".netrc")
        for option in [["--netrc"], ["--netrc-file", ".netrc"], []] {
            if option.isEmpty { try site.folder.write("fetch: {netrc: true}", to: "imgbake.yml") }
            let result = try await site.start(
                command: "fetch", ["--refresh", "--json"] + option + ["\(origin.url)/a.png"],
                environment: ["HOME": site.folder.path]
            ).result()
            #expect(result.exitCode == 0, "\(result.errors)")
        }
        let expected = "Basic " + Data("tom:s3cret".utf8).base64EncodedString()
        #expect(
            origin.requests.map { $0.header("Authorization") }
                == [expected, expected, expected])
    }

    @Test func sendsRequestsThroughConfiguredProxy() async throws {
        let proxy = try await Origin.start()
        let url = "http://images.example.org/a.png"
        proxy[url] = OriginRoute(try Pictures.scene(as: "png"))
        let site = try TestSite([:])
        let option = try await site.start(
            command: "fetch", ["--json", "--proxy", proxy.url, url]
        ).result()
        #expect(option.exitCode == 0, "\(option.errors)")
        try site.folder.write(
            "fetch: {proxy: '\(proxy.url)', no-proxy: [127.0.0.1]}", to: "imgbake.yml")
        let file = try await site.start(command: "fetch", ["--refresh", "--json", url]).result()
        #expect(file.exitCode == 0, "\(file.errors)")
        #expect(proxy.requests.map(\.target) == [url, url])
        let direct = try await site.start(
            command: "fetch", ["--json", "\(proxy.url)/direct"]
        ).result()
        #expect(try direct.json["status"] as? Int == 404, "\(direct.errors)")
        #expect(proxy.requests.last?.target == "/direct")
        proxy.forgetRequests()
        let environment = ["http_proxy": proxy.url]
        let words = ["--no-config", "--refresh", "--json"]
        _ = try await site.start(
            command: "fetch", words + [url], environment: environment
        ).result()
        #expect(proxy.requests.map(\.target) == [url])
        _ = try await site.start(
            command: "fetch", words + ["--proxy", "none", "\(proxy.url)/direct"],
            environment: environment
        ).result()
        #expect(proxy.requests.last?.target == "/direct")
    }
}
