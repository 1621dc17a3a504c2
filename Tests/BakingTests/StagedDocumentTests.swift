import Documents
import Files
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import Baking

@Suite struct StagedDocumentTests {
    private let folder: TemporaryDirectory
    private let output: OutputFolder

    init() throws {
        folder = try TemporaryDirectory()
        output = try OutputFolder(folder.path)
    }

    private func stage(_ text: String, _ path: String) throws -> StagedDocument {
        let status = try #require(FileStatus(folder.path(path)))
        // '#require' does not accept a noncopyable value.
        guard let file = try output.stage(Array(text.utf8), to: path, mode: 0o640) else {
            throw FileFault("write", path, code: .ioError)
        }
        return StagedDocument(
            file, path: path, kind: .html, source: folder.path(path), status: status)
    }

    @Test func keepsOldVersionUntilCommit() async throws {
        try folder.write("old", to: "a.html")
        let staged = try stage("new", "a.html")
        #expect(try folder.text("a.html") == "old")
        let result = await DocumentCommit.run([staged])
        #expect(result.changed.isEmpty && result.failed.isEmpty)
        #expect(try folder.text("a.html") == "new")
        #expect(try folder.files() == ["a.html"])
        #expect(FileStatus(folder.path("a.html"))?.mode == 0o640)
    }

    @Test func returnsChangedDocumentUnwritten() async throws {
        try folder.write("old", to: "a.html")
        try folder.write("old", to: "b.html")
        let staged = [try stage("new", "a.html"), try stage("new", "b.html")]
        try folder.write("edited", to: "a.html")
        let result = await DocumentCommit.run(staged)
        #expect(result.changed.map(\.path) == ["a.html"])
        #expect(try folder.text("a.html") == "edited")
        #expect(try folder.text("b.html") == "new")
        #expect(try folder.files() == ["a.html", "b.html"])
    }

    @Test func uncommittedDocumentLeavesNoFile() throws {
        try folder.write("old", to: "a.html")
        do { _ = try stage("new", "a.html") }
        #expect(try folder.files() == ["a.html"])
    }
}
