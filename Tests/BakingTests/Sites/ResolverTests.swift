import Documents
import Testing

@testable import Baking
@testable import Pages
@testable import Reports
@testable import Sites

@Suite struct PageBaseTests {
    @Test(
        arguments: [
            (nil, "docs/a.html"), ("", "docs/a.html"), ("/", "page"), ("./", "docs/page"),
            ("..", "page"), ("../x/", "x/page"), ("img/", "docs/img/page"),
            ("other.html", "docs/page"), ("/deep/er/page.html?x#y", "deep/er/page"),
            ("../../../..", "page"), ("\\x\\", "x/page"), ("a%20b/", "docs/a b/page"),
            ("http://[", "docs/a.html"), (" \n/x/", "x/page"),
        ] as [(String?, String)])
    func resolvesRelativeURLsFromBase(href: String?, expected: String) {
        #expect(PageBase(document: "docs/a.html", href: href) == .document(expected))
    }

    @Test(
        arguments: [
            ("https://other.example/x?y#z", "https://other.example/x?y"),
            ("//other.example/", "https://other.example/"), ("data:,", nil), ("ftp://h/", nil),
        ] as [(String, String?)])
    func baseOnAnotherHostHasNoLocalFiles(href: String, url: String?) {
        #expect(PageBase(document: "docs/a.html", href: href) == .elsewhere(url))
    }

    @Test(
        arguments: [
            ("https://example.org/blog/", .document("page")),
            ("http://example.org/blog/deep/x", .document("deep/page")),
            ("/blog/x/", .document("x/page")), ("x/", .document("docs/x/page")),
            ("/", .elsewhere("https://example.org/")),
            ("https://example.org/", .elsewhere("https://example.org/")),
        ] as [(String, PageBase)])
    func baseBelowSiteAddressIsLocal(href: String, expected: PageBase) throws {
        let address = try #require(SiteAddress("https://example.org/blog"))
        #expect(PageBase(document: "docs/a.html", href: href, address: address) == expected)
    }
}

@Suite struct SiteAddressTests {
    @Test(arguments: [
        ("https://example.org", "https://example.org/", "/"),
        ("HTTP://Example.ORG:80/Blog", "http://example.org/Blog/", "/Blog/"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/", "/"),
        ("http://h:8080/a/b/", "http://h:8080/a/b/", "/a/b/"),
    ])
    func normalizesAddress(text: String, url: String, path: String) throws {
        let address = try #require(SiteAddress(text))
        #expect(address.url == url)
        #expect(address.path == path)
    }

    @Test(arguments: [
        "", "example.org", "//example.org", "ftp://example.org", "http://", "https://u:p@h/",
        "https://h/?q", "https://h/#f", "/blog/",
    ])
    func refusesInvalidAddresses(text: String) {
        #expect(SiteAddress(text) == nil)
    }
}

@Suite struct URLResolverTests {
    @Test(arguments: [
        ("http://h/x.png", "http://h/x.png"), ("HTTPS://H/x.png#part", "https://h/x.png"),
        ("//h/x.png", "https://h/x.png"), ("  http://h/x.png\n", "http://h/x.png"),
        ("http://h/a b.png", "http://h/a%20b.png"), ("ht\ntp://h/\tx.png", "http://h/x.png"),
        ("\\\\h\\x.png?a\\b", "https://h/x.png?a\\b"), ("http://h/é.png", "http://h/%C3%A9.png"),
        ("https://bücher.example/x", "https://xn--bcher-kva.example/x"),
        ("http://h:80/a/../x.png", "http://h/x.png"),
    ])
    func otherHostsAreRemote(url: String, key: String) {
        #expect(URLResolver().resolve(url) == .remote(key))
    }

    @Test(arguments: [
        "", "data:image/png;base64,AA", "blob:http://h/1", "file:///etc/passwd",
        "#frag", "?q", "//:0", "ftp:x", "app://h/x.png", "C:\\x.png", " ", "/", "x/", "..", "a%2Fb",
        "a%00b",
        "a%FFb",
    ])
    func ignoresURLsWithoutImage(url: String) {
        #expect(URLResolver(document: "docs/a.md").resolve(url) == .nothing)
    }

    @Test(
        arguments: [
            ("x.png", "docs/x.png"), ("/x.png", "x.png"), ("../x.png?v=1#f", "x.png"),
            ("../../../../etc/passwd", "etc/passwd"), ("%2e%2e/x.png", "x.png"),
            ("http", "docs/http"),
            ("a%20b/%C3%A9.png", "docs/a b/é.png"), ("..\\x.png", "x.png"),
            ("./a//b.png", "docs/a/b.png"),
            ("100%.png", "docs/100%.png"), ("a:b/x.png", nil), ("./a:b.png", "docs/a:b.png"),
        ] as [(String, String?)])
    func resolvesRelativeURLsToFiles(url: String, path: String?) {
        #expect(
            URLResolver(document: "docs/a.md").resolve(url) == (path.map { .local($0) } ?? .nothing)
        )
    }

    @Test(arguments: [
        "http://", "https://[::1", "http://h:99999/x.png", "//", "ftp://h/x.png", "FTPS://h/x.png",
        "htp://h/x.png", "htps://h/x.png", "https:/h/x.png", "https:h/x.png",
        "http//h/x.png", "https//h/x.png", "hhttp://h/x.png", "ttps://h/x.png", "htpts://h/x.png",
    ])
    func reportsInvalidURLs(url: String) {
        guard case .malformed(let problem) = URLResolver().resolve(url) else {
            Issue.record("\(url) is no URL")
            return
        }
        #expect(problem.code == .invalidURL)
    }

    @Test(
        arguments: [
            ("https://example.org/blog/a%20b.png", .local("a b.png")),
            ("http://EXAMPLE.org:80/blog/x/../y.png?v#f", .local("y.png")),
            ("//example.org/blog/x.png", .local("x.png")),
            ("https://example.org/blog", .nothing), ("https://example.org/blog/", .nothing),
            ("https://example.org/other.png", .remote("https://example.org/other.png")),
            ("https://example.org/blogs/x.png", .remote("https://example.org/blogs/x.png")),
            ("https://example.org:8443/blog/x.png", .remote("https://example.org:8443/blog/x.png")),
            ("/blog/x.png", .local("x.png")), ("/blog/a/../x.png", .local("x.png")),
            ("/x.png", .nothing), ("/img/x.svg", .nothing), ("/blogs/x.png", .nothing),
            ("/blog", .nothing), ("/blog/../x.png", .nothing), ("/./blog/x.png", .local("x.png")),
            ("/x/../blog/x.png", .local("x.png")), ("/%62log/x.png", .local("x.png")),
            ("../../x.png", .nothing), ("../x.png", .local("x.png")),
            ("../../blog/x.png", .local("x.png")),
            ("x.png", .local("docs/x.png")),
        ] as [(String, ResolvedURL)])
    func urlsBelowSiteAddressAreLocal(url: String, expected: ResolvedURL) throws {
        let address = try #require(SiteAddress("https://example.org/blog/"))
        #expect(URLResolver(document: "docs/a.md", address: address).resolve(url) == expected)
    }

    @Test func usesSchemeOfSite() throws {
        let address = try #require(SiteAddress("http://example.org"))
        #expect(URLResolver(address: address).resolve("//h/x") == .remote("http://h/x"))
    }

    @Test(arguments: [
        ("x.png", "https://cdn.example/a/x.png"), ("../x.png", "https://cdn.example/x.png"),
        ("/x.png", "https://cdn.example/x.png"), ("?v=2", "https://cdn.example/a/page?v=2"),
        ("//h/x.png", "https://h/x.png"),
    ])
    func remoteBaseMakesRelativeURLsRemote(url: String, key: String) {
        let resolver = URLResolver(document: "a.html", baseHref: "https://cdn.example/a/page?q/r")
        #expect(resolver.resolve(url) == .remote(key))
    }
}

@Suite struct ReferenceWriterTests {
    private static let address = SiteAddress("https://example.org/blog/")

    @Test(
        arguments: [
            (.relative, "../imgbake/x.webp", "../imgbake/x.webp"),
            (.rooted, "/imgbake/x.webp", "/blog/imgbake/x.webp"),
            (.absolute, nil, "https://example.org/blog/imgbake/x.webp"),
            (.absoluteIfKnown, "../imgbake/x.webp", "https://example.org/blog/imgbake/x.webp"),
        ] as [(Reference.Form, String?, String)])
    func writesEveryFormOfURL(form: Reference.Form, alone: String?, known: String) {
        let place = Reference(range: 0..<1, kind: .markdownImage, url: "x", form: form)
        let writer = ReferenceWriter(
            page: "docs/a.html", address: nil, imageDirectory: "imgbake")
        #expect(writer.url(of: "x.webp", at: place) == alone)
        #expect((writer.url(of: "x", at: place) != nil) == (alone != nil))
        let addressed = ReferenceWriter(
            page: "docs/a.html", address: Self.address, imageDirectory: "imgbake")
        #expect(addressed.url(of: "x.webp", at: place) == known)
    }

    @Test func usesSiteAddressWithoutPath() {
        let place = Reference(range: 0..<1, kind: .markdownImage, url: "x")
        let lost = ReferenceWriter(page: nil, address: nil, imageDirectory: "i")
        #expect(lost.url(of: "x", at: place) == nil)
        let addressed = ReferenceWriter(page: nil, address: Self.address, imageDirectory: "é x")
        #expect(addressed.url(of: "y", at: place) == "https://example.org/blog/%C3%A9%20x/y")
    }
}

@Suite struct ImageLocationTests {
    @Test(arguments: [
        ImageLocation.remote("https://h/x.png?y"), .local("a b/é%.png"), .local("x"),
    ])
    func keyRoundTrips(source: ImageLocation) {
        #expect(ImageLocation(key: source.key) == source)
    }
}
