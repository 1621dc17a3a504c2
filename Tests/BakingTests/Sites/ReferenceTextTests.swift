import Testing

@testable import Baking
@testable import Reports
@testable import Sites

@Suite struct ReferenceTextTests {
    @Test(
        arguments: [
            ("http://h/x", .absolute), ("HTTPS://h/x", .absolute), ("https:x", .absolute),
            ("ht\ttp://h", .absolute), ("http", .relative), ("http/x", .relative),
            ("data:,x", .otherScheme), ("mailto:a@b", .otherScheme), ("a+b-c.d1:x", .otherScheme),
            ("C:\\x", .otherScheme), ("1a:b", .relative), ("+a:b", .relative), ("-a:b", .relative),
            (":x", .relative), ("a b:c", .relative), ("é:x", .relative), ("x_y:z", .relative),
            ("//h/x", .schemeRelative), ("\\\\h\\x", .schemeRelative), ("/\\h/x", .schemeRelative),
            ("/x", .rooted), ("\\x", .rooted), ("/", .rooted), ("x/y", .relative),
            ("?q", .relative), ("#f", .relative), ("", .relative), (" \n\t ", .relative),
            ("/a:b", .rooted), ("a/b:c", .relative), ("?http://h", .relative),
            ("#http://h", .relative), ("aA0:", .otherScheme), ("Zz9:", .otherScheme),
            ("@x:y", .relative), ("x@:y", .relative), ("x[:y", .relative), ("x`:y", .relative),
            ("x{:y", .relative), ("x/:y", .relative), ("x\u{11}:y", .relative),
            ("9a:b", .relative), ("0a:b", .relative), (".a:b", .relative),
        ] as [(String, ReferenceText.Kind)])
    func classifiesURLsLikeBrowsers(url: String, kind: ReferenceText.Kind) {
        #expect(ReferenceText(url).kind == kind)
    }

    @Test(
        arguments: [
            ("x", "x", ""), ("x#f", "x", "#f"), ("x#", "x", ""), ("#f", "", "#f"),
            ("x#a#b", "x", "#a#b"), ("x?a#b?c", "x?a", "#b?c"), ("  x \n", "x", ""),
            ("\u{1}x\u{1F}", "x", ""), ("!x!", "!x!", ""), ("a\nb\tc\rd", "abcd", ""),
            ("a\u{8}\u{B}\u{C}\u{E}b", "a\u{8}\u{B}\u{C}\u{E}b", ""),
            ("a b", "a b", ""),
            ("a\\b?c\\d#e\\f", "a/b?c\\d", "#e\\f"), ("\u{A0}x", "\u{A0}x", ""),
            ("data:a\\b", "data:a\\b", ""), ("data:,#f", "data:,", "#f"),
        ])
    func separatesFragment(url: String, text: String, fragment: String) {
        let reference = ReferenceText(url)
        #expect(reference.text == text)
        #expect(reference.fragment == fragment)
    }
}

@Suite struct SchemeFaultTests {
    @Test(arguments: [
        ("htp://h/", "htp://"), ("htttp://h/", "htttp://"), ("hhttps://h/", "hhttps://"),
        ("ttp://h/", "ttp://"), ("http:/h/x", "http:/"), ("https:h/x", "https:"),
        ("http//h/x", "http//"), ("HTTPS//h/x", "https//"), ("hxtp://h/", "hxtp://"),
        ("htpt://h/", "htpt://"), ("httsp://h/", "httsp://"), ("HTP://h/", "htp://"),
    ])
    func reportsMistypedScheme(url: String, wrong: String) {
        let problem = Problem(inSchemeOf: ReferenceText(url))
        #expect(problem?.code == .invalidURL && problem?.remedy.contains("https://") == true)
        #expect(problem?.reason.contains("'\(wrong)'") == true)
    }

    @Test(arguments: [("ftp://h/x", "ftp"), ("FTPS://h/x", "ftps"), ("sftp://h/x", "sftp")])
    func reportsUnsupportedScheme(url: String, scheme: String) {
        let problem = Problem(inSchemeOf: ReferenceText(url))
        #expect(problem?.code == .invalidURL && problem?.remedy.isEmpty == false)
        #expect(problem?.reason.hasSuffix("not \(scheme)") == true)
    }

    @Test(arguments: [
        "http://h/", "https://h/", "HTTP://h/", "//h/x", "/http//x", "x/http//y", "http/x",
        "data:image/png;base64,x://", "mailto:a@b", "ws://h/", "file:///x", "app://x", "ftp:x",
        "htp:x", "hppt://h/", "tel:1", "", "http", "http-x://h",
    ])
    func acceptsOtherURLs(url: String) {
        #expect(Problem(inSchemeOf: ReferenceText(url)) == nil)
    }
}

@Suite struct SitePathTests {
    @Test(
        arguments: [
            ("x.png", [], "x.png"), ("a/b/x.png", ["a", "b"], "x.png"), ("a/b/", ["a", "b"], nil),
            ("", [], nil), ("/", [], nil), ("../../x", [], "x"), ("a/../x", [], "x"),
            ("a/..", [], nil), ("a/.", ["a"], nil), ("./x", [], "x"), ("a//x", ["a"], "x"),
            ("x?a/b", [], "x"), ("%2E%2E/x", [], "x"), ("%2e/x", [], "x"),
            ("a%20b/%C3%A9", ["a b"], "é"), ("a/b/../../../c/x", ["c"], "x"), ("...", [], "..."),
        ] as [(String, [String], String?)])
    func resolvesStepsLikeBrowsers(path: String, folders: [String], file: String?) throws {
        let steps = try #require(SitePath.steps(path[...], from: []))
        #expect(steps.folders == folders)
        #expect(steps.file == file)
    }

    @Test(arguments: ["a%2Fb", "a%00b", "%FF", "x/%C3", "%2F/x"])
    func refusesInvalidFileNames(path: String) {
        #expect(SitePath.steps(path[...], from: []) == nil)
    }

    @Test func stepsStartAtGivenFolder() throws {
        let up = try #require(SitePath.steps("../x", from: ["a", "b"]))
        #expect(up.folders == ["a"])
        #expect(SitePath.folders(of: "a/b/c.html") == ["a", "b"])
        #expect(SitePath.folders(of: "c.html") == [])
    }
}

/// The encoding of paths in URLs, by its effect.
@Suite struct PathEncodingTests {
    @Test(arguments: [
        "a b.png", "100%.png", "a#b?c.png", "é/猫.png", "a%20b.png", "[x].png", "a\"b'c.png",
        "a\\b.png", "a&b=c+d.png", "\u{7F}\u{1}.png", "a:b.png", "~a_b-c.d!.png", "e\u{301}.png",
        "deep/er/x.png", "a;b,c@d$(e)*.png", "<a>|{b}^`.png",
    ])
    func urlOfFileRoundTrips(path: String) throws {
        let address = try #require(SiteAddress("https://h/blog/"))
        let url = address.url(of: path)
        #expect(url.utf8.allSatisfy { (0x21...0x7E).contains($0) })
        #expect(URLResolver(address: address).resolve(url) == .local(path))
        let relative = url.dropFirst(address.url.count)
        #expect(URLResolver().resolve("./" + relative) == .local(path))
        #expect(ImageLocation(key: ImageLocation.local(path).key) == .local(path))
    }

    @Test func everyByteOfNameRoundTrips() {
        for byte in UInt8(1)...127 where byte != UInt8(ascii: "/") {
            let path = "a" + String(UnicodeScalar(byte)) + "b"
            #expect(ImageLocation(key: ImageLocation.local(path).key) == .local(path), "\(byte)")
        }
    }

    @Test func remoteKeyIsNotAFile() {
        for url in ["https://h/x", "file://site", "file://sites/x", "FILE://site/x", ""] {
            #expect(ImageLocation(key: url) == .remote(url))
        }
    }
}
