import Documents
import Testing

@testable import Baking
@testable import Reports
@testable import Sites

/// The layouts of generators whose configuration is a program.
@Suite struct ScriptLayoutTests {
    private func layout(_ file: String, _ text: String) throws -> SiteLayout {
        try #require(try Project([file: text]).reading().layout)
    }

    private func folders(_ layout: SiteLayout, _ role: SiteLayout.Area.Role) -> [String] {
        layout.areas.filter { $0.role == role }.map(\.folder)
    }

    @Test(
        arguments: [
            ("", "", "_site", ["_includes", "_layouts"]),
            (
                "return { dir: { input: 'src', output: 'out', includes: 'inc' } }", "src", "out",
                ["src/inc", "src/_layouts"]
            ),
            (
                "c.setInputDirectory('./text'); c.setOutputDirectory('dist');", "text", "dist",
                ["text/_includes", "text/_layouts"]
            ),
            (
                "return { dir: { input: process.env.IN, output: '../out' } }", "", "_site",
                ["_includes", "_layouts"]
            ),
        ] as [(String, String, String, [String])])
    func readsFoldersOfEleventy(
        text: String, input: String, output: String, templates: [String]
    ) throws {
        let layout = try layout("eleventy.config.js", text)
        #expect(folders(layout, .pages) == [input])
        #expect(layout.builtFolders == [output])
        #expect(folders(layout, .templates) == templates)
    }

    @Test(
        arguments: [
            ("c.addPassthroughCopy('assets')", "assets/imgbake", "assets/imgbake"),
            ("c.addPassthroughCopy({ 'files': 'f' })", "files/imgbake", "f/imgbake"),
            ("c.addPassthroughCopy({ './files': '/' })", "files/imgbake", "imgbake"),
            (
                "c.addPassthroughCopy('favicon.ico'); c.addPassthroughCopy('b')", "b/imgbake",
                "b/imgbake"
            ),
            (
                "c.addPassthroughCopy(x); c.addPassthroughCopy('../c'); c.addPassthroughCopy('d')",
                "d/imgbake", "d/imgbake"
            ),
            ("c.addPassthroughCopy('imgbake')", "imgbake", "imgbake"),
            ("c.addPassthroughCopy({ 'in/imgbake': 'media' })", "in/imgbake", "media"),
        ])
    func eleventyImagesGoToPublishedFolder(
        text: String, directory: String, published: String
    ) throws {
        let layout = try layout(".eleventy.js", text)
        #expect(layout.imageDirectory == directory)
        #expect(layout.publishedDirectory == published)
        #expect(layout.warnings.isEmpty)
    }

    @Test func warnsIfEleventyPublishesNoFolder() throws {
        let layout = try layout("eleventy.config.mjs", "return { dir: { input: 'src' } }")
        #expect(layout.warnings.map(\.code) == [.layout])
        let remedy = try #require(layout.warnings.first).remedy
        #expect(remedy.contains(#"addPassthroughCopy("src/imgbake")"#))
        #expect(remedy.contains("eleventy.config.mjs"))
    }

    @Test(
        arguments: [
            ("site: 'https://h', base: '/d'", "/d/", "https://h/d/"),
            ("site: 'https://h/x/', base: 'd/'", "/d/", "https://h/d/"),
            ("site: 'https://h'", "/", "https://h/"), ("base: '/d'", "/d/", nil), ("", "/", nil),
        ] as [(String, String?, String?)])
    func readsAddressOfAstro(text: String, base: String?, url: String?) throws {
        let layout = try layout("astro.config.mjs", "export default defineConfig({ \(text) })")
        #expect(layout.address.basePath == base)
        #expect(layout.address.siteURL == url)
    }

    @Test func readsFoldersOfAstro() throws {
        let layout = try layout(
            "astro.config.ts",
            "export default { srcDir: './source', publicDir: 'pub', outDir: 'build/out' }")
        #expect(folders(layout, .pages) == ["source"])
        #expect(folders(layout, .files(at: "")) == ["pub"])
        #expect(layout.imageDirectory == "pub/imgbake")
        #expect(layout.isBuilt("build/out/a.html"))
        #expect(layout.published("pub/x/y.png") == "x/y.png")
        #expect(layout.published("source/y.png") == nil)
    }

    @Test(
        arguments: [
            ("url: 'https://h', baseUrl: '/d/'", "/d/", "https://h/d/"),
            ("url: 'https://h', baseUrl: '/'", "/", "https://h/"), ("baseUrl: '/d/'", "/d/", nil),
            ("url: 'https://h'", "/", "https://h/"),
        ] as [(String, String?, String?)])
    func readsAddressOfDocusaurus(text: String, base: String?, url: String?) throws {
        let layout = try layout("docusaurus.config.js", "module.exports = { \(text) }")
        #expect(layout.address.basePath == base)
        #expect(layout.address.siteURL == url)
    }

    @Test func readsOnlyDocumentsOfDocusaurus() throws {
        let layout = try layout("docusaurus.config.ts", "export default { baseUrl: '/' }")
        for path in ["docs/a.md", "blog/a.mdx", "i18n/fr/a.md", "src/pages/a.md", "static/a.html"] {
            #expect(layout.reads(path, .markdown), "\(path)")
        }
        #expect(!layout.reads("README.md", .markdown))
        #expect(layout.isBuilt("build/a.html") && layout.isBuilt(".docusaurus/a.html"))
    }

    @Test(
        arguments: [
            (".vitepress/config.js", "", "", "public/imgbake"),
            (".vitepress/config.js", "srcDir: './text'", "text", "text/public/imgbake"),
            ("docs/.vitepress/config.mts", "", "docs", "docs/public/imgbake"),
            (
                "docs/.vitepress/config/index.ts", "srcDir: 'src'", "docs/src",
                "docs/src/public/imgbake"
            ),
        ])
    func vitePressStartsAtConfigurationFolder(
        file: String, text: String, pages: String, directory: String
    ) throws {
        let layout = try layout(file, "export default { \(text) }")
        #expect(folders(layout, .pages) == [pages])
        #expect(layout.imageDirectory == directory)
        #expect(layout.configuration == file)
        #expect(layout.isBuilt((file.hasPrefix("docs") ? "docs/" : "") + ".vitepress/dist/a.html"))
    }

    @Test(
        arguments: [
            ("conf.py", "", "imgbake", nil),
            ("conf.py", "html_static_path = ['_static']", "_static/imgbake", "_static/imgbake"),
            ("conf.py", "html_static_path = ['../up', 'b']", "b/imgbake", "_static/imgbake"),
            ("conf.py", "html_static_path = get()", "imgbake", nil),
            (
                "source/conf.py", "html_static_path = ['s']", "source/s/imgbake", "_static/imgbake"
            ),
        ] as [(String, String, String, String?)])
    func sphinxImagesGoToFirstStaticFolder(
        file: String, text: String, directory: String, published: String?
    ) throws {
        let layout = try layout(file, "project = 'x'\n" + text)
        #expect(layout.imageDirectory == directory)
        #expect(layout.publishedDirectory == published)
    }

    @Test func readsOtherFoldersOfSphinx() throws {
        let layout = try layout(
            "source/conf.py",
            """
            project = 'x'
            html_extra_path = ['extra']
            templates_path = ["_templates"]
            html_baseurl = "https://h/docs/"
            """)
        #expect(folders(layout, .files(at: "")) == ["source/extra"])
        #expect(folders(layout, .templates) == ["source/_templates"])
        #expect(layout.address.basePath == "/docs/")
        #expect(layout.isBuilt("build/a.html"))
        #expect(layout.reads("source/a.md", .markdown))
        #expect(!layout.reads("source/a.html", .html))
        #expect(!layout.reads("a.md", .markdown))
        #expect(layout.reads("source/extra/a.html", .html))
    }

    @Test(
        arguments: [
            ("", "content/images/imgbake", "images/imgbake", "/"),
            ("SITEURL = 'https://h/b'", "content/images/imgbake", "images/imgbake", "/b/"),
            ("STATIC_PATHS = ['a.txt', 'x/y']", "content/x/y/imgbake", "x/y/imgbake", "/"),
            ("STATIC_PATHS = ['']", "content/imgbake", "imgbake", "/"),
        ])
    func readsFoldersAndAddressOfPelican(
        text: String, directory: String, published: String, base: String
    ) throws {
        let layout = try layout("pelicanconf.py", "PATH = 'content'\n" + text)
        #expect(layout.imageDirectory == directory)
        #expect(layout.publishedDirectory == published)
        #expect(layout.address.basePath == base)
        #expect(layout.reads("content/a.md", .markdown))
        #expect(!layout.reads("a.md", .markdown))
        #expect(layout.isBuilt("output/a.html"))
        #expect(layout.warnings.isEmpty)
    }

    @Test func addressOfPelicansPublishedSiteCounts() throws {
        let project = try Project([
            "pelicanconf.py": "SITEURL = ''", "publishconf.py": "SITEURL = 'https://h/b'",
        ])
        #expect(try project.reading().layout?.address.siteURL == "https://h/b/")
    }

    @Test func namesPelicansMissingStaticFolder() throws {
        let layout = try layout("pelicanconf.py", "STATIC_PATHS = []")
        #expect(layout.warnings.count == 1)
        #expect(layout.publishedDirectory == nil)
    }

    @Test(
        arguments: [
            ("astro.config.mjs", "export default { base: env.B, site: env.S }", 2),
            ("docusaurus.config.js", "module.exports = { url: x(), baseUrl: '/' }", 1),
            (".vitepress/config.js", "export default { base: b() }", 1),
            ("conf.py", "project = 'x'\nhtml_baseurl = os.environ.get('B')", 1),
            ("astro.config.mjs", "export default { base: '/a/', site: 'https://h' }", 0),
        ])
    func warnsAboutComputedAddresses(
        file: String, text: String, count: Int
    ) throws {
        let project = try Project([file: text])
        #expect(try project.reading().layoutWarnings.count == count)
        let known = try project.reading { $0.address = SiteAddress("https://h/b/") }
        #expect(known.layoutWarnings.isEmpty)
        #expect(known.layout?.address.basePath == "/b/")
    }
}
