import Documents
import Files
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import Baking
@testable import Sites

@Suite struct SiteScanTests {
    private func scan(_ folder: TemporaryDirectory, skipping: Set<String> = []) -> SiteScan.Result {
        SiteScan(root: folder.path, skipped: skipping).run()
    }

    @Test func findsDocumentsInOrderOfPaths() throws {
        let folder = try TemporaryDirectory()
        for path in ["b.html", "a/z.MD", "a/b/c.markdown", "a.css", "a/x.htm", "x.png", "md"] {
            try folder.write("x", to: path)
        }
        let files = scan(folder).files
        #expect(
            files.map(\.path) == [
                "a.css", "a/b/c.markdown", "a/x.htm", "a/z.MD", "b.html", "md", "x.png",
            ])
        #expect(files.filter(\.isDocument).map(\.path).last == "b.html")
        #expect(files.first?.role == .document(.css))
        #expect(files[1].role == .document(.markdown))
        #expect(files[2].role == .document(.html))
    }

    @Test func listsButDoesNotReadHiddenFolders() throws {
        let folder = try TemporaryDirectory()
        try folder.write("x", to: ".well-known/deep/a.html")
        try folder.write("x", to: ".page.html")
        #expect(
            scan(folder).files.map { [$0.path, "\($0.isDocument)"] }
                == [[".page.html", "true"], [".well-known/deep/a.html", "false"]])
    }

    @Test(arguments: [".git", ".hg", ".svn", "node_modules"])
    func ignoresFoldersOutsideTheSite(name: String) throws {
        let folder = try TemporaryDirectory()
        try folder.write("x", to: "\(name)/a.html")
        try folder.write("x", to: "sub/\(name)/a.html")
        #expect(scan(folder).files.isEmpty)
    }

    @Test func ignoresSkippedFolders() throws {
        let folder = try TemporaryDirectory()
        try folder.write("x", to: "public/a.html")
        try folder.write("x", to: "publicity/a.html")
        let found = scan(folder, skipping: [folder.path("public")]).files
        #expect(found.map(\.path) == ["publicity/a.html"])
    }

    @Test func doesNotFollowLinks() throws {
        let folder = try TemporaryDirectory()
        let outside = try TemporaryDirectory()
        try outside.write("x", to: "a.html")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("link"), withDestinationPath: outside.path)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("page.html"), withDestinationPath: outside.path("a.html"))
        #expect(scan(folder).files.map(\.role) == [.link, .link])
    }

    @Test func ignoresTemporaryFiles() throws {
        let folder = try TemporaryDirectory()
        try folder.write("x", to: ".imgbake-123-4")
        try folder.write("x", to: ".imgbake-notes.html")
        #expect(scan(folder).files.map(\.path) == [".imgbake-notes.html"])
    }

    @Test(.enabled(if: geteuid() != 0, "root reads every folder"))
    func reportsUnreadableFolderAndListsTheRest() throws {
        let folder = try TemporaryDirectory()
        try folder.write("x", to: "closed/a.html")
        try folder.write("x", to: "open/a.html")
        chmod(folder.path("closed"), 0)
        defer { chmod(folder.path("closed"), 0o755) }
        let result = scan(folder)
        #expect(result.files.map(\.path) == ["open/a.html"])
        #expect(result.errors.map(\.path) == [folder.path("closed")])
    }

    @Test func reportsNameThatIsNotUTF8() async throws {
        let folder = try TemporaryDirectory()
        let script = "touch \"$(printf '\\377')\""
        let made = try await Command.run("/bin/sh", ["-c", script], directory: folder.path)
        #expect(made.exitCode == 0)
        #expect(scan(folder).errors.map(\.cause) == [.system(.illegalByteSequence)])
    }

    @Test func cancellationEndsScan() async throws {
        let folder = try TemporaryDirectory()
        try folder.write("x", to: "a.md")
        let root = folder.path
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return SiteScan(root: root).run().files.count
        }
        #expect(await task.value == 0)
        #expect(scan(folder).files.map(\.path) == ["a.md"])
    }

    @Test func skipsFolderByAnyPath() throws {
        let folder = try TemporaryDirectory()
        for path in ["out/a.md", "b/c.md"] { try folder.write("x", to: path) }
        let found = scan(folder, skipping: [folder.path("b/../out/.")])
        #expect(found.files.map(\.path) == ["b/c.md"])
    }
}
