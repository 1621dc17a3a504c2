import Testing

@testable import FetchCache

struct HostPatternTests {
    @Test(arguments: [
        ("*", "*.localhost"), ("*.org", "*.example.org"), ("*.example.org", "a.example.org"),
        ("*.b", "a.b"), ("*.b:80", "a.b"), ("a.b", "a.b:8"), ("*.b", "*.b:8443"), ("*", "::1"),
        ("[::1]", "[::1]:80"),
    ])
    func moreSpecificPatternHasLargerRank(_ general: String, specific: String) {
        #expect(HostPattern(general).rank < HostPattern(specific).rank)
    }

    @Test(arguments: [
        ("*", "http://h/", true), ("h", "http://h/", true), ("H", "http://h:81/", true),
        ("h", "http://h./", true),
        ("h:81", "http://h:81/", true), ("h:80", "http://h/", true), ("h:443", "https://h/", true),
        ("h:80", "https://h/", false), ("h:81", "http://h/", false), ("*.h", "http://a.h/", true),
        ("*.h", "http://a.b.h/", true), ("*.h", "http://h/", false), ("*.h", "http://ah/", false),
        ("*.h:81", "http://a.h:81/", true), ("*.h:81", "http://a.h/", false),
        ("h", "http://a.h/", false), ("[::1]", "http://[::1]:81/", true),
        ("::1", "http://[::1]/", true), ("[::1]:81", "http://[::1]:81/", true),
        ("[::1]:81", "http://[::1]/", false),
    ])
    func matchesHostsAndPorts(_ pattern: String, url: String, isMatch: Bool) throws {
        let parts = try URLText.parts(of: url)
        #expect(HostPattern(pattern).matches(parts) == isMatch)
    }
}
