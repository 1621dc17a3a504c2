import TestSupport
import Testing

@testable import FetchCache

/// Everything above a transport holds for each of them: here for one that the test controls.
@Suite("The limits of custom transports", .timeLimit(.minutes(10)))
struct TransportLimitTests {
    /// What a transport does for a URL.
    private enum Behaviour {
        /// Does nothing until the test releases it, not even when its task is cancelled.
        case hangs
        /// Sends the head and these bytes, and then hangs; sends more when it is released.
        case stalls(after: Int)
        /// Sends ten bytes every ten milliseconds, after a wait that is longer than the first look at its
        /// limits.
        case drips
        /// Answers with a picture.
        case answers
        /// Answers with a picture when the test releases it.
        case answersLate
        case fails(FetchError.Code)
    }

    private final class Controlled: Transport {
        let requests = Box<[TransportRequest]>([])
        let running = Box(0)
        let mostRunning = Box(0)
        /// The errors of bytes that were passed on too late.
        let refusals = Box<[FetchError]>([])
        private let behaviour: @Sendable (String) -> Behaviour
        private let isReleased = Box(false)

        init(_ behaviour: @escaping @Sendable (String) -> Behaviour) { self.behaviour = behaviour }

        func perform(_ request: TransportRequest, receiver: TransportReceiver) async throws {
            requests.change { $0.append(request) }
            running.change { $0 += 1 }
            mostRunning.change { $0 = max($0, running.value) }
            defer { running.change { $0 -= 1 } }
            switch behaviour(request.url) {
            case .hangs: await hang()
            case .stalls(let count):
                let body = png(count: count)
                try receiver.receive(
                    status: 200,
                    fields: Fields([("ETag", "\"1\""), ("Content-Length", "100000")]))
                try body.withUnsafeBytes { try receiver.receive($0) }
                await hang()
                do {
                    try png(count: 10).withUnsafeBytes { try receiver.receive($0) }
                } catch {
                    refusals.change { $0 += [error as? FetchError].compactMap(\.self) }
                }
            case .drips:
                try await Task.sleep(for: .milliseconds(100))
                try receiver.receive(status: 200, fields: Fields([]))
                for piece in 0..<1_000 {
                    let bytes = piece == 0 ? png(count: 20) : [UInt8](repeating: 1, count: 10)
                    try bytes.withUnsafeBytes { try receiver.receive($0) }
                    try await Task.sleep(for: .milliseconds(10))
                }
            case .answers: try answer(receiver)
            case .answersLate:
                await hang()
                try answer(receiver)
            case .fails(let code): throw FetchError(code, request.url, "it failed")
            }
        }

        /// Ends all that hangs, now and from now on.
        func release() { isReleased.change { $0 = true } }

        private func answer(_ receiver: TransportReceiver) throws {
            try receiver.receive(status: 200, fields: Fields([]))
            try png().withUnsafeBytes { try receiver.receive($0) }
        }

        /// Waits until the test releases it, whether the task is cancelled or not.
        private func hang() async {
            await Task.detached { [isReleased] in
                while !isReleased.value { try? await Task.sleep(for: .milliseconds(5)) }
            }.value
        }
    }

    private func cache(
        _ folder: TestFolder, _ transport: Controlled,
        _ configure: (inout FetchConfiguration) -> Void = { _ in }
    ) throws -> FetchManager {
        try FetchManager(
            folder.configuration {
                $0.downloader.transport = transport
                $0.downloader.times.connect = .milliseconds(50)
                $0.downloader.times.stall = .milliseconds(100)
                configure(&$0)
            })
    }

    private func failure(_ cache: FetchManager, _ url: String) async -> FetchError? {
        do throws(FetchError) {
            _ = try await cache.load(FetchRequest(url))
            return nil
        } catch {
            return error
        }
    }

    @Test func hungTransportTimesOut() async throws {
        let folder = try TestFolder()
        let transport = Controlled { _ in .hangs }
        defer { transport.release() }
        let cache = try cache(folder, transport)
        let error = await failure(cache, "https://h/a.png")
        #expect(error?.code == .timedOut)
        #expect(error?.detail.hasPrefix("no byte for") == true)
        // The transport may begin after its time has passed.
        #expect(await eventually { transport.running.value == 1 })
    }

    @Test func stalledTransportTimesOutAndItsLateBytesAreRefused() async throws {
        let folder = try TestFolder()
        let transport = Controlled { _ in .stalls(after: 20_000) }
        defer { transport.release() }
        let cache = try cache(folder, transport) {
            // The first bytes must arrive in time on a busy machine too.
            $0.downloader.times.connect = .seconds(10)
            $0.downloader.times.stall = .seconds(1)
        }
        #expect(await failure(cache, "https://h/a.png")?.code == .timedOut)
        // The received part is kept for the next attempt.
        #expect(folder.files(in: "blobs").count == 1)
        transport.release()
        #expect(await eventually { transport.refusals.value.map(\.code) == [.cancelled] })
    }

    @Test func totalTimeoutEndsTransport() async throws {
        let folder = try TestFolder()
        let cache = try cache(folder, Controlled { _ in .drips }) {
            $0.downloader.times.stall = .seconds(30)
            $0.downloader.times.total = .milliseconds(300)
        }
        let error = await failure(cache, "https://h/a.png")
        #expect(error?.code == .timedOut)
        #expect(error?.detail == "not complete within 300 ms")
    }

    @Test(arguments: [(maximum: 2, perHost: 6, hosts: 12), (24, 3, 1)])
    func limitsHold(maximum: Int, perHost: Int, hosts: Int) async throws {
        let folder = try TestFolder()
        let transport = Controlled { _ in .answersLate }
        defer { transport.release() }
        let cache = try cache(folder, transport) {
            $0.downloader.limits.transfers = maximum
            $0.downloader.limits.transfersPerHost = perHost
            $0.downloader.times.stall = .seconds(30)
        }
        await withTaskGroup(of: FetchError?.self) { group in
            for number in 0..<24 {
                group.addTask { await failure(cache, "https://h\(number % hosts)/\(number)") }
            }
            #expect(
                await eventually {
                    cache.activity.runningCount + cache.activity.waitingCount == 24
                        && transport.running.value == min(maximum, perHost * hosts)
                })
            transport.release()
            for await error in group { #expect(error == nil) }
        }
        #expect(transport.requests.value.count == 24)
        #expect(transport.mostRunning.value == min(maximum, perHost * hosts))
        #expect(cache.activity.requestCount == 24)
        #expect(cache.activity.runningCount == 0)
    }

    @Test func prioritiesAndSuspensionHold() async throws {
        let folder = try TestFolder()
        let transport = Controlled { _ in .answers }
        let cache = try cache(folder, transport) {
            $0.downloader.limits.transfers = 1
            $0.downloader.times.stall = .seconds(30)
        }
        cache.suspend()
        var handles: [FetchTask] = []
        for (name, priority) in [("low", FetchRequest.Priority.low), ("a", .normal), ("b", .high)] {
            handles.append(
                cache.start(FetchRequest("https://h/\(name)", priority: priority)))
            let count = handles.count
            #expect(await eventually { cache.activity.waitingCount == count })
        }
        #expect(transport.requests.value.isEmpty)
        cache.resume()
        for handle in handles { _ = try await handle.value }
        #expect(
            transport.requests.value.map(\.url) == ["https://h/b", "https://h/a", "https://h/low"])
    }

    @Test func failingHostIsGivenUp() async throws {
        let folder = try TestFolder()
        let transport = Controlled { _ in .fails(.unreachable) }
        let cache = try cache(folder, transport) { $0.downloader.times.hostProbe = .seconds(600) }
        for number in 0..<20 {
            #expect(await failure(cache, "https://h/\(number)")?.code == .unreachable)
        }
        #expect(transport.requests.value.count == 5)
    }

    @Test func closingDoesNotWaitForHungTransport() async throws {
        let folder = try TestFolder()
        let transport = Controlled { _ in .hangs }
        defer { transport.release() }
        let cache = try cache(folder, transport) { $0.downloader.times.stall = .seconds(600) }
        let handle = cache.start(FetchRequest("https://h/a.png"))
        #expect(await eventually { transport.running.value == 1 })
        await cache.close()
        await expectCancelled { try await handle.value }
        #expect(transport.running.value == 1)
    }
}
