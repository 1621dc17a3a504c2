import Testing

@testable import Baking
@testable import Pictures
@testable import Sites

@Suite struct FilterTests {
    private func documents(ignored: [String] = [], included: [String] = []) -> DocumentFilter {
        var filter = DocumentFilter()
        filter.ignored = ignored.compactMap { Glob($0) }
        filter.included = included.compactMap { Glob($0) }
        return filter
    }

    private func urls(ignored: [String] = [], included: [String] = []) -> URLFilter {
        var filter = URLFilter()
        filter.ignored = ignored.compactMap { Glob(url: $0) }
        filter.included = included.compactMap { Glob(url: $0) }
        return filter
    }

    @Test(
        arguments: [
            ([], [], "a.md", true), (["drafts/"], [], "drafts/a.md", false),
            (["drafts/"], [], "a.md", true), ([], ["docs/**"], "docs/a.md", true),
            ([], ["docs/**"], "a.md", false), (["*.css"], ["docs/**"], "docs/a.css", false),
            (["*.css"], ["docs/**"], "docs/a.md", true), (["x", "a.md"], [], "a.md", false),
            ([], ["x", "a.md"], "a.md", true),
        ] as [([String], [String], String, Bool)])
    func ignoredDocumentsAreNotReadEvenIfIncluded(
        ignored: [String], included: [String], path: String, isTaken: Bool
    ) {
        #expect(documents(ignored: ignored, included: included).takes(path) == isTaken)
    }

    @Test(
        arguments: [
            ([], [], true), (["https://img.shields.io/*"], [], false),
            (["img.shields.io/*"], [], false), (["http://img.shields.io/*"], [], true),
            (["*.svg"], [], false), (["*.png"], [], true), (["shields.io/*"], [], true),
            ([], ["*"], true), ([], ["example.org/*"], false), ([], ["img.*"], true),
            (["*badge*"], ["img.*"], false), (["*/x"], ["*/y", "*.svg"], true),
        ] as [([String], [String], Bool)])
    func matchesURLsWithOrWithoutScheme(
        ignored: [String], included: [String], isTaken: Bool
    ) {
        let filter = urls(ignored: ignored, included: included)
        #expect(filter.takes("https://img.shields.io/badge/x.svg") == isTaken)
    }

    @Test func keepsSchemeWithinURL() {
        let filter = urls(ignored: ["h/b"])
        #expect(filter.takes("https://proxy/http://h/b"))
        #expect(!filter.takes("https://h/b"))
        #expect(!urls(ignored: ["h/b"]).takes("h/b"))
    }

    @Test(
        arguments: [
            ("https://h/a/x", "x"), ("http://h/a/x", "x"), ("https://h/a/", ""),
            ("https://h/a", ""), ("https://h/ab", nil), ("https://h/", nil), ("https://h", nil),
            ("https://h:8/a/x", nil), ("https://g/a/x", nil), ("/a/x", nil), ("", nil),
            ("https://h/a/b/c?q", "b/c?q"),
        ] as [(String, String?)])
    func findsPathBelowSite(url: String, expected: String?) throws {
        let address = try #require(SiteAddress("https://h/a"))
        #expect(address.rest(of: url).map(String.init) == expected)
    }

    @Test func encodesURLOfFile() throws {
        let address = try #require(SiteAddress("http://h:8080/é"))
        #expect(address.url(of: "a b/x#.png") == "http://h:8080/%C3%A9/a%20b/x%23.png")
    }

    @Test(arguments: [
        (".", "a.md", "a.md"), ("./", "a.md", "a.md"), ("site", "a.md", "site/a.md"),
        ("site/", "a.md", "site/a.md"), ("/srv/x", "b/a.md", "/srv/x/b/a.md"),
        ("..", "a.md", "../a.md"),
    ])
    func showsFilesBelowDisplayNameOfSite(root: String, path: String, expected: String) {
        let site = Site(
            root: "/r", displayRoot: root, isInPlace: true, reading: ReadingOptions())
        #expect(site.name(path) == expected)
        #expect(site.path(path) == "/r/" + path)
    }

    @Test(arguments: [
        (".well-known", true, false), (".nojekyll", true, false), (".htaccess", true, false),
        (".domains", true, false), (".gitkeep", true, false), (".imgbake", true, false),
        (".env", false, true), (".htpasswd", false, true), (".ssh", false, true),
        (".gitignore", false, false), (".gitlab-ci.yml", false, false), (".hgignore", false, false),
        (".DS_Store", false, false), (".buildinfo", false, false), (".well-knownx", false, true),
    ])
    func copiesOnlyPublishedHiddenFiles(name: String, isCopied: Bool, isSaid: Bool) {
        #expect(HiddenFiles.published.take(name) == isCopied)
        #expect(HiddenFiles.all.take(name))
        if !isCopied { #expect(HiddenFiles.needsMessage(name) == isSaid) }
    }

    @Test func alwaysIncludesVisibleFiles() {
        for hidden in [HiddenFiles.published, .all] {
            for name in ["a.md", "env", "git"] { #expect(hidden.take(name)) }
        }
        #expect([".git", ".hg", ".svn"].allSatisfy(HiddenFiles.isForeign))
        #expect(!HiddenFiles.isForeign(".github") && !HiddenFiles.isForeign("git"))
    }

    @Test(
        arguments: [
            ("[", nil), ("{", nil), ("{a", nil), ("[a", nil), ("[]", nil), ("[!]", nil), ("", nil),
            ("/", nil), ("./", nil), ("[z-a]", nil), ("{a,{b}", nil), ("a", "a"), ("\\", "\\"),
            ("]", "]"), ("}", "}"), ("a}", "a}"), ("[]]", "]"), ("[[]", "["), ("[\\-a]", "-"),
            ("{}", ""), ("{,a}b", "ab"), ("\\{a", "{a"), ("**", "a/b"), ("***", "a/b"),
            ("[*]", "*"), ("[?]", "?"), ("é*", "éa"),
        ] as [(String, String?)])
    func refusesUnclosedPatterns(pattern: String, matching: String?) {
        let glob = Glob(pattern)
        #expect((glob != nil) == (matching != nil))
        if let matching, !matching.isEmpty { #expect(glob?.matches(matching) == true) }
    }

    @Test(.timeLimit(.minutes(10))) func matchesWithoutExponentialTime() throws {
        let stars = try #require(Glob(String(repeating: "*a", count: 60)))
        #expect(!stars.matches(String(repeating: "a", count: 4_000) + "b"))
        let nested = String(repeating: "{a,", count: 60) + "a" + String(repeating: "}", count: 60)
        #expect(try #require(Glob(nested)).matches("a"))
        #expect(Glob(String(repeating: "{", count: 5_000)) == nil)
        let url = try #require(Glob(url: String(repeating: "*x", count: 60)))
        #expect(!url.matches(String(repeating: "x", count: 4_000) + "y"))
    }
}
