import Documents
import Files
import Foundation
import TestSupport
import Testing

@testable import Baking
@testable import Sites

/// The replacement of many documents, some of which cannot be replaced.
@Suite struct DocumentCommitTests {
    private let folder: TemporaryDirectory
    private let output: OutputFolder

    init() throws {
        folder = try TemporaryDirectory()
        output = try OutputFolder(folder.path)
    }

    /// Stages `out/PATH`, made from the same file of another folder.
    private func stage(
        _ path: String, _ text: String, from source: String = "in"
    ) throws -> StagedDocument {
        try folder.write("source", to: "\(source)/\(path)")
        let status = try #require(FileStatus(folder.path("\(source)/\(path)")))
        guard let file = try output.stage(Array(text.utf8), to: "out/" + path, mode: 0o640) else {
            throw CancellationError()
        }
        return StagedDocument(
            file, path: path, kind: .html, source: folder.path("\(source)/\(path)"),
            status: status)
    }

    @Test func failedDocumentDoesNotStopOthers() async throws {
        let staged = [
            try stage("a.html", "new"), try stage("sub/b.html", "new"),
            try stage("c.html", "new"),
        ]
        try FileManager.default.removeItem(atPath: folder.path("out/sub"))
        let result = await DocumentCommit.run(staged)
        #expect(result.failed.map(\.document.path) == ["sub/b.html"])
        #expect(result.failed.map(\.error.path) == [folder.path("out/sub/b.html")])
        #expect(result.changed.isEmpty)
        #expect(try folder.files(below: "out") == ["a.html", "c.html"])
    }

    @Test func doesNotReplaceFolder() async throws {
        let staged = try stage("a.html", "new")
        try folder.write("x", to: "out/a.html/x")
        let result = await DocumentCommit.run([staged])
        #expect(result.failed.map(\.error.path) == [folder.path("out/a.html")])
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

    @Test func keepsOldVersionUntilCommit() async throws {
        let staged = try stage("a.html", "new", from: "out")
        #expect(try folder.text("out/a.html") == "source")
        let result = await DocumentCommit.run([staged])
        #expect(result.changed.isEmpty && result.failed.isEmpty)
        #expect(try folder.text("out/a.html") == "new")
        #expect(try folder.files(below: "out") == ["a.html"])
        #expect(FileStatus(folder.path("out/a.html"))?.mode == 0o640)
    }

    @Test func returnsChangedDocumentUnwritten() async throws {
        let staged = try ["a.html", "b.html"].map { try stage($0, "new", from: "out") }
        try folder.write("edited", to: "out/a.html")
        let result = await DocumentCommit.run(staged)
        #expect(result.changed.map(\.path) == ["a.html"])
        #expect(try folder.text("out/a.html") == "edited")
        #expect(try folder.files(below: "out") == ["a.html", "b.html"])
        #expect(try folder.text("out/b.html") == "new")
    }

    @Test func uncommittedDocumentLeavesNoFile() throws {
        do { _ = try stage("a.html", "new", from: "out") }
        #expect(try folder.files(below: "out") == ["a.html"])
        #expect(try folder.text("out/a.html") == "source")
    }
}
