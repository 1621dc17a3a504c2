import Foundation
import TestSupport
import Testing

/// A stricter setting counts at once: for what the cache, documents and the output folder keep of an
/// earlier bake.
@Suite(.timeLimit(.minutes(10))) struct TightenedBakeTests {
    /// A site with one image, which is baked with changing settings.
    private struct Example {
        let setting: LimitingSetting
        let origin: Origin
        let server: TLSServer?
        let site: TestSite
        let url: String
        let page: String

        init(_ setting: LimitingSetting) async throws {
            self.setting = setting
            origin = try await Origin.start()
            let picture = try Pictures.photo(width: 200, height: 150, as: "png")
            let fresh = "max-age=3600"
            origin["/a.png"] = OriginRoute(picture, etag: "\"1\"", cacheControl: fresh)
            origin["/r.png"] = .redirect(to: origin.url + "/a.png", status: 301)
            origin["/x.svg"] = OriginRoute(
                Array(SVGTexts.wrap("<script>alert(1)</script>").utf8), etag: "\"2\"",
                cacheControl: fresh)
            let isSecure = [.secure, .secureRedirect].contains(setting.source)
            server = isSecure ? try await TLSServer(["a.png": picture]) : nil
            let named = origin.url.replacing("127.0.0.1", with: "localhost")
            url =
                switch setting.source {
                case .address, .link: origin.url + "/a.png"
                case .name: named + "/a.png"
                case .redirect: named + "/r.png"
                case .drawing: origin.url + "/x.svg"
                case .secure: (server?.url ?? "") + "/a.png"
                case .secureRedirect:
                    (server?.url ?? "") + "/redirect?to=" + origin.url + "/a.png"
                }
            page = setting.source == .link ? "<a href='\(url)'>x</a>" : "<img src='\(url)'>"
            site = try TestSite(["a.html": page, "b.html": "<p>b"])
        }

        /// The settings as text of `imgbake.yml`.
        private func text(isTight: Bool) -> String {
            var settings = [
                "fetch.allow-private-network": "true", "fetch.ttl": "1d", "fetch.retries": "0",
            ]
            settings.merge(setting.loose) { $1 }
            if isTight {
                settings[setting.key.hasPrefix("hosts.") ? "hosts" : setting.key] = setting.tight
            }
            let lines = settings.sorted { $0.key < $1.key }.map { key, value in
                (key, value.replacing("AUTHORITY", with: server?.authority ?? ""))
            }
            let fetching = lines.filter { $0.0.hasPrefix("fetch.") }
                .map { "\($0.0.dropFirst("fetch.".count)): \($0.1)" }
            let others = lines.filter { !$0.0.hasPrefix("fetch.") }.map { "\($0.0): \($0.1)\n" }
            return others.joined() + "fetch: {\(fetching.joined(separator: ", "))}\n"
        }

        func run(_ arguments: String..., isTight: Bool) async throws -> CommandResult {
            let name = isTight ? "tight.yml" : "loose.yml"
            try site.folder.write(text(isTight: isTight), to: name)
            return try await Command.run(
                Command.built("imgbake"), arguments + ["--config", name],
                environment: site.environment, directory: site.folder.path)
        }

        /// The number of requests so far.
        var requestCount: Int { origin.requestCount + (server?.log.count ?? 0) }

        /// Expects that a stricter run refuses the image, and that `page` keeps its URL.
        func expectRefusal(
            _ result: CommandResult, in page: String? = nil, _ comment: String,
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            let told = Comment(rawValue: "\(comment): \(result.errors)")
            #expect(
                result.exitCode == (setting.code == nil ? 0 : 1), told,
                sourceLocation: sourceLocation)
            let codes = try result.diagnostics.filter { $0.severity == .error }.map(\.code)
            #expect(
                codes == [setting.code].compactMap(\.self), told, sourceLocation: sourceLocation)
            guard let page else { return }
            #expect(try site.folder.text(page) == self.page, told, sourceLocation: sourceLocation)
        }

        func expectImage(
            _ result: CommandResult, in page: String,
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            #expect(
                result.exitCode == 0, "\(result.errors)", sourceLocation: sourceLocation)
            let text = try site.folder.text(page)
            #expect(text.contains("'imgbake/"), sourceLocation: sourceLocation)
            #expect(!text.contains(url), sourceLocation: sourceLocation)
        }
    }

    @Test(arguments: LimitingSetting.all)
    func countsAtOnce(_ setting: LimitingSetting) async throws {
        let example = try await Example(setting)
        let copy = { try await example.run("site", "-o", "out", isTight: $0) }
        try example.expectImage(try await copy(false), in: "out/a.html")
        let requests = example.requestCount

        // The same output folder, a new one, and a dry run.
        try example.expectRefusal(try await copy(true), in: "out/a.html", "same folder")
        let new = try await example.run("site", "-o", "new", isTight: true)
        try example.expectRefusal(new, in: "new/a.html", "new folder")
        #expect(example.requestCount == requests)
        for other in setting.others {
            let result =
                switch other {
                case .dryRun: try await example.run("site", "--dry-run", isTight: true)
                case .prefetch: try await example.run("prefetch", "site", isTight: true)
                case .fetch:
                    try await example.run("fetch", example.url, "-o", "file", isTight: true)
                }
            try example.expectRefusal(result, "\(other)")
        }
        #expect(!example.site.folder.exists("file"))
        if setting.code != nil {
            let check = try await example.run("check", "out", isTight: true)
            #expect(check.exitCode == 1, "\(check.errors)")
        }

        // A looser setting gives the image back, without a request.
        try example.expectImage(try await copy(false), in: "out/a.html")
        #expect(example.requestCount == requests)

        let refreshed = try await example.run("site", "-o", "out", "--refresh", isTight: true)
        try example.expectRefusal(refreshed, in: "out/a.html", "refresh")
        let afterRefresh = example.requestCount
        try example.expectImage(try await copy(false), in: "out/a.html")
        #expect(example.requestCount == afterRefresh)

        // In place: the document is written anew by its author after the first bake.
        try example.expectImage(try await example.run("site", isTight: false), in: "site/a.html")
        try example.site.restore(["a.html": example.page])
        try example.expectRefusal(
            try await example.run("site", isTight: true), in: "site/a.html", "in place")
        let inPlace = try await example.run("site", "--refresh", isTight: true)
        try example.expectRefusal(inPlace, in: "site/a.html", "in place, refresh")
        try example.expectImage(try await example.run("site", isTight: false), in: "site/a.html")
    }

    /// Whoever adds a setting decides whether it limits or forbids what an earlier bake has kept.
    @Test func everySettingIsDecided() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let data = try Data(contentsOf: root.appending(path: "docs/imgbake.schema.json"))
        let schema = try #require(
            try JSONSerialization.jsonObject(with: data) as? [String: Any])
        func keys(_ schema: Any?, _ prefix: String = "") -> [String] {
            let properties = (schema as? [String: Any])?["properties"] as? [String: Any] ?? [:]
            return properties.flatMap { name, schema in
                let nested = keys(schema, prefix + name + ".")
                return nested.isEmpty ? [prefix + name] : nested
            }
        }
        let definitions = schema["$defs"] as? [String: Any]
        let host = (definitions?["host"] as? [String: Any])?["properties"] as? [String: Any]
        let all = keys(schema).filter { $0 != "hosts" } + (host ?? [:]).keys.map { "hosts." + $0 }
        #expect(all.count > 70)
        let decided = LimitingSetting.others.values.flatMap(\.self)
        let limiting = Set(LimitingSetting.all.map(\.key))
        #expect(Set(decided).isDisjoint(with: limiting))
        #expect(Set(decided).count == decided.count)
        #expect(limiting.union(decided).subtracting(all).sorted() == [])
        #expect(Set(all).subtracting(limiting.union(decided)).sorted() == [])
    }
}
