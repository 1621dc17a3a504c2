import SystemPackage
import TestSupport
import Testing

@testable import Files

@Suite struct WritingTests {
    @Test func distinguishesFullDevice() {
        let error = #expect(throws: FileError.self) {
            try OpenFile(appendingTo: "/dev/full").write([1])
        }
        #expect(error == FileError("write", "/dev/full", code: .noSpace))
        #expect(error?.isFull == true)
        #expect(FileError("write", "/x", code: .diskQuotaExceeded).isFull)
        #expect(!FileError("write", "/x", code: .permissionDenied).isFull)
    }

    @Test func doesNotCreateExistingFile() throws {
        let folder = try TemporaryDirectory()
        let path = folder.path("a")
        try OpenFile(creating: path).write(Array("one".utf8))
        #expect(throws: FileError("write", path, code: .fileExists)) {
            _ = try OpenFile(creating: path)
        }
        try writeNewFile("two", to: path)
        #expect(try folder.text("a") == "one")
    }

    @Test func appendsBytes() throws {
        let folder = try TemporaryDirectory()
        try folder.write("one", to: "a")
        var file = try OpenFile(appendingTo: folder.path("a"))
        try file.write("two".utf8)
        try file.close()
        #expect(try folder.text("a") == "onetwo")
    }

    @Test func oneOpenFileHoldsLock() throws {
        let folder = try TemporaryDirectory()
        var first = try OpenFile(sharing: folder.path("lock"))
        let second = try OpenFile(sharing: folder.path("lock"))
        let isFirst = first.lock(waiting: false)
        let isSecond = second.lock(waiting: false)
        #expect((isFirst, isSecond) == (true, false))
        try first.close()
        let isSecondLater = second.lock(waiting: false)
        #expect(isSecondLater)
    }

    @Test func fileLockEndsWithClosure() throws {
        let folder = try TemporaryDirectory()
        let other = try OpenFile(sharing: folder.path("lock"))
        let isFree = withFileLock(folder.path("lock")) { other.lock(waiting: false) }
        let isFreeLater = other.lock(waiting: false)
        #expect((isFree, isFreeLater) == (false, true))
    }

    @Test func runsClosureWithoutLock() throws {
        let folder = try TemporaryDirectory()
        #expect(withFileLock(folder.path("no/folder/lock")) { 5 } == 5)
    }
}
