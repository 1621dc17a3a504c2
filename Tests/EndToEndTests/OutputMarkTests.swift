import Foundation
import Glibc
import TestSupport
import Testing

/// What a bake may replace in its output folder.
@Suite(.timeLimit(.minutes(10))) struct OutputMarkTests {
    private let files = ["a.html": "new", "b/c.txt": "new"]

    private func expectRefusal(_ result: CommandResult) {
        #expect(result.exitCode == 2)
        #expect(result.errors.hasPrefix("imgbake: error: "), "\(result.errors)")
    }

    @Test(arguments: ["site", "site/", "./site/../site", "link"])
    func outputThatIsTheSiteIsBadUsage(output: String) async throws {
        let site = try TestSite(files)
        let linked = try await Command.run(
            "/bin/ln", ["-s", "site", "link"], directory: site.folder.path)
        #expect(linked.exitCode == 0)
        let before = try site.folder.contents(below: "site")
        expectRefusal(try await site.bake("-o", output))
        #expect(try site.folder.contents(below: "site") == before)
    }

    @Test(arguments: [[], ["--dry-run"]])
    func folderOfOthersIsKeptWithoutForce(options: [String]) async throws {
        let site = try TestSite(files)
        try site.folder.write("mine", to: "public/a.html")
        try site.folder.write("mine", to: "public/mine.txt")
        let before = try site.folder.contents(below: "public")
        let refused = try await site.start(["-o", "public"] + options).result()
        expectRefusal(refused)
        #expect(refused.errors.contains("--force"))
        #expect(try site.folder.contents(below: "public") == before)
        let forced = try await site.start(["-o", "public", "--force"] + options).result()
        #expect(forced.exitCode == 0, "\(forced.errors)")
        #expect(try site.folder.text("public/a.html") == (options.isEmpty ? "new" : "mine"))
        #expect(try site.folder.text("public/mine.txt") == "mine")
    }

    @Test func emptyFoldersAndFoldersOfVersionControlAreTaken() async throws {
        let site = try TestSite(files)
        for entry in ["empty/x", "worktree/.git", "repository/.git/config"] {
            try site.folder.write("", to: entry)
        }
        #expect(unlink(site.folder.path("empty/x")) == 0)
        for output in ["empty", "worktree", "repository", "missing/deep"] {
            let result = try await site.bake("-o", output)
            #expect(result.exitCode == 0, "\(result.errors)")
            #expect(try site.folder.text("\(output)/b/c.txt") == "new")
        }
    }

    @Test func laterBakesReplaceOnlyTheirOwnFiles() async throws {
        let site = try TestSite(files)
        #expect(try await site.bake("-o", "public").exitCode == 0)
        try site.restore(["a.html": "newer", "CNAME": "example.org", "b/new\nline #%.txt": "x"])
        #expect(try await site.bake("-o", "public").exitCode == 0)
        #expect(try site.folder.text("public/a.html") == "newer")

        try site.folder.write("mine", to: "public/robots.txt")
        #expect(try await site.bake("-o", "public").exitCode == 0)
        try site.restore(["robots.txt": "x", "a.html": "newest", "b/new\nline #%.txt": "y"])
        let refused = try await site.bake("-o", "public")
        expectRefusal(refused)
        #expect(refused.errors.contains("public/robots.txt,"), "\(refused.errors)")
        #expect(try site.folder.text("public/robots.txt") == "mine")
        #expect(try site.folder.text("public/a.html") == "newer")

        #expect(try await site.bake("-o", "public", "--force").exitCode == 0)
        try site.restore(["robots.txt": "y"])
        #expect(try await site.bake("-o", "public").exitCode == 0)
        #expect(try site.folder.text("public/robots.txt") == "y")
        #expect(try site.folder.text("public/a.html") == "newest")
    }

    @Test func fileOfTheSiteThatIsGoneStaysTheBakes() async throws {
        let site = try TestSite(files)
        #expect(try await site.bake("-o", "public").exitCode == 0)
        #expect(unlink(site.folder.path("site/b/c.txt")) == 0)
        #expect(try await site.bake("-o", "public").exitCode == 0)
        try site.restore(files)
        let result = try await site.bake("-o", "public")
        #expect(result.exitCode == 0, "\(result.errors)")
    }

    @Test(arguments: [("a", "a/index.html"), ("a/index.html", "a"), ("a/b/c.txt", "a")])
    func pathMayBecomeAFolderOrAFile(old: String, new: String) async throws {
        let site = try TestSite(["x.html": "x", old: "old"])
        #expect(try await site.bake("-o", "public").exitCode == 0)
        try FileManager.default.removeItem(atPath: site.folder.path("site/a"))
        try site.restore([new: "new"])
        for _ in 1...2 {
            let result = try await site.bake("-o", "public")
            #expect(result.exitCode == 0, "\(result.errors)")
            #expect(try site.folder.text("public/" + new) == "new")
        }
        #expect(try !site.folder.text("public/.imgbake-output").contains(old + "\n"))
    }

    @Test func folderWithOtherFilesIsNamedAndStays() async throws {
        let site = try TestSite(["x.html": "x", "a/b.txt": "old"])
        #expect(try await site.bake("-o", "public").exitCode == 0)
        try site.folder.write("mine", to: "public/a/mine.txt")
        try FileManager.default.removeItem(atPath: site.folder.path("site/a"))
        try site.restore(["x.html": "newer", "a": "new"])
        let result = try await site.bake("-o", "public")
        #expect(result.exitCode == 1)
        #expect(try result.diagnostics.map(\.summary) == ["error site/a unwritable-file"])
        #expect(try result.diagnostics.first?.reason.contains("public/a:") == true)
        #expect(try site.folder.text("public/a/mine.txt") == "mine")
        #expect(try site.folder.text("public/a/b.txt") == "old")
        #expect(try site.folder.text("public/x.html") == "newer")
    }

    @Test func markIsNeitherCopiedNorTakenForADocument() async throws {
        let site = try TestSite(files)
        #expect(try await site.bake("-o", "first").exitCode == 0)
        let again = try await site.start(command: "first", ["-o", "second"]).result()
        #expect(again.exitCode == 0, "\(again.errors)")
        #expect(try again.diagnostics == [])
        #expect(
            try site.folder.contents(below: "first") == site.folder.contents(below: "second"))
    }
}
