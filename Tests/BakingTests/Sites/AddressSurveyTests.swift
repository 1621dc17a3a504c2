import Documents
import FetchCache
import TestSupport
import Testing

@testable import Baking
@testable import Reports
@testable import Sites

/// The URL of a built site is taken from what the site says about itself.
@Suite struct AddressSurveyTests {
    private func survey(
        _ files: [String: String], in part: String = "",
        _ change: (inout ReadingOptions) -> Void = { _ in }
    ) throws -> (address: String?, notes: [Diagnostic]) {
        let project = try Project(files)
        let root = part.isEmpty ? project.folder.path : project.folder.path(part)
        var site = Site(
            root: root, displayRoot: "site", isInPlace: true,
            reading: try project.reading(part, change))
        let notes = site.complete(with: SiteScan(root: root, reading: site.reading).run())
        return (site.reading.address?.url, notes)
    }

    private func canonical(_ url: String) -> String {
        "<!doctype html><head><link rel=canonical href=\"\(url)\"></head>"
    }

    @Test(arguments: [
        ("index.html", "https://example.org/blog/"), ("index.html", "https://example.org/blog"),
        ("index.html", "https://example.org/blog/index.html"),
        ("a/index.html", "https://example.org/blog/a/"),
        ("a/index.html", "https://example.org/blog/a"),
        ("a/b.html", "https://example.org/blog/a/b.html"),
        ("a/b.html", "HTTPS://EXAMPLE.org:443/blog/a/b"),
        ("a b/index.html", "https://example.org/blog/a%20b/"),
    ])
    func canonicalLinkGivesAddress(page: String, url: String) throws {
        let isBare = page == "index.html" && !url.hasSuffix("/") && !url.hasSuffix(".html")
        let found = try survey([page: canonical(url)])
        // The URL of the home page ends with a slash; another one may be any page.
        #expect(found.address == (isBare ? nil : "https://example.org/blog/"))
        #expect(found.notes.map(\.code) == (isBare ? [] : [.siteURL]))
    }

    @Test(arguments: [("http", "https"), ("https", "http")])
    func addressWithBothSchemesIsThatWithHTTPS(first: String, second: String) throws {
        let found = try survey([
            "a/index.html": canonical("\(first)://example.org/blog/a/"),
            "b/index.html": canonical("\(second)://example.org/blog/b/"),
        ])
        #expect(found.address == "https://example.org/blog/")
        #expect(found.notes.count == 1)
    }

    @Test(arguments: [
        "https://other.example/article/", "/a/", "http://localhost:1313/a/", "mailto:x",
        "http://127.0.0.1:8000/a/", "http://[::1]:4000/a/", "https://example.org/a/?page=2",
    ])
    func urlOfSomethingElseGivesNone(url: String) throws {
        let found = try survey(["a/index.html": canonical(url)])
        #expect(found.address == nil && found.notes.isEmpty)
    }

    @Test func redirectGivesNone() throws {
        let redirect =
            "<head><link rel=canonical href=https://example.org/new/old/>"
            + "<meta http-equiv=refresh content='0; url=https://example.org/new/old/'></head>"
        #expect(try survey(["old/index.html": redirect]).address == nil)
    }

    @Test func everythingThatIsFoundIsNamed() throws {
        let found = try survey(
            [
                "hugo.toml": "baseURL = 'https://example.org/blog/'",
                "public/index.html":
                    "<link rel=canonical href=https://example.org/blog/>"
                    + "<meta property='og:url' content='https://example.org/blog/'>",
                "public/index.xml": """
                <rss version="2.0"><channel><link>https://example.org/blog/</link>
                <atom:link href="https://example.org/blog/index.xml" rel="self"/></channel></rss>
                """,
                "public/sitemap.xml": """
                <urlset><url><loc>https://example.org/blog/a/</loc></url>
                <url><loc> https://example.org/blog/ </loc></url></urlset>
                """,
            ], in: "public")
        #expect(found.address == "https://example.org/blog/")
        let reason = try #require(found.notes.first?.reason)
        for place in ["../hugo.toml", "canonical links", "og:url", "2 more", "--site-url none"] {
            #expect(reason.contains(place))
        }
        #expect(found.notes.first?.severity == .note)
        #expect(found.notes.first?.details() == [])
    }

    @Test(arguments: [
        ("_config.yml", "url: https://example.org\nbaseurl: /blog\n", "_site"),
        ("mkdocs.yml", "site_url: https://example.org/blog/\n", "site"),
        (
            "conf.py", "project = 'x'\nhtml_baseurl = 'https://example.org/blog/'\n",
            "_build/html"
        ),
        ("hugo.toml", "baseURL = 'https://example.org/blog/'\npublishDir = 'out'\n", "out"),
        (
            "docusaurus.config.js",
            "module.exports = {url: 'https://example.org', baseUrl: '/blog/'}", "build"
        ),
    ])
    func configurationBesideTheSiteGivesAddress(
        file: String, text: String, output: String
    ) throws {
        let page = output + "/index.html"
        #expect(
            try survey([file: text, page: "<p>"], in: output).address
                == "https://example.org/blog/")
        let elsewhere = try survey([file: text, "other/index.html": "<p>"], in: "other")
        #expect(elsewhere.address == nil)
    }

    @Test(arguments: [
        ["index.html": "https://example.org/", "a/index.html": "https://example.com/a/"],
        ["a.html": "https://example.org/a.html", "b.html": "https://example.org/x/b.html"],
    ])
    func disagreementGivesNoneAndIsTold(pages: [String: String]) throws {
        let found = try survey(pages.mapValues(canonical))
        #expect(found.address == nil)
        #expect(found.notes.map(\.code) == [.siteURL])
        #expect(found.notes.first?.reason.contains("--site-url") == true)
    }

    @Test func optionsDecide() throws {
        let files = ["a.html": canonical("https://example.org/a.html")]
        let given = try survey(files) { $0.address = SiteAddress("https://other.example/") }
        #expect(given.address == "https://other.example/" && given.notes.isEmpty)
        let none = try survey(files) { $0.infersAddress = false }
        #expect(none.address == nil && none.notes.isEmpty)
        let project = ["hugo.toml": "baseURL = 'https://example.org/'", "content/a.md": ""]
        #expect(try survey(project).address == "https://example.org/")
        #expect(try survey(project) { $0.infersAddress = false }.address == nil)
    }

    @Test func feedAndSitemapAloneGiveAddress() throws {
        let feed = """
            <feed xmlns="http://www.w3.org/2005/Atom"><link href="https://example.org/x/" />
            <link rel='self' href='https://example.org/x/atom.xml'/>
            <entry><link rel="self" href="https://example.com/atom.xml"/></entry></feed>
            """
        #expect(try survey(["atom.xml": feed]).address == "https://example.org/x/")
        let map = "<urlset><url><loc>https://example.org/x/a/</loc></url></urlset>"
        #expect(try survey(["sitemap.xml": map]).address == nil)
        let whole = map.replacing(
            "<urlset>", with: "<urlset><url><loc>https://example.org/x/</loc></url>")
        #expect(try survey(["sitemap.xml": whole]).address == "https://example.org/x/")
        let cut = whole.replacing("</loc></url></urlset>", with: "")
        #expect(try survey(["sitemap.xml": cut]).address == nil)
    }

    @Test func manyPagesAreSampled() throws {
        var files = Dictionary(
            uniqueKeysWithValues: (0..<600).map {
                ("p\($0).html", canonical("https://example.org/p\($0).html"))
            })
        #expect(try survey(files).address == "https://example.org/")
        // Half of the pages belong to another site, so a sample sees both.
        for index in 0..<300 {
            files["p\(index).html"] = canonical("https://example.com/p\(index).html")
        }
        #expect(try survey(files).address == nil)
    }
}
