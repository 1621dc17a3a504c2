import TestSupport
import Testing

/// The built command bakes projects of generators.
@Suite(.timeLimit(.minutes(10))) struct LayoutTests {
    private func origin() async throws -> Origin {
        let origin = try await Origin.start()
        origin["/a.png"] = .init(try Pictures.scene(as: "png"), cacheControl: "max-age=9999")
        return origin
    }

    private func hugo(_ origin: Origin) throws -> TestSite {
        try TestSite([
            "hugo.toml": "baseURL = 'https://h/blog/'\ndisableKinds = ['RSS']",
            "content/a.md": "![](\(origin.url)/a.png)",
            "public/a.html": "<img src=\(origin.url)/b.png>",
            "themes/t/layouts/a.html": "<img src=\(origin.url)/c.png>",
            "README.md": "![](\(origin.url)/d.png)",
        ])
    }

    @Test func bakesProjectForItsGenerator() async throws {
        let origin = try await origin()
        let site = try hugo(origin)
        let result = try await site.bake("-o", "out", "--json")
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(
            result.errors.hasPrefix(
                "imgbake: Hugo site (hugo.toml): images go to static/imgbake/, published as "
                    + "/blog/imgbake/\n"))
        let image = try #require(try site.images(in: "out/static/imgbake").first)
        #expect(try site.folder.text("out/content/a.md") == "![](/blog/imgbake/\(image))")
        // Files outside the site are not read, and Hugo's output is not copied.
        #expect(try site.folder.text("out/README.md") == site.text("README.md"))
        #expect(site.folder.exists("out/themes/t/layouts/a.html"))
        #expect(!site.folder.exists("out/public"))
        #expect(origin.requestCount == 1)
        let layout = try #require(try result.json["layout"] as? [String: String])
        #expect(
            layout == [
                "generator": "hugo", "configuration": "hugo.toml",
                "imageDirectory": "static/imgbake", "publicPath": "/blog/imgbake/",
            ])
        let quiet = try await site.bake("-o", "out", "--quiet")
        #expect(quiet.errors.isEmpty)
    }

    @Test(arguments: [".eleventy.js", ".vitepress/config.mjs"])
    func copiesHiddenConfiguration(file: String) async throws {
        let site = try TestSite([file: "export default {}", "a.md": "x", ".env": "x"])
        let result = try await site.bake("-o", "out")
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(site.folder.exists("out/" + file))
        #expect(!site.folder.exists("out/.env"))
    }

    @Test func detectsChangedBaseWithWarmCache() async throws {
        let origin = try await origin()
        let site = try hugo(origin)
        _ = try await site.bake("-o", "first")
        try site.restore(["hugo.toml": "baseURL = 'https://h/other/'\ndisableKinds = ['RSS']"])
        _ = try await site.bake("-o", "second")
        #expect(try site.folder.text("second/content/a.md").hasPrefix("![](/other/imgbake/a-"))
        _ = try await site.bake("-o", "third", "--layout", "none")
        #expect(try site.folder.text("third/content/a.md").hasPrefix("![](../imgbake/a-"))
    }

    @Test(
        arguments: [
            (["config.toml": "base_url = 'https://h/'"], "a Zola project (config.toml)", "public"),
            (["zola.toml": "base_url = 'https://h/'"], "a Zola project (zola.toml)", "public"),
            (["_config.yml": "public_dir: p"], "a Hexo project (_config.yml)", "public"),
            (
                ["_config.yml": "root: /", "package.json": #"{"dependencies": {"hexo": "^8"}}"#],
                "a Hexo project (_config.yml)", "public"
            ),
            (
                ["_config.yml": "title: x", "_toc.yml": "root: a"],
                "a Jupyter Book project (_config.yml)", "_build/html"
            ),
            (
                ["conf.py": "POSTS = (('posts/*.md', 'x', 'y'),)"], "a Nikola project (conf.py)",
                "output"
            ),
            (
                ["_quarto.yml": "project: {type: website}"], "a Quarto project (_quarto.yml)",
                "_site"
            ),
            (["gatsby-config.ts": ""], "a Gatsby project (gatsby-config.ts)", "public"),
            (["next.config.mjs": ""], "a Next.js project (next.config.mjs)", "out"),
            (["nuxt.config.ts": ""], "a Nuxt project (nuxt.config.ts)", ".output/public"),
            (
                ["svelte.config.js": "export default { kit: {} }"],
                "a SvelteKit project (svelte.config.js)", "build"
            ),
            (
                [".vuepress/config.js": ""], "a VuePress project (.vuepress/config.js)",
                ".vuepress/dist"
            ),
        ])
    func refusesProjectWhoseLayoutIsUnknown(
        files: [String: String], project: String, output: String
    ) async throws {
        let origin = try await origin()
        let text = "![](\(origin.url)/a.png)"
        let site = try TestSite(files.merging(["a.md": text]) { $1 })
        for arguments in [[], ["-o", "out"], ["--dry-run"]] {
            let result = try await site.start(arguments).result()
            #expect(result.exitCode == 2)
            #expect(
                result.errors
                    == "imgbake: error: site is \(project), whose layout is not known: bake the "
                    + "built site, usually \(output), or give '--layout none'\n")
        }
        #expect(try site.text("a.md") == text)
        #expect(!site.folder.exists("out"))
        #expect(origin.requestCount == 0)
        let plain = try await site.bake("--layout", "none")
        #expect(plain.exitCode == 0, "\(plain.errors)")
    }

    @Test func refusesSourcesOfProjectWhoseLayoutIsUnknown() async throws {
        let site = try TestSite([
            "config.toml": "base_url = '/'", "content/a.md": "x", "public/a.html": "x",
            "notes/a.md": "x", "docs/.vuepress/config.js": "", "docs/.vuepress/dist/a.html": "x",
        ])
        let content = try await site.start(command: "site/content").result()
        #expect(content.exitCode == 2)
        #expect(content.errors.contains("site/content is part of a Zola project (config.toml)"))
        for other in ["site/public", "site/notes", "site/docs/.vuepress/dist"] {
            let result = try await site.start(command: other).result()
            #expect(result.exitCode == 0, "\(result.errors)")
        }
    }

    @Test(arguments: ["public", "_site", "dist", "build"])
    func refusesFolderWithBuiltSite(folder: String) async throws {
        let origin = try await origin()
        let image = "\(origin.url)/a.png"
        let site = try TestSite([
            "a.md": "![](\(image))", "\(folder)/index.html": "<img src=\(image)>",
        ])
        let result = try await site.bake()
        #expect(result.exitCode == 2)
        #expect(
            result.errors
                == "imgbake: error: site has a built site in \(folder): bake that folder, or give "
                + "'--layout none'\n")
        let built = try await site.start(command: "site/" + folder).result()
        #expect(built.exitCode == 0, "\(built.errors)")
        let document = try await site.start(command: "site/a.md", ["--dry-run"]).result()
        #expect(document.exitCode == 0, "\(document.errors)")
        let plain = try await site.bake("--layout", "none")
        #expect(plain.exitCode == 0, "\(plain.errors)")
        #expect(try site.text("a.md") == "![](imgbake/\(site.images()[0]))")
    }

    @Test func writesImageFolderOutsideSite() async throws {
        let origin = try await origin()
        let site = try TestSite(["a.md": "![](\(origin.url)/a.png)"])
        let options = ["--image-dir", "../cdn", "--public-path", "https://cdn.example/i"]
        let result = try await site.start(options).result()
        #expect(result.exitCode == 0, "\(result.errors)")
        let image = try #require(try site.images(in: "cdn").first)
        #expect(try site.text("a.md") == "![](https://cdn.example/i/\(image))")
        let again = try await site.start(options + ["--json"]).result()
        #expect(try again.json["references"] as? Int == 0)
        let check = try await site.run("check", "site", "--public-path", "https://cdn.example/i")
        #expect(check.exitCode == 0, "\(check.output)")
        try site.restore(["a.md": "![](\(origin.url)/a.png)"])
        let absolute = try await site.run(
            "site", "--allow-private-network", "-o", "out", "--image-dir", site.folder.path("abs"),
            "--public-path", "/i")
        #expect(absolute.exitCode == 0, "\(absolute.errors)")
        #expect(try site.images(in: "abs").count == 1)
        #expect(try site.folder.text("out/a.md") == "![](/i/\(image))")
    }

    @Test func doesNotFollowLinkOutOfProject() async throws {
        let origin = try await origin()
        let site = try hugo(origin)
        try site.folder.write("", to: "elsewhere/x")
        _ = try await Command.run(
            "/bin/ln", ["-s", site.folder.path("elsewhere"), site.folder.path("site/static")])
        for part in ["site", "site/content"] {
            let result = try await site.start(command: part).result()
            #expect(result.exitCode == 1)
        }
        #expect(try site.folder.files(below: "elsewhere") == ["x"])
    }

    @Test func bakesPartForItsProjectOnlyInPlace() async throws {
        let origin = try await origin()
        let site = try hugo(origin)
        let copy = try await site.start(command: "site/content", ["-o", "out"]).result()
        #expect(copy.exitCode == 2)
        #expect(!site.folder.exists("out"))
        let result = try await site.start(command: "site/content").result()
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(result.errors.contains("Hugo site (../hugo.toml): images go to ../static/imgbake/"))
        #expect(try site.images(in: "site/static/imgbake").count == 1)
        #expect(try site.text("content/a.md").hasPrefix("![](/blog/imgbake/a-"))
    }

    @Test func reportsUnknownShortcodes() async throws {
        let site = try TestSite([
            "hugo.toml": "",
            "content/a.md":
                "{{< slide pic=\"https://h.example/a.png\" >}}\n{{< slide pic=\"https://h.example/b.png\" >}}",
        ])
        let told = try await site.bake().diagnostics
        #expect(
            told.map(\.summary)
                == ["error site/content/a.md:1:16 unknown-shortcode https://h.example/a.png"])
        #expect(told.first?.help.contains("slide pic") == true)
        let check = try await site.run("check", "site")
        #expect(check.exitCode == 1)
    }
}
