import Glibc
import SystemPackage
import TestSupport
import Testing

@testable import Files

@Suite struct FolderTests {
    @Test func createsParentsAndKeepsExistingFolders() throws {
        let folder = try TemporaryDirectory()
        try makeFolders(folder.path("a/b/c"))
        try folder.write("x", to: "a/b/c/file")
        try makeFolders(folder.path("a/b/c"))
        #expect(try folder.files() == ["a/b/c/file"])
    }

    @Test func createsParentsOfNamesThatBeginWithACombiningMark() throws {
        let folder = try TemporaryDirectory()
        try makeFolders(folder.path("a/\u{301}b/\u{301}c"))
        try folder.write("x", to: "a/\u{301}b/\u{301}c/file")
        #expect(try folder.files() == ["a/\u{301}b/\u{301}c/file"])
    }

    @Test(arguments: [
        ("a/b/c", "a/b", "c"), ("a", ".", "a"), ("/a", "/", "a"), ("a/", "a", ""), ("/", "/", ""),
        ("a/\u{301}b", "a", "\u{301}b"), ("/\u{301}b", "/", "\u{301}b"), (".", ".", "."),
    ])
    func pathsHaveAFolderAndAName(path: String, folder: String, name: String) {
        let parts = folderAndName(of: path)
        #expect(parts.folder == folder && parts.name == name)
    }

    @Test(arguments: ["link", "link/below"])
    func reportsDanglingLink(path: String) throws {
        let folder = try TemporaryDirectory()
        symlink("nowhere", folder.path("link"))
        #expect(throws: FileError("make the folder", folder.path("link"), .danglingLink)) {
            try makeFolders(folder.path(path))
        }
    }

    @Test(arguments: ["file", "file/below"])
    func reportsFileInPlaceOfFolder(path: String) throws {
        let folder = try TemporaryDirectory()
        try folder.write("x", to: "file")
        #expect(throws: FileError("make the folder", folder.path("file"), .notAFolder)) {
            try makeFolders(folder.path(path))
        }
    }

    @Test func removesFolderWithoutFollowingLinks() throws {
        let folder = try TemporaryDirectory()
        try folder.write("x", to: "a/file")
        try folder.write("x", to: "b/inner/file")
        symlink("a", folder.path("link"))
        symlink("../../a", folder.path("b/inner/link"))
        removeFolder(folder.path("link"))
        removeFolder(folder.path("b"))
        #expect(folder.exists("a/file"))
        #expect(!folder.exists("b"))
        removeFolder(folder.path("a"))
        #expect(!folder.exists("a"))
    }

    @Test func readsKindOfEachEntry() throws {
        let folder = try TemporaryDirectory()
        try folder.write("x", to: "file")
        try makeFolders(folder.path("folder"))
        symlink("file", folder.path("link"))
        var kinds: [String: FileStatus.Kind] = [:]
        try forEachEntry(ofFolder: folder.path) { kinds[$0.name] = $0.kind }
        #expect(kinds == ["file": .file, "folder": .folder, "link": .link])
    }

    @Test func keepsInvalidNameAsBytes() throws {
        let folder = try TemporaryDirectory()
        let path = folder.path("").utf8.map { CChar(bitPattern: $0) } + [0x61, -1, 0]
        close(open(path, O_WRONLY | O_CREAT, 0o600))
        var entries: [FolderEntry] = []
        try forEachEntry(ofFolder: folder.path) { entries.append($0) }
        #expect(entries.map(\.invalidName) == [[0x61, 0xFF]])
        unlink(path)
    }

    @Test func missingFolderHasNoNames() throws {
        let folder = try TemporaryDirectory()
        #expect(namesInFolder(folder.path("none")).isEmpty)
        #expect(
            throws: FileError("read the folder", folder.path("none"), code: .noSuchFileOrDirectory)
        ) { try forEachEntry(ofFolder: folder.path("none")) { _ in } }
    }

    @Test(arguments: [
        ("/a/b", "/a", true), ("/a", "/a", true), ("/ab", "/a", false), ("/a", "/", true),
        ("/b/a", "/a", false),
    ])
    func recognizesPathsWithinFolder(path: String, folder: String, isWithin: Bool) {
        #expect(isPath(path, within: folder) == isWithin)
    }

    @Test func resolvesLinks() throws {
        let folder = try TemporaryDirectory()
        try folder.write("x", to: "a/file")
        symlink("a", folder.path("link"))
        #expect(resolvedPath(folder.path("link/file")) == folder.path("a/file"))
        #expect(resolvedPath(folder.path("link/none")) == nil)
    }
}

@Suite struct FileStatusTests {
    @Test func statusIsEqualUntilFileChanges() throws {
        let folder = try TemporaryDirectory()
        try folder.write("one", to: "a")
        let before = try #require(FileStatus(folder.path("a")))
        #expect(FileStatus(folder.path("a")) == before)
        try folder.write("three", to: "a")
        #expect(FileStatus(folder.path("a")) != before)
    }

    @Test func oldTimeHidesNoChange() async throws {
        let folder = try TemporaryDirectory()
        try folder.write("one", to: "a")
        let before = try #require(FileStatus(folder.path("a")))
        // A change in the same tick would not show.
        try await Task.sleep(for: .milliseconds(40))
        try folder.write("two", to: "a")
        touchFile(folder.path("a"), modified: before)
        let after = try #require(FileStatus(folder.path("a")))
        #expect(after.isSameVersion(as: before))
        #expect(after != before)
    }

    @Test func distinguishesFilesOfSameSizeAndTime() throws {
        let folder = try TemporaryDirectory()
        var times = [timespec(tv_sec: 1_000, tv_nsec: 0), timespec(tv_sec: 1_000, tv_nsec: 0)]
        for name in ["a", "b"] {
            try folder.write("one", to: name)
            utimensat(AT_FDCWD, folder.path(name), &times, 0)
        }
        let (a, b) = (FileStatus(folder.path("a")), FileStatus(folder.path("b")))
        #expect(try #require(a).isSameVersion(as: #require(b)))
        #expect(a != b)
    }

    @Test func followsLinksOnlyOnRequest() throws {
        let folder = try TemporaryDirectory()
        try folder.write("one", to: "a")
        symlink("a", folder.path("link"))
        symlink("none", folder.path("dangling"))
        #expect(FileStatus(folder.path("link"))?.kind == .link)
        #expect(fileSize(folder.path("link")) == nil)
        #expect(FileStatus(folder.path("link"), followingLinks: true)?.kind == .file)
        #expect(FileStatus(folder.path("dangling"))?.kind == .link)
        #expect(FileStatus(folder.path("dangling"), followingLinks: true) == nil)
    }
}
