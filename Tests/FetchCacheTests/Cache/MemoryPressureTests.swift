import Glibc
import Locks
import TestSupport
import Testing

@testable import FetchCache

@Suite("Memory pressure, by PSI")
struct MemoryPressureTests {
    /// Creates files in the format of the kernel.
    private func root(stall: String? = nil) throws -> TestFolder {
        let folder = try TestFolder()
        for path in [
            "/proc", "/proc/self", "/proc/pressure", "/sys", "/sys/fs", "/sys/fs/cgroup",
            "/sys/fs/cgroup/job",
        ] { mkdir(folder.path + path, 0o755) }
        func file(_ path: String, _ text: String) throws {
            try write(Array(text.utf8), to: folder.path + path)
        }
        try file("/proc/self/cgroup", "0::/job\n")
        if let stall {
            try file(
                "/sys/fs/cgroup/job/memory.pressure",
                "some avg10=\(stall) avg60=0.00 avg300=0.00 total=0\nfull avg10=0.00\n")
        }
        return folder
    }

    @Test func stallsMeanHighPressure() throws {
        func isHigh(_ folder: TestFolder) -> Bool {
            var pressure = MemoryPressure(root: folder.path)
            return pressure.isHigh(now: 0)
        }
        #expect(try isHigh(root(stall: "25.10")))
        #expect(try !isHigh(root(stall: "3.00")))
        #expect(try !isHigh(root()))
        #expect(try !isHigh(TestFolder()))
    }

    @Test func readsPressureOncePerSecond() throws {
        let folder = try root(stall: "0.00")
        var pressure = MemoryPressure(root: folder.path)
        var answers = [pressure.isHigh(now: 0)]
        let path = folder.path + "/sys/fs/cgroup/job/memory.pressure"
        unlink(path)
        try write(Array("some avg10=50.00\n".utf8), to: path)
        answers.append(pressure.isHigh(now: 900))
        answers.append(pressure.isHigh(now: 1_000))
        #expect(answers == [false, false, true])
    }

    @Test func clearsMemoryUnderPressure() async throws {
        let calm = try root(stall: "0.00")
        let fixture = try await Fixture()
        fixture.cache.levels.memory.pressure.withLock { $0 = MemoryPressure(root: calm.path) }
        for number in 0..<3 {
            fixture.origin["/\(number)"] = OriginRoute(png(number), cacheControl: "max-age=60")
            _ = try await fixture.load("/\(number)")
        }
        #expect(fixture.cache.levels.memory.entries.withLock(\.count) == 3)
        let tight = try root(stall: "90.00")
        fixture.cache.levels.memory.pressure.withLock { $0 = MemoryPressure(root: tight.path) }
        fixture.origin["/3"] = OriginRoute(png(3), cacheControl: "max-age=60")
        _ = try await fixture.load("/3")
        #expect(fixture.cache.levels.memory.entries.withLock(\.count) == 1)
        #expect(try await fixture.load("/0").origin == .disk)
    }
}
