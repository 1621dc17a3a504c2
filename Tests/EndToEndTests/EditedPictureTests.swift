import Foundation
import TestSupport
import Testing

/// An author may edit an image that a bake in place has given a `srcset` or a `<picture>`.
@Suite(.timeLimit(.minutes(10))) struct EditedPictureTests {
    private let origin: Origin
    private let styles = "<style>img { max-width: 100%; height: auto }</style>\n"
    private static let srcset = ["--responsive"]
    private static let formats = ["--responsive", "--responsive-formats", "webp"]
    private static let pages = [
        "<p><img src=\"URL\" alt='x'></p><p>End</p>",
        "<p><img alt='a < b > c' width=600 src='URL'> < <img src=\"URL2\"></p>",
        "<picture><source media=\"print\" srcset=\"URL2\"><img src=URL alt='x'></picture>",
        "<p><img src=\"URL2\"><img src=\"URL\" alt='x'><img src=\"URL\" class=b></p>",
    ]

    init() async throws {
        origin = try await Origin.start()
        for (index, name) in ["first", "second", "new"].enumerated() {
            origin["/\(name).jpg"] = .init(
                try Pictures.photo(width: 900, height: 600, seed: UInt64(index + 1)))
        }
    }

    private func page(_ page: String) -> String {
        let page = page.replacing("URL2", with: origin.url + "/second.jpg")
        return styles + page.replacing("URL", with: origin.url + "/first.jpg")
    }

    /// A page whose last `src` of the first photograph is another one.
    private func withNewPhoto(_ page: String) throws -> String {
        let pattern = try Regex("src=[\"']?(imgbake/first-[^\"' >]+|http[^\"' >]+/first.jpg)")
        let found = try #require(page.ranges(of: pattern).last)
        let old = try #require(
            page[found].split(separator: "=").last?.trimmingPrefix { "\"'".contains($0) })
        return page.replacingCharacters(
            in: old.startIndex..<old.endIndex, with: origin.url + "/new.jpg")
    }

    @Test(arguments: [srcset, formats], pages)
    func imageWithAnotherURLIsShownAsIfItWereNew(options: [String], text: String) async throws {
        let site = try TestSite(["a.html": page(text)])
        #expect(try await site.start(options).result().exitCode == 0)
        let new = try withNewPhoto(page(text))
        try site.folder.write(try withNewPhoto(site.text("a.html")), to: "site/a.html")
        let result = try await site.start(options).result()
        #expect(result.exitCode == 0, "\(result.errors)")
        let fresh = try TestSite(["a.html": new])
        #expect(try await fresh.start(options).result().exitCode == 0)
        #expect(try site.text("a.html") == fresh.text("a.html"))
        let again = try await site.start(options).result()
        #expect(again.exitCode == 0, "\(again.errors)")
        #expect(try site.text("a.html") == fresh.text("a.html"))
        let restore = try await site.run("restore", "site", "--json")
        #expect(try restore.json["left"] as? Int == 0)
        #expect(try site.text("a.html") == new)
    }

    @Test(arguments: [srcset, formats])
    func imageWithAnotherTextIsRestored(options: [String]) async throws {
        for (index, text) in Self.pages.enumerated() where text.contains("alt='x'") {
            let site = try TestSite(["a.html": page(text)])
            #expect(try await site.start(options).result().exitCode == 0)
            func edited(_ page: String) -> String { page.replacing("alt='x'", with: "alt='other'") }
            try site.folder.write(edited(site.text("a.html")), to: "site/a.html")
            let restore = try await site.run("restore", "site", "--json")
            #expect(restore.exitCode == 0, "page \(index): \(restore.errors)")
            #expect(try restore.json["left"] as? Int == 0)
            #expect(try site.text("a.html") == edited(page(text)))
        }
    }

    @Test func sourceThatTheAuthorHasChangedIsLeft() async throws {
        let site = try TestSite(["a.html": page(Self.pages[0])])
        #expect(try await site.start(Self.formats).result().exitCode == 0)
        let edited = try site.text("a.html").replacing(
            " type=\"image/webp\"", with: " type=\"image/webp\" media=\"screen\"")
        try site.folder.write(edited, to: "site/a.html")
        let restore = try await site.run("restore", "site", "--json")
        #expect(restore.exitCode == 1)
        #expect(try restore.json["left"] as? Int != 0)
        #expect(try site.text("a.html") == edited)
        #expect(try await site.start(Self.formats).result().exitCode == 0)
        #expect(try site.text("a.html") == edited)
    }

    /// What an author does with an image for a while, and how to undo it.
    static let hidings: [(String, String)] = [
        ("<p><img", "<p><!-- <img"), ("<img src", "<img data-imgbake=off src"),
        ("<img src", "<img data-orig"), ("<p><img", "<script type=text/template><img"),
    ]

    @Test(arguments: hidings)
    func hiddenImageKeepsItsURL(shown: String, hidden: String) async throws {
        let text = page("<p><img src=\"URL\" alt='x'></p>-->")
        let site = try TestSite(["a.html": text])
        #expect(try await site.start([]).result().exitCode == 0)
        let more = "<img src=\"\(origin.url)/new.jpg\">"
        try site.folder.write(
            site.text("a.html").replacing(shown, with: hidden, maxReplacements: 1) + more,
            to: "site/a.html")
        #expect(try await site.start([]).result().exitCode == 0)
        let early = try await site.run("restore", "site", "--dry-run", "--json")
        #expect(early.exitCode == 1)
        #expect(try early.json["left"] as? Int == 1)
        try site.folder.write(
            site.text("a.html").replacing(hidden, with: shown, maxReplacements: 1),
            to: "site/a.html")
        let restore = try await site.run("restore", "site", "--json")
        #expect(restore.exitCode == 0, "\(restore.errors)")
        #expect(try site.text("a.html") == text + more)
        #expect(!site.folder.exists("site/imgbake"))
    }

    @Test func missingImageIsMadeAgainAfterAnyNumberOfBakes() async throws {
        let site = try TestSite(["a.html": page("<p><img src=\"URL\">")])
        for _ in 0..<3 { #expect(try await site.start([]).result().exitCode == 0) }
        let images = try site.images()
        for name in images {
            try FileManager.default.removeItem(atPath: site.folder.path("site/imgbake/" + name))
        }
        #expect(try await site.start([]).result().exitCode == 0)
        #expect(try site.images() == images)
    }

    @Test(arguments: [srcset, formats])
    func overridesComeBackInAnEditedDocument(options: [String]) async throws {
        let text = page("<p><img src=\"URL\" data-imgbake-quality=60 alt='x'>")
        let site = try TestSite(["a.html": text])
        #expect(try await site.start(options).result().exitCode == 0)
        try site.folder.write("<!doctype html>\n" + site.text("a.html"), to: "site/a.html")
        let restore = try await site.run("restore", "site", "--json")
        #expect(restore.exitCode == 0, "\(restore.errors)")
        #expect(try site.text("a.html") == "<!doctype html>\n" + text)
    }
}
