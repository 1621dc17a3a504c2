import Glibc
import TestSupport
import Testing

@testable import FetchCache

@Suite("Several processes, each of which can be killed", .timeLimit(.minutes(10)))
struct ProcessTests {
    private func probe(_ arguments: [String]) throws -> Command {
        try Command(Command.built("cache-probe"), arguments)
    }

    private func origin(_ count: Int, size: Int = 3_000) async throws -> Origin {
        let origin = try await Origin.start()
        for number in 0..<count {
            origin["/\(number)"] = OriginRoute(
                png(number, count: size + number), etag: "\"\(number)\"",
                cacheControl: "max-age=\(number % 2 * 600)")
        }
        return origin
    }

    @Test func eightProcessesDownloadEachURLOnce() async throws {
        let origin = try await Origin.start()
        for number in 0..<60 {
            origin["/\(number)"] = OriginRoute(png(number), cacheControl: "max-age=600")
            origin["/\(number)"]?.delay = .milliseconds(5)
        }
        let folder = try TestFolder()
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try await probe(["load", folder.path + "/cache", origin.url, "60"]).result()
                        .output
                }
            }
            for try await output in group {
                let lines = output.split(separator: "\n")
                #expect(lines.count == 60)
                #expect(lines.allSatisfy { $0.hasSuffix(" network") || $0.hasSuffix(" disk") })
            }
        }
        for number in 0..<60 { #expect(origin.requestCount(for: "/\(number)") == 1) }
        let cache = try FetchManager(folder.configuration())
        let report = try await cache.verify()
        #expect(report.checkedCount == 60)
        #expect(report.damaged.isEmpty && report.missing.isEmpty)
    }

    @Test func waitForAStoppedProcessIsReportedOnce() async throws {
        let gate = OriginGate()
        let origin = try await origin(1)
        origin["/0"]?.gate = gate
        let (folder, lines) = (try TestFolder(), Box<[String]>([]))
        let process = try probe(["load", folder.path + "/cache", origin.url, "1"])
        #expect(await eventually { origin.requestCount == 1 })
        process.signal(SIGSTOP)
        let cache = try FetchManager(folder.configuration { $0.logger = lines.logger })
        let loads = (0..<3).map { number in
            var request = FetchRequest("\(origin.url)/0")
            request.timeToLive = .seconds(600 + number)
            return Task { [request] in try await cache.load(request) }
        }
        #expect(await eventually { !lines.value.isEmpty })
        #expect(lines.value.count == 1)
        #expect(lines.value.first?.contains("another process") == true)
        gate.open()
        process.signal(SIGCONT)
        for load in loads { #expect(try await load.value.byteCount == 3_000) }
        #expect(origin.requestCount == 1)
        #expect(try await process.result().exitCode == 0)
    }

    /// Kills 200 processes in total.
    @Test(arguments: 0..<4)
    func killedProcessLeavesIntactCache(_ batch: Int) async throws {
        let origin = try await origin(40)
        let folder = try TestFolder()
        for round in 0..<50 {
            let process = try probe(["churn", folder.path + "/cache", origin.url, "40"])
            #expect(await eventually { process.outputSoFar.contains("ready") })
            try await Task.sleep(for: .milliseconds(Int.random(in: 0..<60)))
            process.signal(SIGKILL)
            #expect(try await process.result().exitCode == 128 + SIGKILL)

            let cache = try FetchManager(folder.configuration())
            let report = try await cache.verify()
            #expect(report.damaged.isEmpty && report.missing.isEmpty)
            let number = (batch * 50 + round) % 40
            let resource = try await cache.load(FetchRequest("\(origin.url)/\(number)"))
            #expect(bytes(of: resource.path) == png(number, count: 3_000 + number))
            await cache.close()
            #expect(folder.files(in: "tmp") == [])
        }
    }
}
