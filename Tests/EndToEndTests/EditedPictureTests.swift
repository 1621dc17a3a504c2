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
}
