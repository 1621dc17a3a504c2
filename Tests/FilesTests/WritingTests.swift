import Foundation
import Glibc
import Locks
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import Files

private let handledSignals = Atomic<Int>(0)

@Suite struct WritingTests {
    /// The pipe takes 64 KiB at a time. A signal ends a call that has written a part with the size
    /// of that part, and a call that has written nothing with EINTR.
    @Test func partsAndInterruptedCallsAreContinued() throws {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in
            handledSignals.add(1, ordering: .sequentiallyConsistent)
        }
        sigaction(SIGUSR1, &action, nil)
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        defer { close(ends[0]) }
        let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 13) }
        let writer = Locked<pthread_t?>(nil)
        let fault = Locked<FileFault?>(nil)
        let output = ends[1]
        let thread = Thread {
            writer.withLock { $0 = pthread_self() }
            do throws(FileFault) {
                let file = try OpenFile(appendingTo: "/proc/self/fd/\(output)")
                close(output)
                try file.write(bytes)
            } catch {
                fault.withLock { $0 = error }
            }
        }
        thread.start()
        for count in 1...3 {
            while unreadBytes(in: ends[0]) < 65_536 { sched_yield() }
            writer.withLock { thread in
                if let thread { pthread_kill(thread, SIGUSR1) }
            }
            while handledSignals.load(ordering: .sequentiallyConsistent) < count { sched_yield() }
        }
        let read = FileHandle(fileDescriptor: ends[0]).readDataToEndOfFile()
        #expect([UInt8](read) == bytes)
        #expect(fault.withLock { $0 } == nil)
    }

    private func unreadBytes(in descriptor: Int32) -> Int32 {
        var count: Int32 = 0
        _ = ioctl(descriptor, UInt(FIONREAD), &count)
        return count
    }

    @Test func aFullDeviceIsToldFromOtherFaults() {
        let fault = #expect(throws: FileFault.self) {
            try OpenFile(appendingTo: "/dev/full").write([1])
        }
        #expect(fault == FileFault("write", "/dev/full", code: .noSpace))
        #expect(fault?.isFull == true)
        #expect(FileFault("write", "/x", code: .diskQuotaExceeded).isFull)
        #expect(!FileFault("write", "/x", code: .permissionDenied).isFull)
    }

    @Test func aFileThatExistsIsNotCreatedAgain() throws {
        let folder = try TemporaryDirectory()
        let path = folder.path("a")
        try OpenFile(creating: path).write(Array("one".utf8))
        #expect(throws: FileFault("write", path, code: .fileExists)) {
            _ = try OpenFile(creating: path)
        }
        try writeNewFile("two", to: path)
        #expect(try folder.text("a") == "one")
    }

    @Test func bytesAreAppended() throws {
        let folder = try TemporaryDirectory()
        try folder.write("one", to: "a")
        var file = try OpenFile(appendingTo: folder.path("a"))
        try file.write("two".utf8)
        try file.close()
        #expect(try folder.text("a") == "onetwo")
    }

    @Test func onlyOneOpenFileHoldsALock() throws {
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

    @Test func aFileLockEndsWithItsClosure() throws {
        let folder = try TemporaryDirectory()
        let other = try OpenFile(sharing: folder.path("lock"))
        let isFree = withFileLock(folder.path("lock")) { other.lock(waiting: false) }
        let isFreeLater = other.lock(waiting: false)
        #expect((isFree, isFreeLater) == (false, true))
    }

    @Test func aClosureRunsEvenIfNothingCanBeLocked() throws {
        let folder = try TemporaryDirectory()
        #expect(withFileLock(folder.path("no/folder/lock")) { 5 } == 5)
    }
}
