import Foundation
import TestSupport
import Testing

/// What was public in a document stays public: undo and the author's own lists have each byte of it.
@Suite(.timeLimit(.minutes(10))) struct PublicURLTests {
    private static let key = "q8Zt3kLw9XvB2nR7yPmD4sFh6JcT1gUa"
    private static let hash = "d41d8cd98f00b204e9800998ecf8427e"

    /// URLs as documents have them, without the host; `&` is that of HTML.
    static let lasting = [
        "/avatar?s=366761", "/demo/image/upload/s--abcd1234--/v1/a.png", "/a.jpg?rid=\(key)",
        "/v/t1/a.jpg?_nc_cat=1&amp;oh=\(hash)", "/o/r/main/a.png?token=AAB4\(key)",
        "/v0/b/x/o/a.png?alt=media&amp;token=550e8400-e29b-41d4-a716-446655440000",
        "/a.png?sig=\(key)", "/maps?size=9x9&amp;key=AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY",
        "/a.png?v=\(hash)", "/a.png?w=800&amp;s=\(hash)", "/avatar/\(hash)?s=80&amp;d=mm&amp;r=g",
        "/max/1400/1*\(key).png", "/wp/a.png?resize=300%2C200&amp;ssl=1",
        "/photo-15?ixid=M3wxMjA3fDB8MHxwaG90by1wYWdlfHx8fGVufDB8fHx8fA%3D%3D&amp;ixlib=rb-4.0.3",
        "/\(key)=s0-d", "/\(key)\(hash)/a.png", "/a.png?nonce=\(key)", "/a.png?hash=\(hash)",
        "/a.png?code=1234", "/token/\(key)/a.png", "/style?access_token=pk.eyJ1Ijoi.\(key).def",
        "/a.png?session=12&amp;auth=\(key)", "/p?url=https%3A%2F%2Fi%2Fa.png%3Ftoken%3D\(key)",
        "/secret_garden_in_the_summer/a.png", "/a.svg?sid=\(key)#part", "/a.png;jsessionid=\(key)",
    ]

    /// URLs that expire or have a password; `KEY` is a secret.
    static let expiring = [
        "/a.png?X-Amz-Date=20240101T000000Z&X-Amz-Expires=60&X-Amz-Signature=KEY",
        "/a.png?Expires=1700000000&Signature=KEY&Key-Pair-Id=APKA1",
        "/a.png?sv=2022-11-02&se=2030-01-01T00%3A00%3A00Z&sp=r&sig=KEY",
        "/a.jpg?_nc_cat=1&oh=KEY&oe=65F0A1B2", "/a.png?jwt=eyJhbGciOi.eyJleHAiOjE3M30.KEY",
        "/a.png?any=ghp_KEY0123", "user:KEY@", "/a.png?password=KEY",
    ]

    private func start() async throws -> Origin {
        let origin = try await Origin.start()
        let picture = OriginRoute(
            try Pictures.scene(seed: 1, as: "png"), cacheControl: "max-age=3600")
        for (index, url) in Self.lasting.enumerated() {
            let url = url.replacing("&amp;", with: "&").prefix { $0 != "#" }
            // Some have equal bytes, and so one file.
            let fill = index % 3 == 0 ? "red" : "#\(100 + index)"
            var route = OriginRoute()
            route.body = Array(
                """
                <svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><path fill="\(fill)" \
                d="M0 0h9v9z"/></svg>
                """.utf8)
            route.contentType = "image/svg+xml"
            route.cacheControl = "max-age=3600"
            origin[String(url)] = route
        }
        origin["/b.png"] = picture
        for url in Self.expiring where url.hasPrefix("/") {
            origin[url.replacing("KEY", with: Self.key)] = picture
        }
        origin["/x.png"] = picture
        return origin
    }

    private func files(_ host: String) -> [String: String] {
        var files = ["a.html": "<p>", "b.md": "# Text\n", "c.css": "", "d.html": ""]
        for (index, url) in Self.lasting.enumerated() {
            let plain = host + url.replacing("&amp;", with: "&")
            files["a.html"]? += "<img alt=\(index) src=\"\(host)\(url)\">\n"
            files["b.md"]? += "\n![\(index)](\(plain))\n"
            files["c.css"]? += ".a\(index) { background: url('\(plain)') }\n"
            files["d.html"]? += "<img srcset=\"\(host)\(url) 2x\" src='\(host)/b.png'>\n"
        }
        return files
    }

    @Test func bakedURLsAreRestoredByteForByte() async throws {
        let origin = try await start()
        let site = try TestSite(files(origin.url))
        let before = try site.folder.contents(below: "site")
        let bake = try await site.bake()
        #expect(bake.exitCode == 0, "\(bake.errors)")
        #expect(try bake.diagnostics.isEmpty, "\(bake.errors)")
        for name in ["a.html", "b.md", "c.css", "d.html"] {
            #expect(try !site.text(name).contains(origin.url), "\(name)")
        }
        let result = try await site.run("restore", "site", "--json")
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try site.folder.contents(below: "site") == before)
        // The list can be copied.
        let listed = try result.json["references"] as? [[String: any Sendable]] ?? []
        let urls = Set(listed.compactMap { $0["url"] as? String })
        let all = Self.lasting.map { origin.url + $0.replacing("&amp;", with: "&") }
        #expect(urls == Set(all + [origin.url + "/b.png"]))
    }

    @Test func editedAndMovedDocumentsAreRestoredToo() async throws {
        let origin = try await start()
        let files = files(origin.url)
        let site = try TestSite(files)
        #expect(try await site.bake().exitCode == 0)
        try site.folder.write("new <p>\n" + site.text("a.html"), to: "site/a.html")
        let moved = try site.text("b.md").replacing("(imgbake", with: "(../imgbake")
        try site.folder.write(moved, to: "site/deep/b.md")
        try FileManager.default.removeItem(atPath: site.folder.path("site/b.md"))
        let result = try await site.run("restore", "site")
        let page = try #require(files["a.html"])
        #expect(try site.text("a.html") == "new <p>\n" + page)
        // A moved document has the URLs, in a notation of Markdown.
        let text = try site.text("deep/b.md").replacing("&amp;", with: "&")
        for (index, url) in Self.lasting.enumerated() where index % 3 != 0 {
            let url = origin.url + url.replacing("&amp;", with: "&")
            #expect(text.contains("![\(index)](\(url))\n"), "\(url)")
        }
        // Where one file came from several URLs, they are named to be chosen from.
        #expect(result.errors.contains("help: write the original URL: \(origin.url)/"))
    }

    @Test(arguments: expiring) func imageWhoseURLMayNotBeStoredStays(_ form: String) async throws {
        let origin = try await start()
        let form = form.replacing("KEY", with: Self.key)
        let url =
            form.hasPrefix("/")
            ? origin.url + form : origin.url.replacing("//", with: "//" + form) + "/x.png"
        let page = "<p>\n<img src=\"\(url)\"><img src=\"\(origin.url)/b.png\">"
        let site = try TestSite(["a.html": page])
        let result = try await site.bake("--json")
        #expect(result.exitCode == 0)
        let told = try result.diagnostics
        #expect(told.map(\.code) == ["secret-url"], "\(result.errors)")
        #expect(told.map(\.place) == ["site/a.html:2:11"])
        #expect(told.map(\.severity) == [.warning])
        #expect(!(result.output + result.errors).contains(Self.key))
        #expect(try site.text("a.html").contains("<img src=\"\(url)\"><img src=\"imgbake/b-"))
        let dry = try await site.bake("--dry-run", "--json")
        #expect(try dry.diagnostics.map(\.code) == ["secret-url"])
        let copy = try await site.bake("-o", "out")
        #expect(try copy.diagnostics.isEmpty, "\(copy.errors)")
        #expect(try !site.folder.text("out/a.html").contains(origin.url))
        #expect(try await site.run("restore", "site").exitCode == 0)
        #expect(try site.text("a.html") == page)
    }

    @Test func consentForgetsTheURL() async throws {
        let origin = try await start()
        let url = origin.url + Self.expiring[0].replacing("KEY", with: Self.key)
        let site = try TestSite(["a.html": "<img src=\"\(url)\">"])
        let result = try await site.bake("--forget-secret-urls")
        #expect(result.exitCode == 0)
        #expect(try result.diagnostics.map(\.code) == ["secret-url"])
        #expect(try result.diagnostics.map(\.severity) == [.note])
        let baked = try site.text("a.html")
        #expect(baked.hasPrefix("<img src=\"imgbake/"))
        #expect(!(try site.folder.text("site/imgbake/.imgbake-origins").contains(Self.key)))
        #expect(try await site.bake().diagnostics.isEmpty)
        let restored = try await site.run("restore", "site")
        #expect(restored.exitCode == 1)
        #expect(try restored.diagnostics.map(\.code) == ["hidden-origin"])
        #expect(try site.text("a.html") == baked)
    }

    @Test func whatAListDoesNotStoreIsNamed() async throws {
        let origin = try await start()
        let site = try TestSite(["a.html": "<p><img src='\(origin.url)/avatar?s=366761'>"])
        #expect(try await site.bake("--dimensions").exitCode == 0)
        let baked = try site.text("a.html")
        let list = "site/imgbake/.imgbake-origins"
        let old = try site.folder.text(list).replacing("=366761", with: "=[hidden]")
            .replacing(/,"old":"[^"]*"/) { _ in "" }
        #expect(old.contains("\"pieces\":") && !old.contains("\"old\":"))
        try site.folder.write(old, to: list)
        for command in [["site"], ["restore", "site"]] {
            let result = try await Command.run(
                Command.built("imgbake"), command, environment: site.environment,
                directory: site.folder.path)
            #expect(try result.diagnostics.map(\.code) == ["hidden-origin"], "\(result.errors)")
            #expect(try site.text("a.html") == baked)
        }
    }

    @Test func authorSeesHisURLsAndLogsDoNot() async throws {
        let origin = try await start()
        let lasting = "\(origin.url)/a.png?sig=\(Self.key)"
        let expiring = origin.url + Self.expiring[1].replacing("KEY", with: Self.key + "0")
        let page = "<img src=\"\(lasting)\"><img src=\"\(expiring)\">"
        let site = try TestSite(["a.html": page])
        let json = try await site.run("check", "site", "--json", "--report", "r.sarif")
        #expect(json.output.contains("sig=\(Self.key)\""))
        #expect(!json.output.contains(Self.key + "0"))
        #expect(!json.errors.contains(Self.key))
        #expect(!(try site.folder.text("r.sarif").contains(Self.key)))
        for format in ["text", "github"] {
            let log = try await site.run("check", "site", "--format", format)
            #expect(!(log.output + log.errors).contains(Self.key), "\(format)")
        }
        let explained = try await site.run("explain", "site/a.html", "--json")
        #expect(explained.output.contains("sig=\(Self.key)\""), "\(explained.errors)")
        #expect(!explained.output.contains(Self.key + "0"))
        let bake = try await site.bake("--json", "-v", "--manifest", "m.json", "--report", "r.html")
        #expect(!(bake.output + bake.errors).contains(Self.key))
        for name in ["m.json", "r.html"] {
            #expect(!(try site.folder.text(name).contains(Self.key)), "\(name)")
        }
        let dry = try await site.run("restore", "site", "--dry-run")
        #expect(dry.output.contains("would put back \(lasting)\n"))
    }
}
