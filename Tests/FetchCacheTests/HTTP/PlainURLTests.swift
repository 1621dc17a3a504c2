import Testing

@testable import FetchCache

/// URLs that are read without libcurl.
@Suite struct PlainURLTests {
    private typealias Parts = URLText.Parts

    /// Chooses pieces in an order that is the same in each run.
    private struct Choice {
        private var state: UInt64 = 0x2545_F491_4F6C_DD1D

        mutating func next(below limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % limit
        }

        mutating func piece(of pieces: [String]) -> String { pieces[next(below: pieces.count)] }
    }

    private static let starts = [
        "http://", "https://", "http://", "https://", "HTTP://", "ftp://", "http:/", "http:",
    ]
    private static let labels = [
        "a", "b-c", "org", "example", "127", "0", "1", "255", "256", "01", "0x7f", "xn--bcher-kva",
        "-", "A", "_", "ä", "%61", "[::1]", "user@a", "a:b@c", " ", "",
    ]
    private static let ports = [
        "", "", "", ":8080", ":80", ":443", ":0", ":65535", ":65536", ":080", ":", ":a", ":+8",
        ":1:2",
    ]
    private static let paths = [
        "/", "/", "a", "B", "9", ".", "..", "...", "-", "_", "~", "?", "=", "&", "#", "%2e", "%41",
        "\\", "@", ":", ";", "+", "é", " ", "\t", "'", "\"", "|", "[", "{",
    ]

    /// libcurl decides what the normal form of a URL is, and where its parts are.
    @Test func libraryReadsPlainURLsTheSame() throws {
        var choice = Choice()
        var count = 0
        for _ in 0..<100_000 {
            var url = choice.piece(of: Self.starts)
            let labels = (0...choice.next(below: 4)).map { _ in choice.piece(of: Self.labels) }
            url += labels.joined(separator: ".") + choice.piece(of: Self.ports) + "/"
            for _ in 0..<choice.next(below: 6) { url += choice.piece(of: Self.paths) }
            guard let plain = Parts(ofPlain: url) else { continue }
            count += 1
            let read = try URLText.readByLibrary(url)
            #expect(read.url == url && read.parts == plain, "\(url)")
        }
        #expect(count > 500)
    }

    @Test(arguments: [
        ("https://example.org/a/b.png", "https", "example.org", "443"),
        ("http://example.org/", "http", "example.org", "80"),
        ("http://localhost:8080/a?b=c&d=e", "http", "localhost", "8080"),
        ("https://cdn-1.example.org/A_b~c-1.2.webp", "https", "cdn-1.example.org", "443"),
        ("http://127.0.0.1:1313/a", "http", "127.0.0.1", "1313"),
    ])
    func usualURLsArePlain(_ url: String, scheme: String, host: String, port: String) {
        #expect(Parts(ofPlain: url) == Parts(scheme: scheme, host: host, port: port))
    }

    @Test(arguments: [
        "", "a.png", "http:///a", "http://example.org", "http://example.org:80/a", "http://a@b/",
        "http://example.org/a/../b", "http://example.org/.", "http://example.org/a%2e",
        "http://1.2/",
        "http://127.0.0.01/", "http://127.0.0.256/", "http://example.1/", "http://example.org./",
        "http://a..b/", "http://EXAMPLE.org/", "http://[::1]/", "http://bücher.example/",
        "http://example.org/a b", "http://example.org/a#b", "http://example.org/a?",
        "http://example.org\\a/",
        "file:///a", "https://example.org:443/", "http://example.org:/a", "http://example.org:1:2/",
    ])
    func otherURLsAreNotPlain(_ url: String) { #expect(Parts(ofPlain: url) == nil) }
}
