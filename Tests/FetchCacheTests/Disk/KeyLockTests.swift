import Glibc
import TestSupport
import Testing

@testable import FetchCache

@Suite(.timeLimit(.minutes(1)))
struct KeyLockTests {
    @Test func isHeldByOneAtATimeAndLeavesNothing() async throws {
        let folder = try TestFolder()
        let path = folder.path + "/key-1.lock"
        let inside = Counter()
        let together = Counter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<40 {
                group.addTask {
                    let lock = try await KeyLock.acquire(path)
                    #expect(lock != nil)
                    let before = inside.next()
                    try await Task.sleep(for: .milliseconds(1))
                    if inside.value != before { _ = together.next() }
                    withExtendedLifetime(lock) {}
                }
            }
            try await group.waitForAll()
        }
        #expect(together.value == 0)
        #expect(bytes(of: path) == nil)
    }

    @Test func thoseOfTheDeadAreNotWaitedFor() async throws {
        let folder = try TestFolder()
        let path = folder.path + "/key-1.lock"
        let handle = open(path, O_RDWR | O_CREAT, 0o644)
        flock(handle, LOCK_EX)
        let hasIt = Flag()
        let waiting = Task {
            let lock = try await KeyLock.acquire(path)
            hasIt.set()
            return lock != nil
        }
        try await Task.sleep(for: .milliseconds(50))
        #expect(!hasIt.isSet)
        // What the system does for a process that dies.
        close(handle)
        #expect(try await waiting.value)
    }

    @Test func cancellingEndsTheWait() async throws {
        let folder = try TestFolder()
        let path = folder.path + "/key-1.lock"
        let handle = open(path, O_RDWR | O_CREAT, 0o644)
        flock(handle, LOCK_EX)
        let task = Task { try await KeyLock.acquire(path) != nil }
        try await Task.sleep(for: .milliseconds(20))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        close(handle)
    }

    @Test func aFolderThatIsGoneIsNoReasonToStop() async throws {
        #expect(try await KeyLock.acquire("/nowhere/key-1.lock") == nil)
    }

    @Test func twoCachesAskOnceForWhatMustBeRevalidated() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(), etag: "\"1\"")
        _ = try await fixture.load("/a.png")
        fixture.origin["/a.png"]?.delay = .milliseconds(300)
        let other = try fixture.reopened()
        fixture.origin.forgetRequests()

        async let first = fixture.load("/a.png")
        async let second = other.load(FetchRequest(fixture.origin.url + "/a.png"))
        let origins = try await [first.origin, second.origin]

        #expect(origins.contains(.revalidated))
        #expect(fixture.origin.requestCount == 1)
        await other.close()
        await fixture.close()
    }
}
