import DocumentSyntax
import Documents
import Testing

@Suite(.timeLimit(.minutes(10)))
struct JSONFeedTests {
    private static let feed = """
        {
          "version": "https://jsonfeed.org/version/1.1",
          "title": "x", "home_page_url": "https://h/no.png",
          "icon": "⟦https://h/icon.png⟧", "favicon": " ⟦https://h/f.ico⟧ ",
          "authors": [{"name": "x", "url": "https://h/no.png", "avatar": "⟦a.png⟧"}],
          "items": [
            {
              "id": "1", "url": "https://h/no.png", "external_url": "https://h/no.png",
              "image": "⟦https://h/i⟧", "banner_image": "⟦https://h/b⟧",
              "content_text": "<img src='no.png'>",
              "content_html": "<p>\\u003cimg src=\\"⟦https:\\/\\/h\\/c.png?a&amp;b⟧\\">\\n<img src='⟦d.png⟧'>é\\ud83d\\ude00<img src=\\"⟦e⟧\\">",
              "attachments": [
                {"url": "⟦https://h/j⟧", "mime_type": "image/png"},
                {"mime_type": "audio/mpeg", "url": "https://h/no.png"},
                {"url": "⟦https://h/k.jpg⟧"}, {"url": "https://h/k.mp3"}
              ]
            },
            {"id": "2", "content_html": "no image", "image": ""},
            {"id": "3", "content_html": "<a style='b:url(⟦l.png⟧)'>", "author": {"avatar": "⟦m⟧"}}
          ]
        }

        """

    @Test func findsImagesInMembersAndHTML() {
        let urls = [
            "https://h/icon.png", "https://h/f.ico", "a.png", "https://h/i", "https://h/b",
            "https://h/c.png?a&b", "d.png", "e", "https://h/j", "https://h/k.jpg", "l.png", "m",
        ]
        expectReferences(Self.feed, .json, urls: urls)
    }

    @Test(arguments: [
        "icon", "favicon", "author.avatar", "authors.avatar", "items.author.avatar",
        "items.authors.avatar", "items.image", "items.banner_image", "items.attachments.url",
    ])
    func findsImageAtEachPath(path: String) {
        let version = "\"version\": \"https://jsonfeed.org/version/1\""
        expectReferences("{\(version), \(nested(path, "⟦a.png⟧"))}", .json, urls: ["a.png"])
        // A dot in a key is part of it.
        if path.contains(".") { expectReferences("{\(version), \"\(path)\": \"a.png\"}", .json) }
    }

    @Test func requiresAbsoluteURLs() {
        let references = extract(Marked(Self.feed).bytes, kind: .json).references
        #expect(references.allSatisfy { $0.form == .absolute })
        #expect(references.prefix(3).map(\.role) == [.icon, .icon, .enclosure])
        #expect(references.dropFirst(3).allSatisfy { $0.role == .enclosure })
        #expect(references.first?.kind == .json(key: "icon"))
    }

    @Test func escapesURLsForEachLayer() {
        let text =
            "{\"version\":\"https:\\/\\/jsonfeed.org\\/version\\/1\",\"items\":[{\"content_html\":"
            + "\"<b style='c:url(a)'><img src='b'>\",\"image\":\"c\"}]}"
        #expect(
            replaceAll(text, .json, with: ["(1)", "d'&e", "f'\"\\g"])
                == "{\"version\":\"https:\\/\\/jsonfeed.org\\/version\\/1\",\"items\":[{\"content_html\":"
                + "\"<b style='c:url(\\\\(1\\\\))'><img src='d&#39;&amp;e'>\","
                + "\"image\":\"f%27%22%5Cg\"}]}")
    }

    @Test(arguments: [
        "{\"version\": \"2.0\", \"icon\": \"a.png\"}", "{\"icon\": \"https://jsonfeed.org/a.png\"}",
        "{\"x\": {\"version\": \"https://jsonfeed.org/version/1\"}, \"icon\": \"a.png\"}",
        "[{\"version\": \"https://jsonfeed.org/version/1\", \"icon\": \"a.png\"}]",
        "{\"version\": \"https://jsonfeed.org/version/1\", \"icon\": \"a.png\"",
        "{\"version\": \"https://jsonfeed.org/version/1\", \"icon\": {\"a\": \"a.png\"}}", "", "{}",
        "{\"version\": \"https://jsonfeed.org/version/1\", \"icon\": \"{{ a }}.png\"}",
    ])
    func ignoresOtherJSON(text: String) {
        expectReferences(text, .json)
    }

    /// Strings are read several bytes at a time.
    @Test(arguments: [("\u{1}", 0), ("\u{1F}", 0), ("\n", 0), (" ", 1), ("é", 1), ("\u{7F}", 1)])
    func refusesControlCharactersAtEachPlace(character: String, count: Int) {
        for place in 0..<24 {
            let text = String(repeating: "!", count: place) + character + "#[]~0123456789"
            let feed =
                #"{"version":"https://jsonfeed.org/version/1","a":"\#(text)","icon":"b.png"}"#
            #expect(extract(Array(feed.utf8), kind: .json).references.count == count, "at \(place)")
        }
    }

    @Test func addsNoSizeToHTML() {
        let text =
            "{\"version\":\"https://jsonfeed.org/version/1\",\"items\":[{\"content_html\":"
            + "\"<img src='a'>\"}]}"
        let size = Replacement.Size(width: 4, height: 3)
        #expect(
            replaceAll(text, .json, with: ["b"], size: size) == text.replacing("'a'", with: "'b'"))
    }
}

/// A member whose value is at the end of a dotted path.
private func nested(_ path: String, _ value: String) -> String {
    let keys = path.split(separator: ".")
    let start = keys.dropLast().map { "\"\($0)\": {" }.joined()
    let end = String(repeating: "}", count: keys.count - 1)
    return "\(start)\"\(keys[keys.count - 1])\": \"\(value)\"\(end)"
}

@Suite(.timeLimit(.minutes(10)))
struct WebManifestTests {
    private static let manifest = """
        \u{FEFF}{
          "name": "x", "start_url": "/no.png",
          "icons": [{"src": "⟦i.png⟧", "sizes": "48x48"}, {"src": "⟦https:\\/\\/h\\/j⟧"}],
          "screenshots": [{"src": "⟦/s.webp⟧", "label": "no.png"}],
          "shortcuts": [{"name": "no.png", "url": "no.png", "icons": [{"src": "⟦k.svg⟧"}]}],
          "related_applications": [{"url": "https://h/no.png"}]
        }
        """

    @Test(arguments: [
        "icons.src", "shortcuts.icons.src", "file_handlers.icons.src", "screenshots.src",
    ])
    func findsImageAtEachPath(path: String) {
        expectReferences(
            "{\"name\": \"x\", \(nested(path, "⟦a.png⟧"))}", .json, urls: ["a.png"])
    }

    @Test(arguments: [
        "name", "short_name", "start_url", "display", "scope", "theme_color", "background_color",
    ])
    func isToldByEachOtherMember(member: String) {
        expectReferences(
            "{\"\(member)\": \"x\", \(nested("icons.src", "⟦a.png⟧"))}", .json, urls: ["a.png"])
    }

    @Test func findsIconsAndScreenshots() {
        expectReferences(
            Self.manifest, .json, urls: ["i.png", "https://h/j", "/s.webp", "k.svg"])
        let references = extract(Marked(Self.manifest).bytes, kind: .json).references
        #expect(references.map(\.role) == [.icon, .icon, .content, .icon])
        #expect(references.allSatisfy { $0.form == .relative })
        #expect(references.first?.kind == .json(key: "icons.src"))
    }

    @Test(arguments: [
        "{\"manifest_version\": 3, \"name\": \"x\", \"icons\": {\"16\": \"a.png\"}}",
        "{\"icons\": [{\"src\": \"a.png\"}]}",
        "{\"name\": \"x\", \"files\": {\"a.png\": \"b.png\"}}",
        "{\"name\": \"x\", \"icons\": [\"a.png\"]}",
        "[{\"name\": \"x\", \"icons\": [[{\"src\": \"a.png\"}]]}, {}",
    ])
    func ignoresOtherJSON(text: String) {
        expectReferences(text, .json)
    }

    @Test(arguments: ["json", "webmanifest", "JSON"])
    func recognisesFileExtensions(fileExtension: String) {
        #expect(DocumentKind(fileExtension: fileExtension) == .json)
    }
}
