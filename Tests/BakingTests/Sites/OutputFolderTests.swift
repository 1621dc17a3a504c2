import FetchCache
import Files
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import Baking
@testable import Reports
@testable import Sites

@Suite struct OutputFolderTests {
    @Test func writesFileAtomically() throws {
        let folder = try TemporaryDirectory()
        let output = try OutputFolder(folder.path("out/deep"))
        try output.write(Array("hello".utf8), to: "a/b.html", mode: 0o640)
        #expect(try folder.contents() == ["out/deep/a/b.html": Array("hello".utf8)])
        #expect(FileStatus(folder.path("out/deep/a/b.html"))?.mode == 0o640)
    }

    @Test func doesNotRewriteEqualBytes() throws {
        let folder = try TemporaryDirectory()
        let output = try OutputFolder(folder.path)
        try output.write(Array("hello".utf8), to: "a.html", mode: 0o644)
        let before = FileStatus(folder.path("a.html"))
        try output.write(Array("hello".utf8), to: "a.html", mode: 0o644)
        #expect(FileStatus(folder.path("a.html")) == before)
        try output.write(Array("jello".utf8), to: "a.html", mode: 0o644)
        #expect(try folder.text("a.html") == "jello")
    }

    /// Another bake into the folder looks for links that a killed one has left.
    @Test func linkIsMadeWhileAnotherBakeRemovesAbandonedLinks() async throws {
        let folder = try TemporaryDirectory()
        let output = try OutputFolder(folder.path)
        let path = folder.path
        let cleaner = Task.detached {
            while !Task.isCancelled { removeAbandonedFiles(in: path) }
        }
        for number in 0..<300 { try output.makeLink(to: "target", at: "link\(number)") }
        cleaner.cancel()
        await cleaner.value
        #expect(try (0..<300).allSatisfy { try readLink(folder.path("link\($0)")) == "target" })
    }

    @Test func copiesFileOnceWithModeAndTime() throws {
        let folder = try TemporaryDirectory()
        try folder.write("#!/bin/sh", to: "in/run")
        chmod(folder.path("in/run"), 0o750)
        let output = try OutputFolder(folder.path("out"))
        #expect(try output.copy(folder.path("in/run"), to: "run"))
        #expect(try !output.copy(folder.path("in/run"), to: "run"))
        #expect(FileStatus(folder.path("out/run"))?.mode == 0o750)
        #expect(try folder.text("out/run") == "#!/bin/sh")
    }

    @Test func copiesChangedSourceAgain() throws {
        let folder = try TemporaryDirectory()
        let output = try OutputFolder(folder.path("out"))
        try folder.write("one", to: "in/a.txt")
        try output.copy(folder.path("in/a.txt"), to: "a.txt")
        try folder.write("three", to: "in/a.txt")
        #expect(try output.copy(folder.path("in/a.txt"), to: "a.txt"))
        #expect(try folder.text("out/a.txt") == "three")
    }

    /// Programs may write other bytes of the same length and set the old time.
    @Test(arguments: [false, true])
    func copiesChangedSourceOfEqualSizeAndTimeAgain(isReplaced: Bool) throws {
        let folder = try TemporaryDirectory()
        let output = try OutputFolder(folder.path("out"))
        let source = folder.path("in/a.txt")
        try folder.write("one", to: "in/a.txt")
        try output.copy(source, to: "a.txt")
        let status = try #require(FileStatus(source))
        try folder.write("two", to: isReplaced ? "in/b.txt" : "in/a.txt")
        if isReplaced { try moveFile(folder.path("in/b.txt"), to: source) }
        touchFile(source, modified: status)
        #expect(try #require(FileStatus(source)).isSameVersion(as: status))
        #expect(try output.copy(source, to: "a.txt"))
        #expect(try folder.text("out/a.txt") == "two")
        #expect(try !output.copy(source, to: "a.txt"))
    }

    @Test func comparesEqualBytesOnce() async throws {
        let folder = try TemporaryDirectory()
        let output = try OutputFolder(folder.path("out"))
        let source = folder.path("in/a.txt")
        try folder.write("one", to: "in/a.txt")
        try output.copy(source, to: "a.txt")
        let copy = try #require(FileStatus(folder.path("out/a.txt")))
        // The status of the source changes, and its bytes do not.
        chmod(source, copy.mode)
        // A change in the same tick would not show.
        try await Task.sleep(for: .milliseconds(40))
        let watch = try OpenedFiles(in: [folder.path("in")])
        #expect(try !output.copy(source, to: "a.txt"))
        #expect(watch.names == ["a.txt"])
        #expect(try !output.copy(source, to: "a.txt"))
        #expect(watch.names.isEmpty)
        let again = try #require(FileStatus(folder.path("out/a.txt")))
        #expect(again.isSameVersion(as: copy) && again.inode == copy.inode)
    }

    @Test func makesLinkOnceUntilItsTargetChanges() throws {
        let folder = try TemporaryDirectory()
        let output = try OutputFolder(folder.path("out"))
        let link = folder.path("out/sub/link")
        try output.makeLink(to: "some/where", at: "sub/link")
        let before = try #require(FileStatus(link))
        try output.makeLink(to: "some/where", at: "sub/link")
        #expect(FileStatus(link) == before)
        try output.makeLink(to: "other", at: "sub/link")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "other")
    }

    @Test func doesNotWriteThroughLinkToOutside() throws {
        let folder = try TemporaryDirectory()
        let outside = try TemporaryDirectory()
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("imgbake"), withDestinationPath: outside.path)
        try folder.write("x", to: "x.png")
        let output = try OutputFolder(folder.path)
        let digest = try BlobDigest.ofFile(folder.path("x.png")).digest
        let error = FileError("write to", folder.path("imgbake"), .linkOutside(root: folder.path))
        for path in ["imgbake/x.png", "imgbake/new/x.png"] {
            #expect(throws: error) {
                try output.place(folder.path("x.png"), digest: digest, at: path)
            }
        }
        #expect(try outside.files().isEmpty)
    }

    @Test(arguments: ["imgbake/x.png", "imgbake/new/x.png"])
    func reportsDanglingLinkToFolder(path: String) throws {
        let folder = try TemporaryDirectory()
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("imgbake"), withDestinationPath: "nowhere")
        #expect(throws: FileError("make the folder", folder.path("imgbake"), .danglingLink)) {
            try OutputFolder(folder.path).write([1], to: path, mode: 0o644)
        }
    }

    @Test(arguments: ["imgbake/x.png", "imgbake/new/x.png"])
    func reportsFileInPlaceOfFolder(path: String) throws {
        let folder = try TemporaryDirectory()
        try folder.write("x", to: "imgbake")
        #expect(throws: FileError("make the folder", folder.path("imgbake"), .notAFolder)) {
            try OutputFolder(folder.path).write([1], to: path, mode: 0o644)
        }
    }

    @Test func followsLinkWithinFolder() throws {
        let folder = try TemporaryDirectory()
        try folder.write("x", to: "real/.keep")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("imgbake"), withDestinationPath: "real")
        try OutputFolder(folder.path).write([1], to: "imgbake/x.png", mode: 0o644)
        #expect(try folder.bytes("real/x.png") == [1])
    }

    @Test func removesOnlyAbandonedTemporaryFiles() throws {
        let folder = try TemporaryDirectory()
        try folder.write("x", to: ".imgbake-ab12-1")
        let file = try AtomicFile(folder.path("busy"), mode: 0o600)
        try OutputFolder(folder.path).write([1], to: "a.html", mode: 0o644)
        #expect(!folder.exists(".imgbake-ab12-1"))
        try file.commit()
        #expect(try folder.files() == ["a.html", "busy"])
    }

    @Test func replacesFileByLink() throws {
        let folder = try TemporaryDirectory()
        try folder.write("x", to: "out/page")
        try OutputFolder(folder.path("out")).makeLink(to: "other", at: "page")
        #expect(
            try FileManager.default.destinationOfSymbolicLink(atPath: folder.path("out/page"))
                == "other")
    }

    @Test func keepsFoldersThatDifferInUnicodeNormalization() throws {
        let folder = try TemporaryDirectory()
        let output = try OutputFolder(folder.path)
        for name in ["\u{E9}", "e\u{301}"] {
            try output.write([1], to: name + "/a.html", mode: 0o644)
        }
        #expect(try folder.files().count == 2)
    }

    @Test func reportsPathOnFullDevice() {
        let problem = FileError("write", "/x", code: .noSpace).problem
        #expect(problem.code == .diskFull)
        #expect(problem.reason.contains("/x"))
    }

    @Test func doesNotStageEqualBytes() throws {
        let folder = try TemporaryDirectory()
        let output = try OutputFolder(folder.path)
        try folder.write("same", to: "a.html")
        let isStaged = try output.stage(Array("same".utf8), to: "a.html", mode: 0o644) != nil
        #expect(!isStaged)
        let isOther = try output.stage(Array("sama".utf8), to: "a.html", mode: 0o644) != nil
        #expect(isOther)
        #expect(try folder.files() == ["a.html"])
    }

    @Test func replacesLinkAndKeepsTarget() throws {
        let folder = try TemporaryDirectory()
        let output = try OutputFolder(folder.path)
        try folder.write("target", to: "real.html")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("a.html"), withDestinationPath: "real.html")
        try output.write(Array("new".utf8), to: "a.html", mode: 0o644)
        #expect(try folder.text("real.html") == "target")
        #expect(FileStatus(folder.path("a.html"))?.kind == .file)
    }

    @Test(arguments: ["a.html", "sub/a.html"])
    func writesToSecondFolder(path: String) throws {
        let folder = try TemporaryDirectory()
        let other = try TemporaryDirectory()
        let both = try OutputFolder(folder.path, and: other.path("project"))
        try both.write([1], to: other.path("project/" + path), mode: 0o644)
        #expect(other.exists("project/" + path))
        #expect(throws: FileError.self) {
            try both.write([1], to: other.path("beside/" + path), mode: 0o644)
        }
        #expect(!other.exists("beside"))
    }

    @Test(arguments: ["../a.html", "x/../../a.html"])
    func refusesPathsOutsideFolder(path: String) throws {
        let folder = try TemporaryDirectory()
        let inner = try OutputFolder(folder.path("inner"))
        #expect(throws: FileError.self) { try inner.write([1], to: path, mode: 0o644) }
        #expect(try folder.files().isEmpty)
    }

    @Test func placesBlobOnlyIfBytesMatch() throws {
        let folder = try TemporaryDirectory()
        let output = try OutputFolder(folder.path)
        try folder.write("bytes", to: "blob")
        let digest = try contentDigest(of: folder.path("blob")).digest
        try folder.write("bytez", to: "blob")
        let damage = #expect(throws: DamagedBlob.self) {
            try output.place(folder.path("blob"), digest: digest, at: "img/x.png")
        }
        #expect(damage?.path == folder.path("blob"))
        #expect(try folder.files() == ["blob"])
        try folder.write("bytes", to: "blob")
        try output.place(folder.path("blob"), digest: digest, at: "img/x.png")
        #expect(try folder.text("img/x.png") == "bytes")
    }
}
