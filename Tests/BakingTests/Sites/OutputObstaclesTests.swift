import Files
import Glibc
import TestSupport
import Testing

@testable import Baking
@testable import Sites

/// A bake replaces files of earlier bakes by folders, and folders by files.
@Suite struct OutputObstaclesTests {
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
    }

    private func makeFiles(_ paths: [String]) throws {
        for path in paths { try folder.write("x", to: path) }
    }

    private func remove(before written: [String], earlier: Set<String>) {
        OutputObstacles(in: folder.path, of: written, earlier: earlier).remove()
    }

    @Test func fileGivesWayToFolder() throws {
        try makeFiles(["a", "b/c", "b/d"])
        remove(before: ["a/index.html", "b/c/d/x.css"], earlier: ["a", "b/c", "b/d"])
        #expect(try folder.files() == ["b/d"])
    }

    @Test func folderGivesWayToFile() throws {
        try makeFiles(["a/index.html", "a/b/c/d.txt", "e/f"])
        remove(before: ["a"], earlier: ["a/index.html", "a/b/c/d.txt", "a/gone.txt", "e/f"])
        #expect(FileStatus(folder.path("a")) == nil)
        #expect(try folder.files() == ["e/f"])
    }

    @Test func linkGivesWayToFolderAndItsTargetStays() throws {
        try makeFiles(["b/x.html"])
        symlink("b", folder.path("a"))
        remove(before: ["a/x.html", "b/x.html"], earlier: ["a"])
        #expect(FileStatus(folder.path("a")) == nil)
        #expect(try folder.files() == ["b/x.html"])
    }

    @Test func whatIsNotInTheWayStays() throws {
        let files = ["a.html", "a/b.txt", "old/x"]
        try makeFiles(files)
        remove(before: ["a/index.html", "new/x"], earlier: Set(files))
        #expect(try folder.files() == files)
    }

    @Test(arguments: ["a/mine.txt", "a/b/c/mine.txt", "a/.git/config", "a/.imgbake-images"])
    func folderWithAnyOtherFileStays(other: String) throws {
        try makeFiles(["a/b/c/d.txt", other])
        remove(before: ["a"], earlier: ["a/b/c/d.txt"])
        #expect(try folder.files() == ["a/b/c/d.txt", other].sorted())
    }

    @Test(arguments: ["a/.git/config", "a/.imgbake-images"])
    func listedFileThatNoBakeWritesStays(path: String) throws {
        try makeFiles([path])
        remove(before: ["a"], earlier: [path])
        #expect(try folder.files() == [path])
    }

    @Test func copyOfAFileThatBecameALinkOutOfTheSiteIsRemoved() throws {
        try makeFiles(["a", "b/c", "b/mine", "d/e"])
        symlink("b", folder.path("link"))
        OutputObstacles(
            in: folder.path, of: ["x"], earlier: ["a", "b/c", "d/e", "link/c", "link"],
            leftOut: ["a", "b/mine", "d", "link/c", "link"]
        ).remove()
        #expect(FileStatus(folder.path("link")) == nil)
        #expect(try folder.files() == ["b/c", "b/mine", "d/e"])
    }

    @Test func otherFileAndLinkStay() throws {
        try makeFiles(["a", "c/x"])
        symlink("c", folder.path("b"))
        remove(before: ["a/x", "b/y"], earlier: ["old"])
        #expect(folder.exists("a"))
        #expect(FileStatus(folder.path("b"))?.kind == .link)
    }

    /// The two Unicode forms of `é` name two files.
    @Test func otherFormOfANameStays() throws {
        try OutputFolder(folder.path).write([1], to: "a/e\u{301}.txt", mode: 0o644)
        remove(before: ["a"], earlier: ["a/\u{E9}.txt"])
        #expect(try folder.files().count == 1)
    }

    @Test func nothingIsRemovedThroughALink() throws {
        try makeFiles(["real/a", "real/b/x"])
        symlink("real", folder.path("link"))
        remove(before: ["link/a/x", "link/b"], earlier: ["link/a", "link/b/x"])
        #expect(folder.exists("real/a") && folder.exists("real/b/x"))
    }

    @Test func abandonedTemporaryFileKeepsNoFolder() throws {
        try makeFiles(["a/x", "a/.imgbake-ab12-1"])
        remove(before: ["a"], earlier: ["a/x"])
        #expect(FileStatus(folder.path("a")) == nil)
    }
}
