import Documents
import Files
import Foundation
import TestSupport
import Testing

@testable import Baking

/// The replacement of many documents, some of which cannot be replaced.
@Suite struct DocumentCommitTests {
    private let folder: TemporaryDirectory
    private let output: OutputFolder

    init() throws {
        folder = try TemporaryDirectory()
        output = try OutputFolder(folder.path)
    }

    /// Stages `out/PATH`, made from `in/PATH`.
    private func stage(_ path: String, _ text: String) throws -> StagedDocument {
        try folder.write("source", to: "in/" + path)
        let status = try #require(FileStatus(folder.path("in/" + path)))
        guard let file = try output.stage(Array(text.utf8), to: "out/" + path, mode: 0o600) else {
            throw CancellationError()
        }
        return StagedDocument(
            file, path: path, kind: .html, source: folder.path("in/" + path), status: status)
    }

    @Test func failedDocumentDoesNotStopOthers() async throws {
        let staged = [
            try stage("a.html", "new"), try stage("sub/b.html", "new"),
            try stage("c.html", "new"),
        ]
        try FileManager.default.removeItem(atPath: folder.path("out/sub"))
        let result = await DocumentCommit.run(staged)
        #expect(result.failed.map(\.document.path) == ["sub/b.html"])
        #expect(result.failed.map(\.fault.path) == [folder.path("out/sub/b.html")])
        #expect(result.changed.isEmpty)
        #expect(try folder.files(below: "out") == ["a.html", "c.html"])
    }

    @Test func doesNotReplaceFolder() async throws {
        let staged = try stage("a.html", "new")
        try folder.write("x", to: "out/a.html/x")
        let result = await DocumentCommit.run([staged])
        #expect(result.failed.map(\.fault.path) == [folder.path("out/a.html")])
        #expect(try folder.files(below: "out") == ["a.html/x"])
    }

    @Test func missingSourceCountsAsChanged() async throws {
        let staged = try stage("a.html", "new")
        try FileManager.default.removeItem(atPath: folder.path("in/a.html"))
        #expect(await DocumentCommit.run([staged]).changed.map(\.path) == ["a.html"])
        #expect(try folder.files(below: "out").isEmpty)
    }

    @Test func detectsReplacedSourceOfSameSize() async throws {
        let staged = try stage("a.html", "new")
        try FileManager.default.removeItem(atPath: folder.path("in/a.html"))
        try folder.write("SOURCE", to: "in/a.html")
        #expect(await DocumentCommit.run([staged]).changed.map(\.path) == ["a.html"])
    }

    @Test func commitsOnlyOnce() async throws {
        let staged = try stage("a.html", "new")
        #expect(await DocumentCommit.run([staged]).failed.isEmpty)
        try folder.write("edited", to: "out/a.html")
        let again = await DocumentCommit.run([staged])
        #expect(again.failed.isEmpty && again.changed.isEmpty)
        #expect(try folder.text("out/a.html") == "edited")
        #expect(await DocumentCommit.run([]).changed.isEmpty)
    }

    @Test func replacesManyDocuments() async throws {
        let names = (0..<300).map { "\($0).html" }
        let result = await DocumentCommit.run(try names.map { try stage($0, $0) })
        #expect(result.failed.isEmpty && result.changed.isEmpty)
        for name in names { #expect(try folder.text("out/" + name) == name) }
        #expect(try folder.files(below: "out").count == 300)
    }

    @Test func doesNotStageEqualBytes() throws {
        try folder.write("same", to: "a.html")
        let isStaged = try output.stage(Array("same".utf8), to: "a.html", mode: 0o644) != nil
        #expect(!isStaged)
        let isOther = try output.stage(Array("sama".utf8), to: "a.html", mode: 0o644) != nil
        #expect(isOther)
        #expect(try folder.files() == ["a.html"])
    }

    @Test func replacesLinkAndKeepsTarget() throws {
        try folder.write("target", to: "real.html")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("a.html"), withDestinationPath: "real.html")
        try output.write(Array("new".utf8), to: "a.html", mode: 0o644)
        #expect(try folder.text("real.html") == "target")
        #expect(FileStatus(folder.path("a.html"))?.kind == .file)
    }

    @Test(arguments: ["a.html", "sub/a.html"])
    func writesToSecondFolder(path: String) throws {
        let other = try TemporaryDirectory()
        let both = try OutputFolder(folder.path, and: other.path("project"))
        try both.write([1], to: other.path("project/" + path), mode: 0o644)
        #expect(other.exists("project/" + path))
        #expect(throws: FileFault.self) {
            try both.write([1], to: other.path("beside/" + path), mode: 0o644)
        }
        #expect(!other.exists("beside"))
    }

    @Test(arguments: ["../a.html", "x/../../a.html"])
    func refusesPathsOutsideFolder(path: String) throws {
        let inner = try OutputFolder(folder.path("inner"))
        #expect(throws: FileFault.self) { try inner.write([1], to: path, mode: 0o644) }
        #expect(try folder.files().isEmpty)
    }

    @Test func placesBlobOnlyIfBytesMatch() throws {
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
