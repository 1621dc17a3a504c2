import Documents
import Recipes
import Testing

@testable import Baking
@testable import Pictures
@testable import Reports
@testable import Sites

@Suite(.timeLimit(.minutes(10))) struct GlobTests {
    @Test(arguments: [
        ("*.md", "a.md"), ("*.md", "deep/er/a.md"), ("/*.md", "a.md"), ("docs/*.md", "docs/a.md"),
        ("docs/**/a.md", "docs/a.md"), ("docs/**/a.md", "docs/x/y/a.md"), ("**/a.md", "a.md"),
        ("docs/**", "docs/x/y"), ("drafts", "drafts/x/a.md"), ("drafts/", "blog/drafts/a.md"),
        ("docs/old", "docs/old/deep/a.md"), ("a?.md", "aé.md"), ("[a-c]*.md", "b1.md"),
        ("[!a-c].md", "d.md"), ("[^a-c].md", "d.md"), ("{a,b}.md", "b.md"),
        ("{a,b/{c,d}}/*.md", "b/d/x.md"), ("{a,}b.md", "b.md"), ("\\*.md", "*.md"),
        ("[]a].md", "].md"), ("[a\\]].md", "].md"), ("./a.md", "a.md"), ("a**b.md", "axyb.md"),
        ("x/**/y/**/z", "x/y/z"), ("{**/,}a.md", "p/a.md"), ("[a-].md", "-.md"),
        ("a,b.md", "a,b.md"),
    ])
    func matches(pattern: String, path: String) throws {
        #expect(try #require(Glob(pattern)).matches(path))
    }

    @Test(arguments: [
        ("*.md", "a.markdown"), ("/*.md", "x/a.md"), ("docs/*.md", "docs/x/a.md"),
        ("docs/*.md", "x/docs/a.md"), ("docs/**/a.md", "docsa.md"), ("a?.md", "a/.md"),
        ("[!a-c].md", "/.md"), ("[a-c].md", "d.md"), ("{a,b}.md", "c.md"), ("a.md", "xa.md"),
        ("drafts", "drafts.md"), ("\\*.md", "a.md"), ("A.md", "a.md"), ("docs/**", "doc/x"),
        ("x/**/z", "xz"),
    ])
    func doesNotMatch(pattern: String, path: String) throws {
        #expect(try !#require(Glob(pattern)).matches(path))
    }

    @Test(arguments: ["", "/", "./", "[a", "{a,b", "a]b}{", "[z-a]", "[]", "{a,{b}"])
    func refusesInvalidPatterns(pattern: String) {
        #expect(Glob(pattern) == nil)
    }

    @Test(arguments: [
        ("https://h/*.png", "https://h/a/b.png", true),
        ("*/badge.svg", "https://h/badge.svg", true),
        ("*?v=*", "https://h/x?v=1", true), ("*?v=*", "https://h/xyv=1", false),
        ("http://[::1]/*", "http://[::1]/x", true), ("h/*", "https://h/x", false),
        ("https://h/x", "https://h/xy", false),
    ])
    func urlPatternSupportsOnlyAsterisk(pattern: String, url: String, isMatch: Bool) throws {
        #expect(try #require(Glob(url: pattern)).matches(url) == isMatch)
    }

    /// Patterns that take exponential time in a matcher with backtracking.
    @Test(arguments: [
        String(repeating: "*a", count: 80) + "b", String(repeating: "**/", count: 80) + "b",
        String(repeating: "{a,aa}", count: 80) + "b",
        String(repeating: "{a,{a,{a,a}}}*", count: 30) + "b",
    ])
    func matchesInLinearTime(pattern: String) throws {
        let glob = try #require(Glob(pattern))
        #expect(!glob.matches(String(repeating: "a", count: 1_000) + "c/x/"))
    }

    @Test func refusesDeepBraces() {
        #expect(Glob(String(repeating: "{", count: 100_000)) == nil)
    }

    @Test func filterAppliesIgnoredAndIncludedPatterns() throws {
        var filter = DocumentFilter()
        #expect(filter.takes("a.md"))
        filter.included = [try #require(Glob("docs"))]
        filter.ignored = [try #require(Glob("*.css"))]
        #expect(filter.takes("docs/a.md"))
        #expect(!filter.takes("docs/a.css"))
        #expect(!filter.takes("a.md"))
    }

    @Test func matchesURLsWithOrWithoutScheme() throws {
        var filter = URLFilter()
        filter.ignored = [try #require(Glob(url: "img.shields.io/*"))]
        #expect(!filter.takes("https://img.shields.io/badge.svg"))
        #expect(filter.takes("https://h/img.shields.io/x"))
        filter.included = [try #require(Glob(url: "https://*"))]
        #expect(filter.takes("https://h/x"))
        #expect(!filter.takes("http://h/x"))
    }
}

@Suite struct ControlTests {
    @Test func controlOverridesOptions() throws {
        var control = ImageControl()
        control.format = "PNG"
        control.maximumWidth = "20"
        #expect(
            try VariantOptions(quality: 7).applying(control)
                == VariantOptions(format: .png, quality: 7, maximumWidth: 20))
    }

    @Test(arguments: ["0", "101", "x", "", "5 ", "+"])
    func reportsInvalidValue(value: String) {
        var control = ImageControl()
        control.quality = value
        #expect {
            _ = try VariantOptions().applying(control)
        } throws: { ($0 as? Problem)?.code == .invalidControl }
    }

}
