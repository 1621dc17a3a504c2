import Glibc
import SystemPackage
import TestSupport
import Testing

@testable import Files

@Suite struct AtomicFileTests {
    @Test func keepsOldContentUntilCommit() throws {
        let folder = try TemporaryDirectory()
        try folder.write("old", to: "a")
        let file = try AtomicFile(folder.path("a"))
        try file.write("new".utf8)
        #expect(try folder.text("a") == "old")
        try file.commit()
        #expect(try folder.contents() == ["a": Array("new".utf8)])
    }

    @Test func leavesNoFileWithoutCommit() throws {
        let folder = try TemporaryDirectory()
        try folder.write("old", to: "a")
        do {
            let file = try AtomicFile(folder.path("a"))
            try file.write("new".utf8)
            #expect(try folder.files().count == 2)
        }
        #expect(try folder.contents() == ["a": Array("old".utf8)])
    }

    @Test func failedCommitNamesFileAndLeavesNothing() throws {
        let folder = try TemporaryDirectory()
        try makeFolders(folder.path("a"))
        let path = folder.path("a")
        #expect(throws: FileError("write", path, code: .isDirectory)) {
            try AtomicFile(path).commit()
        }
        #expect(try folder.files().isEmpty)
    }

    @Test func reportsMissingFolderWithFinalPath() throws {
        let folder = try TemporaryDirectory()
        let path = folder.path("none/a")
        #expect(throws: FileError("write", path, code: .noSuchFileOrDirectory)) {
            _ = try AtomicFile(path)
        }
    }

    @Test(arguments: [0o600, 0o666, 0o751] as [mode_t])
    func setsExactPermissions(mode: mode_t) throws {
        let folder = try TemporaryDirectory()
        try AtomicFile(folder.path("a"), mode: mode).commit()
        #expect(FileStatus(folder.path("a"))?.mode == mode)
    }

    @Test func usesDefaultModeOfNewFiles() throws {
        let folder = try TemporaryDirectory()
        try writeNewFile("", to: folder.path("other"))
        try AtomicFile(folder.path("a")).commit()
        #expect(FileStatus(folder.path("a"))?.mode == FileStatus(folder.path("other"))?.mode)
    }

    @Test func replacesLinkAndKeepsTarget() throws {
        let folder = try TemporaryDirectory()
        try folder.write("target", to: "target")
        symlink("target", folder.path("a"))
        let file = try AtomicFile(folder.path("a"))
        try file.write("new".utf8)
        try file.commit()
        #expect(FileStatus(folder.path("a"))?.kind == .file)
        #expect(try folder.text("target") == "target")
    }

    @Test func copiesBytesAndTimeOfSource() throws {
        let folder = try TemporaryDirectory()
        let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        try folder.write(bytes, to: "source")
        var times = [timespec(tv_sec: 1_000, tv_nsec: 5), timespec(tv_sec: 2_000, tv_nsec: 7)]
        utimensat(AT_FDCWD, folder.path("source"), &times, 0)
        let status = try #require(FileStatus(folder.path("source")))
        let file = try AtomicFile(folder.path("a"))
        try file.write(contentsOf: folder.path("source"))
        file.setModified(status)
        try file.commit()
        #expect(try folder.bytes("a") == bytes)
        #expect(FileStatus(folder.path("a"))?.isSameVersion(as: status) == true)
    }

    /// The kernel cannot copy this file by itself.
    @Test func copiesFileWithoutHelpOfKernel() throws {
        let folder = try TemporaryDirectory()
        let file = try AtomicFile(folder.path("a"))
        try file.write(contentsOf: "/proc/self/cmdline")
        try file.commit()
        #expect(try folder.bytes("a") == readFile("/proc/self/cmdline").bytes)
    }

    @Test func copiesNoTargetOfLink() throws {
        let folder = try TemporaryDirectory()
        symlink("/proc/self/cmdline", folder.path("link"))
        let file = try AtomicFile(folder.path("a"))
        #expect(throws: FileError.self) { try file.write(contentsOf: folder.path("link")) }
    }

    @Test func removesOnlyAbandonedFilesAndLinks() throws {
        let folder = try TemporaryDirectory()
        for name in [".imgbake-ab12-1", ".imgbake", ".imgbake-notes", "a"] {
            try folder.write("x", to: name)
        }
        symlink("a", folder.path(".imgbake-ab12-2"))
        let file = try AtomicFile(folder.path("busy"))
        removeAbandonedFiles(in: folder.path)
        #expect(!folder.exists(".imgbake-ab12-1"))
        #expect(FileStatus(folder.path(".imgbake-ab12-2")) == nil)
        try file.commit()
        #expect(try folder.files() == [".imgbake", ".imgbake-notes", "a", "busy"])
    }

    @Test func temporaryNamesAreRecognizedAndUnique() {
        let paths = (0..<100).map { _ in temporaryNeighbour(of: "/folder/page.html") }
        #expect(Set(paths).count == 100)
        #expect(paths.allSatisfy { $0.hasPrefix("/folder/") })
        #expect(paths.allSatisfy { isTemporaryName(String($0.dropFirst("/folder/".count))) })
        #expect(isTemporaryName(temporaryNeighbour(of: "page.html")))
    }
}
