import Glibc
import SystemPackage
import TestSupport
import Testing

@testable import Files

@Suite struct ReadingTests {
    @Test func readsAllBytesWithStatus() throws {
        let folder = try TemporaryDirectory()
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try folder.write(bytes, to: "a")
        let read = try readFile(folder.path("a"))
        #expect(read.bytes == bytes)
        #expect(read.status == FileStatus(folder.path("a")))
    }

    @Test func emptyFileHasNoBytes() throws {
        let folder = try TemporaryDirectory()
        try folder.write("", to: "a")
        #expect(try readFile(folder.path("a")).bytes.isEmpty)
    }

    @Test(arguments: [(99, false), (100, true), (101, true)])
    func refusesFileOverLimit(limit: Int, isRead: Bool) throws {
        let folder = try TemporaryDirectory()
        try folder.write([UInt8](repeating: 1, count: 100), to: "a")
        let path = folder.path("a")
        if isRead {
            #expect(try readFile(path, limit: limit).bytes.count == 100)
        } else {
            #expect(throws: FileError("read", path, code: .fileTooLarge)) {
                try readFile(path, limit: limit)
            }
        }
    }

    @Test(arguments: [("/dev/zero", 100_000), ("/proc/self/status", 10)])
    func limitAppliesToFilesWithoutSize(path: String, limit: Int) {
        #expect(throws: FileError("read", path, code: .fileTooLarge)) {
            try readFile(path, limit: limit, ofAnyKind: true)
        }
    }

    @Test func readsProcFileToItsEnd() throws {
        let text = String(decoding: try readFile("/proc/self/status").bytes, as: UTF8.self)
        #expect(text.contains("Threads:"))
        #expect(FileStatus("/proc/self/status")?.byteCount == 0)
    }

    @Test func followsLinksOnlyOnRequest() throws {
        let folder = try TemporaryDirectory()
        try folder.write("x", to: "a")
        symlink("a", folder.path("link"))
        let path = folder.path("link")
        #expect(throws: FileError("read", path, code: .tooManySymbolicLinkLevels)) {
            try readFile(path)
        }
        #expect(throws: FileError("read", path, code: .tooManySymbolicLinkLevels)) {
            _ = try FilePieces(path)
        }
        #expect(try readFile(path, ofAnyKind: true).bytes == Array("x".utf8))
    }

    @Test func pipeInPlaceOfFileDoesNotBlock() throws {
        let folder = try TemporaryDirectory()
        #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
        #expect(try readFile(folder.path("pipe")).bytes.isEmpty)
    }

    @Test func reportsMissingFileWithReason() throws {
        let folder = try TemporaryDirectory()
        let path = folder.path("none")
        let error = FileError("read", path, code: .noSuchFileOrDirectory)
        #expect(throws: error) { try readFile(path) }
        #expect(error.description.contains(path))
    }

    @Test(arguments: [0, 1, 131_072, 300_000])
    func comparesAllBytesOfTwoFiles(count: Int) throws {
        let folder = try TemporaryDirectory()
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 / 7) }
        try folder.write(bytes, to: "a")
        try folder.write(bytes, to: "same")
        try folder.write(bytes + [1], to: "longer")
        try folder.write(Array(bytes.dropLast()) + [0xFF], to: "other")
        #expect(try haveSameBytes(folder.path("a"), folder.path("same")))
        for other in ["longer", "other"] {
            #expect(try !haveSameBytes(folder.path("a"), folder.path(other)))
            #expect(try !haveSameBytes(folder.path(other), folder.path("a")))
        }
    }

    @Test func piecesContainAllBytes() throws {
        let folder = try TemporaryDirectory()
        let bytes = (0..<400_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        try folder.write(bytes, to: "a")
        var pieces = try FilePieces(folder.path("a"))
        var read: [[UInt8]] = []
        while let piece = try pieces.next() { read.append(Array(piece)) }
        #expect(read.count > 1)
        #expect(Array(read.joined()) == bytes)
    }
}
