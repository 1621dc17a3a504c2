import Glibc
import TestSupport
import Testing

@testable import FetchCache

@Suite(.timeLimit(.minutes(10)))
struct KeyLockTests {
    @Test func oneHolderAtATime() async throws {
        let folder = try TestFolder()
        let (inside, most) = (Box(0), Box(0))
        let all = (0..<4).map { _ in KeyLocks(path: folder.path + "/locks") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<16 {
                group.addTask {
                    let lock = try await all[number % 4].acquire("a")
                    #expect(lock != nil)
                    inside.change { $0 += 1 }
                    for _ in 0..<20 {
                        most.change { $0 = max($0, inside.value) }
                        await Task.yield()
                    }
                    inside.change { $0 -= 1 }
                    withExtendedLifetime(lock) {}
                }
            }
            try await group.waitForAll()
        }
        #expect(most.value == 1)
    }

    @Test func differentKeysDoNotWaitForEachOther() async throws {
        let folder = try TestFolder()
        let locks = KeyLocks(path: folder.path + "/locks")
        let others = KeyLocks(path: folder.path + "/locks")
        let held = try await (0..<50).asyncMap { try await locks.acquire("\($0)") }
        for number in 50..<100 { #expect(try await others.acquire("\(number)") != nil) }
        withExtendedLifetime(held) {}
    }

    @Test func locksOfDeadProcessesAreReleased() async throws {
        let folder = try TestFolder()
        let path = folder.path + "/locks"
        let handle = open(path, O_RDWR | O_CREAT, 0o644)
        var range = Glibc.flock()
        range.l_type = Int16(F_WRLCK)
        range.l_start = Int(KeyLocks.offset(of: "a"))
        range.l_len = 1
        // F_OFD_SETLK
        #expect(fcntl(handle, 37, &range) == 0)
        let hasIt = Flag()
        let waiting = Task {
            let lock = try await KeyLocks(path: path).acquire("a")
            hasIt.set()
            return lock != nil
        }
        try await Task.sleep(for: .milliseconds(50))
        #expect(!hasIt.isSet)
        // The system does the same when a process dies.
        close(handle)
        #expect(try await waiting.value)
    }

    @Test func cancellingEndsWaitForLock() async throws {
        let folder = try TestFolder()
        let path = folder.path + "/locks"
        let holder = KeyLocks(path: path)
        let held = try await holder.acquire("a")
        let task = Task { try await KeyLocks(path: path).acquire("a") != nil }
        try await Task.sleep(for: .milliseconds(20))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        withExtendedLifetime(held) {}
    }

    @Test func missingFolderDoesNotFail() async throws {
        #expect(try await KeyLocks(path: "/nowhere/locks").acquire("a") == nil)
    }

    @Test func twoCachesRevalidateOnce() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(), etag: "\"1\"")
        _ = try await fixture.load("/a.png")
        let gate = OriginGate()
        fixture.origin["/a.png"]?.gate = gate
        let other = try fixture.reopened()
        fixture.origin.forgetRequests()

        async let first = fixture.load("/a.png")
        #expect(await eventually { fixture.origin.requestCount == 1 })
        async let second = other.load(FetchRequest(fixture.origin.url + "/a.png"))
        // From here on, it has looked the URL up and is about to send a request.
        #expect(await eventually { other.loader.isAsking })
        gate.open()
        let origins = try await [first.origin, second.origin]

        #expect(origins.contains(.revalidated))
        #expect(fixture.origin.requestCount == 1)
    }
}

extension Collection where Self: Sendable, Element: Sendable {
    fileprivate func asyncMap<Value>(_ body: (Element) async throws -> Value) async rethrows
        -> [Value]
    {
        var values: [Value] = []
        for element in self { values.append(try await body(element)) }
        return values
    }
}
