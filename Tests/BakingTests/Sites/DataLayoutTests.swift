import Documents
import Testing

@testable import Baking
@testable import Reports
@testable import Sites

/// The layouts of generators whose configuration is plain data.
@Suite struct DataLayoutTests {
    private func layout(_ files: [String: String]) throws -> SiteLayout {
        try #require(try Project(files).reading().layout)
    }

    private func folders(_ layout: SiteLayout, _ role: SiteLayout.Area.Role) -> [String] {
        layout.areas.filter { $0.role == role }.map(\.folder)
    }

    @Test(
        arguments: [
            ("", ["content"]), ("contentDir = 'text'", ["text"]),
            ("contentDir = './a//b/'", ["a/b"]), ("contentDir = '../shared'", ["content"]),
            ("contentDir = '/srv'", ["content"]),
            (
                "[languages.en]\ncontentDir = 'content/en'\n[languages.fr]\ncontentDir = 'fr'",
                ["content", "content/en", "fr"]
            ),
            ("[languages.en]\ntitle = 'x'", ["content"]),
            (
                "[[module.mounts]]\nsource = 'pages'\ntarget = 'content'\n"
                    + "[[module.mounts]]\nsource = 'docs'\ntarget = 'content/docs'",
                ["content", "pages", "docs"]
            ),
            (
                "[[module.mounts]]\nsource = '../other'\ntarget = 'content'", ["content"]
            ),
            ("[[module.mounts]]\nsource = 'x'\ntarget = 'contents'", ["content"]),
        ] as [(String, [String])])
    func readsContentFoldersOfHugo(text: String, expected: [String]) throws {
        let layout = try layout(["hugo.toml": text])
        #expect(Set(folders(layout, .pages)) == Set(expected))
        #expect(layout.address.basePath == "/")
    }

    @Test(
        arguments: [
            ("", "static/imgbake", "imgbake"), ("staticDir = 'files'", "files/imgbake", "imgbake"),
            ("staticDir = ['a', 'b']", "a/imgbake", "imgbake"),
            ("staticDir = ['../a', 'b']", "b/imgbake", "imgbake"),
            ("staticDir = '../a'", "static/imgbake", "imgbake"),
            (
                "[[module.mounts]]\nsource = 'm'\ntarget = 'static'", "m/imgbake", "imgbake"
            ),
            (
                "[[module.mounts]]\nsource = 'm'\ntarget = 'static/x/y'", "m/imgbake",
                "x/y/imgbake"
            ),
        ])
    func hugoImagesGoToFirstStaticFolder(
        text: String, directory: String, published: String
    ) throws {
        let layout = try layout(["hugo.toml": text])
        #expect(layout.imageDirectory == directory)
        #expect(layout.publishedDirectory == published)
    }

    @Test func readsOtherFoldersOfHugo() throws {
        let layout = try layout([
            "hugo.toml": "publishDir = 'out'\nlayoutDir = 'tpl'\nassetDir = 'sass'\nuglyURLs = true"
        ])
        #expect(layout.builtFolders == ["out", "resources/_gen"])
        #expect(folders(layout, .templates) == ["tpl", "sass"])
        #expect(layout.pages == .files)
        #expect(layout.isBuilt("out/a/b.html"))
        #expect(!layout.isBuilt("output/a.html"))
    }

    @Test(
        arguments: [
            ("url: https://h\nbaseurl: /b", "/b/", "https://h/b/"),
            ("url: https://h/\nbaseurl: b", "/b/", "https://h/b/"),
            ("url: https://h", "/", "https://h/"), ("baseurl: ''", "/", nil),
            ("baseurl: /a/b/", "/a/b/", nil), ("url: example.org\nbaseurl: /b", "/b/", nil),
            ("title: x", "/", nil),
        ] as [(String, String?, String?)])
    func readsAddressOfJekyll(text: String, base: String?, url: String?) throws {
        let layout = try layout(["_config.yml": text])
        #expect(layout.address.basePath == base)
        #expect(layout.address.siteURL == url)
    }

    @Test func jekyllFoldersAreRelativeToSource() throws {
        let layout = try layout([
            "_config.yml": """
            source: ./site
            destination: out
            layouts_dir: _l
            includes_dir: _i
            exclude: [vendor, ../x, drafts/]
            """
        ])
        #expect(layout.imageDirectory == "site/assets/imgbake")
        #expect(layout.publishedDirectory == "assets/imgbake")
        #expect(folders(layout, .templates) == ["site/_l", "site/_i"])
        #expect(layout.builtFolders.contains("out"))
        #expect(layout.allParts == ["site/_posts", "site/_drafts", "site", "site/_l", "site/_i"])
        #expect(!layout.reads("site/vendor/a.md", .markdown))
        #expect(!layout.reads("site/drafts/a.md", .markdown))
        #expect(layout.reads("site/vendors/a.md", .markdown))
        #expect(layout.reads("site/a.md", .markdown))
        #expect(!layout.reads("a.md", .markdown))
    }

    @Test func ignoresRepositoryFilesInJekyll() throws {
        let layout = try layout(["_config.yml": ""])
        #expect(!layout.reads("README.md", .markdown))
        #expect(layout.reads("docs/README.md", .markdown))
        #expect(layout.reads("index.md", .markdown))
    }

    @Test(
        arguments: [
            ("", "docs/assets/imgbake", .folders, "site"),
            ("docs_dir: text", "text/assets/imgbake", .folders, "site"),
            ("docs_dir: ./text/", "text/assets/imgbake", .folders, "site"),
            ("use_directory_urls: false", "docs/assets/imgbake", .files, "site"),
            ("use_directory_urls: False", "docs/assets/imgbake", .files, "site"),
            ("use_directory_urls: true", "docs/assets/imgbake", .folders, "site"),
            ("site_dir: build/html", "docs/assets/imgbake", .folders, "build/html"),
            ("site_dir: ../out", "docs/assets/imgbake", .folders, "site"),
        ] as [(String, String, SiteLayout.PageNaming, String)])
    func readsFoldersAndPagesOfMkDocs(
        text: String, directory: String, pages: SiteLayout.PageNaming, built: String
    ) throws {
        let layout = try layout(["mkdocs.yml": "site_name: x\n" + text])
        #expect(layout.imageDirectory == directory)
        #expect(layout.pages == pages)
        #expect(layout.builtFolders == [built])
        #expect(layout.warnings.isEmpty)
    }

    @Test func warnsIfMkDocsDocumentsAreOutsideProject() throws {
        let project = try Project(["mkdocs.yml": "docs_dir: ../docs"])
        let warnings = try project.reading().layoutWarnings
        #expect(warnings.map(\.code) == [.layout])
        #expect(warnings.map(\.severity) == [.warning])
        #expect(warnings.first?.places == [Diagnostic.Place("mkdocs.yml")])
    }

    @Test func nearestInheritedMkDocsValueWins() throws {
        let layout = try layout([
            "mkdocs.yml": "INHERIT: a.yml\nsite_url: https://h/own/",
            "a.yml": "INHERIT: b.yml\nsite_url: https://h/a/\ndocs_dir: from-a",
            "b.yml": "docs_dir: from-b\nuse_directory_urls: false\ntheme: {custom_dir: over}",
        ])
        #expect(layout.address.siteURL == "https://h/own/")
        #expect(layout.imageDirectory == "from-a/assets/imgbake")
        #expect(layout.pages == .files)
        #expect(folders(layout, .templates) == ["over"])
    }

    @Test(arguments: ["mkdocs.yml", "../outside.yml", "/etc/passwd", "missing.yml", "folder"])
    func stopsAtInvalidMkDocsInheritance(parent: String) throws {
        let layout = try layout([
            "mkdocs.yml": "INHERIT: \(parent)\nsite_name: x", "folder/x": "",
        ])
        #expect(layout.imageDirectory == "docs/assets/imgbake")
    }

    @Test(
        arguments: [
            ("[book]\ntitle = 'x'", "src/imgbake", "book", nil),
            ("[book]\nsrc = 'text'", "text/imgbake", "book", nil),
            ("[book]\nsrc = '.'", "imgbake", "book", nil),
            ("[book]\n[build]\nbuild-dir = 'out'", "src/imgbake", "out", nil),
            ("[book]\n[output.html]\nsite-url = '/b/'", "src/imgbake", "book", "/b/"),
        ] as [(String, String, String, String?)])
    func readsFoldersOfMdBook(
        text: String, directory: String, built: String, base: String?
    ) throws {
        let layout = try layout(["book.toml": text, "src/SUMMARY.md": ""])
        #expect(layout.imageDirectory == directory)
        #expect(layout.builtFolders == [built])
        #expect(layout.address.basePath == base)
    }

    @Test func addressInOptionsOverridesConfiguration() throws {
        let files = [
            "hugo.toml": "baseURL = 'https://h/a/'", "mkdocs.yml": "site_url: https://h/a/",
            "_config.yml": "url: https://h\nbaseurl: /a",
        ]
        for (file, text) in files {
            let reading = try Project([file: text]).reading {
                $0.address = SiteAddress("https://other.example/b")
            }
            #expect(reading.layout?.address.basePath == "/b/", "\(file)")
            #expect(reading.address?.url == "https://other.example/b/", "\(file)")
        }
    }
}
