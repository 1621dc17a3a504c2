import Glibc
import SystemPackage
import TestSupport
import Testing

@testable import Files

/// System calls that a signal interrupts, or that transfer a part of the bytes.
@Suite(.timeLimit(.minutes(10))) struct InterruptedCallTests {
    private let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

    @Test func interruptedWriteContinuesAfterWrittenBytes() throws {
        let pipe = try TestPipe()
        let call = InterruptedCall { [path = pipe.path, bytes] in
            Result { try OpenFile(appendingTo: path).write(bytes) }
        }
        // The first signal ends the system call after a part of the bytes, the others before any.
        try pipe.fill()
        try call.interrupt(times: 3)
        let read = try pipe.read(bytes.count)
        #expect(read == bytes)
        try call.result().get()
    }

    @Test func interruptedReadContinues() throws {
        let pipe = try TestPipe()
        let call = InterruptedCall { [path = pipe.path] in
            Result { try readFile(path, ofAnyKind: true).bytes }
        }
        try call.interrupt(times: 3)
        try pipe.write([1, 2, 3])
        try call.interrupt(times: 3)
        pipe.finish()
        #expect(try call.result().get() == [1, 2, 3])
    }

    @Test func interruptedWaitForLockContinues() throws {
        let folder = try TemporaryDirectory()
        let path = folder.path("lock")
        var first = try OpenFile(sharing: path)
        first.lock(waiting: true)
        let call = InterruptedCall { Result { try OpenFile(sharing: path).lock(waiting: true) } }
        try call.interrupt(times: 3)
        try first.close()
        #expect(try call.result().get())
    }

    @Test func reportsFailureAfterPartOfTheBytes() throws {
        let pipe = try TestPipe()
        let file = try OpenFile(appendingTo: pipe.path)
        #expect(fcntl(file.descriptor, F_SETFL, O_NONBLOCK) == 0)
        let error = FileError("write", pipe.path, code: .resourceTemporarilyUnavailable)
        #expect(throws: error) { try file.write(bytes) }
        let read = try pipe.read(pipe.capacity)
        #expect(read == Array(bytes[..<pipe.capacity]))
    }
}
