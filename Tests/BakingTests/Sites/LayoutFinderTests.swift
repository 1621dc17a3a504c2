import Documents
import TestSupport
import Testing

@testable import Baking
@testable import Reports
@testable import Sites

@Suite struct LayoutFinderTests {
    @Test func everyGeneratorHasRow() {
        #expect(Generator.table.compactMap(\.name) == Generator.Name.allCases)
        #expect(LayoutOptions.Choice.words.count == Generator.Name.allCases.count + 2)
    }

    @Test(
        arguments: [
            ("hugo.toml", "", .hugo), ("hugo.yaml", "", .hugo), ("hugo.json", "{}", .hugo),
            ("config.toml", "baseURL = 'https://h/'", .hugo),
            ("config/_default/hugo.toml", "", .hugo),
            ("config/_default/config.yaml", "baseurl: /", .hugo),
            ("_config.yml", "title: x", .jekyll), ("mkdocs.yml", "site_name: x", .mkdocs),
            ("eleventy.config.mjs", "", .eleventy), (".eleventy.js", "", .eleventy),
            ("astro.config.ts", "", .astro), ("docusaurus.config.js", "", .docusaurus),
            (".vitepress/config.mts", "", .vitepress),
            ("docs/.vitepress/config.js", "", .vitepress),
            ("book.toml", "[book]\ntitle='x'", .mdbook),
            ("conf.py", "extensions = []", .sphinx), ("source/conf.py", "project = 'x'", .sphinx),
            ("zensical.toml", "[project]", .zensical), ("pelicanconf.py", "", .pelican),
        ] as [(String, String, Generator.Name)])
    func recognizesGeneratorByConfiguration(
        file: String, text: String, name: Generator.Name
    ) throws {
        let layout = try #require(try Project([file: text]).reading().layout)
        #expect(layout.generator == name)
        #expect(layout.configuration == file)
    }

    @Test(
        arguments: [
            ["index.html": ""], ["public/hugo.toml": ""], ["config.toml": "title = 'x'"],
            ["conf.py": "import os\nDEBUG = True"], ["book.toml": "[other]\nx = 'y'"],
            ["svelte.config.js": "export default {}"], ["package.json": "{}"],
            ["index.html": "", "build/index.html": ""], ["a.md": "", "build/a.html": ""],
        ])
    func otherFoldersHaveNoLayout(files: [String: String]) throws {
        let reading = try Project(files).reading()
        #expect(reading.layout == nil)
        #expect(reading.imageDirectory == "imgbake")
    }

    @Test func refusesAmbiguousGenerators() throws {
        let project = try Project(["hugo.toml": "", "mkdocs.yml": "site_name: x"])
        #expect(throws: BakeError.self) { try project.reading() }
        let chosen = try project.reading { $0.layoutOptions.choice = .named(.mkdocs) }
        #expect(chosen.layout?.generator == .mkdocs)
        #expect(try project.reading { $0.layoutOptions.choice = .none }.layout == nil)
    }

    @Test(arguments: [
        "requirements.txt", "pyproject.toml", ".github/workflows/docs.yml", "docs/requirements.txt",
    ])
    func mkDocsConfigurationMayBeThatOfZensical(file: String) throws {
        let text = "site_name: x\ndocs_dir: text"
        let project = try Project(["mkdocs.yml": text, file: "zensical"])
        let layout = try #require(try project.reading().layout)
        #expect(layout.generator == .zensical)
        #expect(layout.imageDirectory == "text/assets/imgbake")
        let other = try Project(["mkdocs.yml": text, file: "mkdocs"])
        #expect(try other.reading().layout?.generator == .mkdocs)
        let chosen = try other.reading { $0.layoutOptions.choice = .named(.zensical) }.layout
        #expect(chosen?.generator == .zensical && chosen?.configuration == "mkdocs.yml")
    }

    @Test func zensicalReadsItsOwnConfigurationFirst() throws {
        let project = try Project(["zensical.toml": "[project]", "mkdocs.yml": "site_name: x"])
        let layout = try #require(try project.reading().layout)
        #expect(layout.generator == .zensical && layout.configuration == "zensical.toml")
    }

    @Test func refusesBuiltPagesBesideTheirProject() throws {
        let page = "<meta name='generator' content='VitePress'>"
        let files = ["docs/.vitepress/config.ts": "", "docs/a.md": "", "index.html": page]
        let project = try Project(files)
        #expect(throws: BakeError.self) { try project.reading() }
        #expect(try project.reading { $0.layoutOptions.choice = .none }.layout == nil)
        let chosen = try project.reading { $0.layoutOptions.choice = .named(.vitepress) }
        #expect(chosen.layout?.generator == .vitepress)
        let other = try Project(files.merging(["index.html": "<div id=app>"]) { $1 })
        #expect(try other.reading().layout?.generator == .vitepress)
        let source = try Project(["_config.yml": "", "index.html": page])
        #expect(try source.reading().layout?.generator == .jekyll)
    }

    private func scan(_ files: [String: String], hidden: HiddenFiles = .all) throws {
        let project = try Project(files)
        var site = try Site(
            at: project.folder.path, displayName: "site", reading: ReadingOptions())
        _ = try site.scan(without: [], hidden: hidden)
    }

    @Test(
        arguments: [
            ("website/docusaurus.config.js", "website/docs/a.md"),
            ("docs/config.toml", "docs/content/a.md"), ("a/b/mkdocs.yml", "a/b/docs/a.md"),
            ("x/source/conf.py", "x/source/a.md"),
            ("website/.vitepress/config.ts", "website/a.md"),
        ], [HiddenFiles.all, .published])
    func refusesDocumentsOfAProjectInASubfolder(
        names: (configuration: String, document: String), hidden: HiddenFiles
    ) throws {
        let files = [
            names.configuration: "base_url = 'https://h/'\nproject = 'x'", names.document: "x",
            "README.md": "x",
        ]
        #expect(throws: BakeError.self) { try scan(files, hidden: hidden) }
        try scan(files.merging(["index.html": ""]) { $1 }, hidden: hidden)
    }

    @Test(
        arguments: [
            ["index.html": "", "a/mkdocs.yml": "", "a/docs/a.md": ""],
            ["README.md": "", "a/mkdocs.yml": "", "a/b.md": ""],
            ["README.md": "", "a/conf.py": "x = 1", "a/b.md": ""],
            ["README.md": "", "a/hugo.toml": "", "a/public/b.html": ""],
        ])
    func subfolderWithoutDocumentsOfAProjectIsRead(files: [String: String]) throws {
        try scan(files)
    }

    @Test func refusesUnknownGeneratorBesideKnownOne() throws {
        let project = try Project(["hugo.toml": "", "next.config.mjs": ""])
        #expect(throws: BakeError.self) { try project.reading() }
        let chosen = try project.reading { $0.layoutOptions.choice = .named(.hugo) }
        #expect(chosen.layout?.generator == .hugo)
    }

    @Test func unreadableConfigurationIsAFault() throws {
        #expect(throws: BakeError.self) { try Project(["hugo.toml": "a = ["]).reading() }
        #expect(throws: BakeError.self) { try Project(["mkdocs.yml": "a: [b"]).reading() }
    }

    @Test func explicitLayoutNeedsNoConfiguration() throws {
        let layout = try Project(["x.md": ""]).reading { $0.layoutOptions.choice = .named(.hugo) }
        #expect(layout.imageDirectory == "static/imgbake")
        #expect(layout.layout?.configuration == nil)
    }

    @Test func findsProjectOfPart() throws {
        let project = try Project([
            "hugo.toml": "baseURL = 'https://h/blog/'", "content/post/a.md": "",
            "public/a.html": "",
        ])
        #expect(try project.reading("content").imageDirectory == "../static/imgbake")
        #expect(try project.reading("content/post").imageDirectory == "../../static/imgbake")
        #expect(
            try project.url(in: "a.md", of: "content/post") == "https://h/blog/imgbake/x.webp")
        #expect(try project.reading("public").layout == nil)
        #expect(throws: BakeError.self) { try project.reading("content", isCopy: true) }
    }

    @Test func partWithItsImagesCanBeCopied() throws {
        let project = try Project(["mkdocs.yml": "site_name: x", "docs/a.md": ""])
        #expect(
            try project.reading("docs", isCopy: true).imageDirectory == "assets/imgbake")
    }

    @Test func searchStopsAtRepositoryRoot() throws {
        let project = try Project([
            "hugo.toml": "", "content/x/.git/HEAD": "", "content/x/a.md": "",
        ])
        #expect(try project.reading("content/x").layout == nil)
    }
}
