import TestSupport
import Testing

@testable import FetchCache

struct URLTests {
    @Test(arguments: [
        ("http://example.org", "http://example.org/"),
        ("HTTP://EXAMPLE.org/A", "http://example.org/A"),
        ("http://example.org:80/a", "http://example.org/a"),
        ("https://example.org:443/a", "https://example.org/a"),
        ("https://example.org:80/a", "https://example.org:80/a"),
        ("http://example.org/a#b", "http://example.org/a"),
        ("http://example.org/a?b#c?d", "http://example.org/a?b"),
        ("http://example.org/a b.png", "http://example.org/a%20b.png"),
        ("http://example.org/a?b c", "http://example.org/a?b%20c"),
        ("http://example.org/a%20b", "http://example.org/a%20b"),
        ("http://example.org/a+b?c+d", "http://example.org/a+b?c+d"),
        ("http://example.org/ä", "http://example.org/%C3%A4"),
        ("http://example.org/?ä", "http://example.org/?%C3%A4"),
        ("http://example.org/é/\"<>`{}", "http://example.org/%C3%A9/%22%3C%3E%60%7B%7D"),
        ("http://example.org/a?'", "http://example.org/a?%27"),
        ("http://example.org/a|b^c?a|b^c", "http://example.org/a%7Cb%5Ec?a|b^c"),
        ("http://example.org/a/b|c/d|e", "http://example.org/a/b%7Cc/d%7Ce"),
        ("  http://example.org/a\n", "http://example.org/a"),
        ("\u{1} http://example.org/a \u{1F} ", "http://example.org/a"),
        ("http://example.org/a!", "http://example.org/a!"),
        ("http://example.org/a\n\t\rb", "http://example.org/ab"),
        ("http://example.org/a\u{8}\u{B}\u{C}\u{E}b", "http://example.org/a%08%0B%0C%0Eb"),
        ("http://example.org/~\u{7F}", "http://example.org/~%7F"),
        ("http://example.org/a?b\\c/`{}", "http://example.org/a?b\\c/`{}"),
        ("http://example.org\\a\\b", "http://example.org/a/b"),
        ("http://example.org/a/../b/./c", "http://example.org/b/c"),
        ("http://example.org?a", "http://example.org/?a"),
        ("http://example.org/a,b;c=d@e:f", "http://example.org/a,b;c=d@e:f"),
        ("http://[::1]:8080/a", "http://[::1]:8080/a"),
        ("http://2130706433/a", "http://127.0.0.1/a"),
        ("http://0x7f.1/a", "http://127.0.0.1/a"),
        ("http://user:word@example.org/a", "http://user:word@example.org/a"),
    ])
    func normalizesURLs(_ url: String, expected: String) throws {
        #expect(try FetchManager.normalized(url: url) == expected)
    }

    @Test(arguments: [
        ("", "is empty"),
        ("a.png", "no scheme"),
        ("//example.org/a", "no scheme"),
        ("ftp://example.org/a", "only http and https"),
        ("file:///etc/passwd", "only http and https"),
        ("data:image/png;base64,AAAA", ""),
        ("javascript:alert(1)", ""),
        ("http://", ""),
        ("http://example.org:99999/", "port"),
        ("http://[::1/a", ""),
        ("http://exa mple.org/", ""),
        ("!http://example.org/", ""),
    ])
    func refusesInvalidURLs(_ url: String, reason: String) {
        let error = #expect(throws: FetchError.self) { try FetchManager.normalized(url: url) }
        #expect(error?.code == .invalidURL)
        #expect(error?.detail.contains(reason) == true, "\(error as Any)")
    }

    /// What Chromium sends for each printable ASCII character; the others stand for themselves.
    @Test func encodesTheCharactersThatBrowsersEncode() async throws {
        let fixture = try await Fixture()
        let inPath = " \"<>^`{|}", inQuery = " \"'<>"
        var expected: [String] = []
        for byte in UInt8(0x20)..<0x7F where !"#?\\".utf8.contains(byte) {
            let character = Character(UnicodeScalar(byte))
            let encoded = "%" + String(byte, radix: 16, uppercase: true)
            let path = inPath.contains(character) ? encoded : "\(character)"
            let query = inQuery.contains(character) ? encoded : "\(character)"
            let url = "/p/x\(character)y/z\(character)?a\(character)b"
            expected.append("/p/x\(path)y/z\(path)?a\(query)b")
            _ = await fixture.failure(url)
            // The target of a redirect is read in the same way.
            fixture.origin["/r"] = .redirect(to: url)
            _ = await fixture.failure(of: FetchRequest(fixture.origin.url + "/r", mode: .refresh))
            let sent = fixture.origin.requests.map(\.target)
            #expect(sent == [expected.last, "/r", expected.last], "\(character)")
            fixture.origin.forgetRequests()
        }
    }

    @Test func normalizationIsIdempotent() throws {
        let once = try FetchManager.normalized(url: "http://EXAMPLE.org:80/ä b/../c?d e'#f")
        #expect(try FetchManager.normalized(url: once) == once)
    }

    @Test func errorsOmitPasswords() throws {
        let error = try #require(throws: FetchError.self) {
            try FetchManager.normalized(url: "ftp://me:secret@example.org/a@b")
        }
        #expect(!"\(error)".contains("secret"))
        #expect("\(error)".contains("ftp://example.org/a@b"))
    }

    @Test(arguments: [
        ("http://M\u{FC}nchen.example/a", "http://xn--mnchen-3ya.example/a"),
        ("http://\u{FF45}xample.org/", "http://example.org/"),
        ("http://b\u{FC}cher.example:8080/x", "http://xn--bcher-kva.example:8080/x"),
    ])
    func convertsHostsToASCII(_ url: String, expected: String) throws {
        let read = try URLText.read(url)
        #expect(read.url == expected)
        #expect(expected.contains(read.parts.host))
    }
}
