import Foundation
import TestSupport
import Testing

/// Symbolic links of a site, in a copy of it.
@Suite(.timeLimit(.minutes(10))) struct SiteLinkTests {
    private func link(_ site: TestSite, _ path: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: site.folder.path("site/" + path), withDestinationPath: target)
    }

    private func target(_ site: TestSite, _ path: String) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: site.folder.path("out/" + path))
    }

    private func makeSite() throws -> TestSite {
        let site = try TestSite([
            "index.html": "<p>Hello", "pages/a.html": "<p>A", "files/x.txt": "inside",
        ])
        try site.folder.write("outside", to: "secret.txt")
        try site.folder.write("outside", to: "private/deep.txt")
        return site
    }

    /// All ways out of the site.
    private func outer(_ site: TestSite) -> [String: String] {
        [
            "passwd": "/etc/passwd", "environment": "/proc/self/environ", "root": "/",
            "secret": "../secret.txt", "pages/deep": "../../private/deep.txt",
            "folder": "../private", "missing": "/nowhere/at/all", "gone": "../nothing",
            "chain": "secret", "pages/loopback": "../../site/../secret.txt", "above": "..",
        ]
    }

    @Test func linksOutOfTheSiteAreNamedAndLeftOut() async throws {
        let site = try makeSite()
        for (path, target) in outer(site) { try link(site, path, to: target) }
        let result = try await site.bake("-o", "out", "--json")
        #expect(result.exitCode == 0)
        for path in outer(site).keys {
            #expect(target(site, path) == nil, "\(path)")
            #expect(!FileManager.default.fileExists(atPath: site.folder.path("out/" + path)))
        }
        let told = try result.diagnostics
        #expect(told.allSatisfy { $0.code == "link-left-out" && $0.severity == .warning })
        #expect(told.compactMap(\.place).sorted() == outer(site).keys.map { "site/" + $0 }.sorted())
    }

    /// The copy works without the site that it was made of.
    @Test func linksWithinTheSiteWorkInTheCopy() async throws {
        let site = try makeSite()
        let links = [
            "plain": "files/x.txt", "pages/up": "../files/x.txt", "chain": "pages/up",
            "dir": "files", "pages/around": "../../site/files/x.txt",
            "absolute": site.folder.path("site/files/x.txt"), "self": ".",
        ]
        for (path, target) in links { try link(site, path, to: target) }
        try link(site, "circle", to: "circle2")
        try link(site, "circle2", to: "circle")
        try link(site, "later", to: "files/not-yet.txt")
        let result = try await site.bake("-o", "out")
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(!result.errors.contains("link-left-out"), "\(result.errors)")
        try FileManager.default.removeItem(atPath: site.folder.path("site"))
        for path in ["plain", "pages/up", "chain", "dir/x.txt", "pages/around", "absolute"] {
            #expect(try site.folder.text("out/" + path) == "inside", "\(path)")
        }
        #expect(target(site, "plain") == "files/x.txt")
        #expect(target(site, "chain") == "pages/up")
        #expect(target(site, "circle") == "circle2")
        #expect(target(site, "later") == "files/not-yet.txt")
    }

    @Test func earlierCopyOfSuchALinkIsRemoved() async throws {
        let site = try makeSite()
        try link(site, "passwd", to: "files/x.txt")
        _ = try await site.bake("-o", "out")
        #expect(target(site, "passwd") == "files/x.txt")
        try FileManager.default.removeItem(atPath: site.folder.path("site/passwd"))
        try link(site, "passwd", to: "/etc/passwd")
        _ = try await site.bake("-o", "out")
        #expect(target(site, "passwd") == nil)
    }

    @Test func copyOfAFileThatBecameSuchALinkIsRemoved() async throws {
        let site = try makeSite()
        #expect(try await site.bake("-o", "out").exitCode == 0)
        try FileManager.default.removeItem(atPath: site.folder.path("site/files/x.txt"))
        try link(site, "files/x.txt", to: "../../secret.txt")
        #expect(try await site.bake("-o", "out").exitCode == 0)
        #expect(!FileManager.default.fileExists(atPath: site.folder.path("out/files/x.txt")))
        // A file that the user puts there instead is not the bake's.
        try site.folder.write("mine", to: "out/files/x.txt")
        #expect(try await site.bake("-o", "out").exitCode == 0)
        #expect(try site.folder.text("out/files/x.txt") == "mine")
    }

    @Test func documentsAreNotReadThroughLinks() async throws {
        let origin = try await Origin.start()
        let site = try makeSite()
        try site.folder.write("<img src='\(origin.url)/a.png'>", to: "private/page.html")
        try link(site, "page.html", to: "../private/page.html")
        try link(site, "more", to: "../private")
        for command in [
            ["site"], ["site", "-o", "out"], ["check", "site"], ["site", "--dry-run"],
        ] {
            let result = try await Command.run(
                Command.built("imgbake"), command, environment: site.environment,
                directory: site.folder.path)
            #expect(result.exitCode == 0, "\(result.errors)")
        }
        #expect(origin.requestCount == 0)
        #expect(try site.folder.text("private/page.html").contains(origin.url))
    }
}
