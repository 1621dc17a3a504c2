import ImageFormats
import Recipes
import Testing

@testable import Baking
@testable import Sites

@Suite struct ImageFileNameTests {
    @Test(arguments: [
        ("https://h/a/Cat%20Picture.JPG?w=2#x", "cat-picture"),
        ("https://h/cat.tar.png", "cat-tar"),
        ("https://h/noextension", "noextension"),
        ("https://h/.hidden", "image"),
        ("https://h", "image"),
        ("https://h/", "image"),
        ("https://h?x=/evil.png", "image"),
        ("https://h/%2e%2e%2fetc%2fpasswd.png", "etc-passwd"),
        ("https://h/%E7%8C%AB.png", "image"),
        ("https://h/a%zz.png", "a-zz"),
        ("https://h/--a__b--.png", "a-b"),
        ("https://h/\(String(repeating: "x", count: 90)).png", String(repeating: "x", count: 48)),
    ])
    func derivesSlugFromPath(url: String, name: String) {
        let digest = "0123456789abcdef" + String(repeating: "f", count: 48)
        #expect(
            imageFileName(url: url, digest: digest, format: .jpeg) == "\(name)-0123456789abcdef.jpg"
        )
    }
}

@Suite struct RelativePathTests {
    @Test(arguments: [
        ("a.html", "imgbake/x.webp", "imgbake/x.webp"),
        ("docs/a.html", "imgbake/x.webp", "../imgbake/x.webp"),
        ("a/b/c.md", "a/i/x.png", "../i/x.png"),
        ("imgbake/a.html", "imgbake/x.png", "x.png"),
        ("a.html", "b:c/x.png", "./b:c/x.png"),
        ("a/b.html", "b:c/x.png", "../b:c/x.png"),
        ("a/\u{301}b.html", "imgbake/x.png", "../imgbake/x.png"),
    ])
    func findsPathFromDocumentToFile(document: String, file: String, expected: String) {
        #expect(relativePath(from: document, to: file) == expected)
    }

    @Test func encodesReservedCharacters() {
        #expect(urlPath("my images/100%/é#?.png") == "my%20images/100%25/%C3%A9%23%3F.png")
        #expect(urlPath("../imgbake/a-1.webp") == "../imgbake/a-1.webp")
    }
}
