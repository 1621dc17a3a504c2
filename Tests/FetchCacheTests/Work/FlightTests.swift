import Locks
import Testing

@testable import FetchCache

@Suite("Work that callers share", .timeLimit(.minutes(10)))
struct FlightTests {
    private let flights = Flights<String, Int>()
    private let started = Locked(0)
    private let gate = OneWayGate()

    /// Counts what is started, and ends when the gate is open or the task is cancelled.
    private func work() async throws -> Int {
        let number = started.withLock { started in
            started += 1
            return started
        }
        await gate.wait { Task.isCancelled }
        try Task.checkCancellation()
        return number
    }

    private func join(_ key: String = "k", count: Int) async -> [Task<Int, any Error>] {
        let before = flights.callerCount(of: key)
        let tasks = (0..<count).map { _ in
            Task { try await flights.value(for: key) { _ in try await work() } }
        }
        while flights.callerCount(of: key) < before + count { await pause() }
        return tasks
    }

    @Test func callersShareOneResultAndOthersStartTheirOwn() async throws {
        let callers = await join(count: 100)
        let other = await join("other", count: 1)
        gate.open()
        var results: Set<Int> = []
        for caller in callers { results.insert(try await caller.value) }
        results.insert(try await other[0].value)
        #expect(results == [1, 2])
        #expect(try await flights.value(for: "k") { _ in try await work() } == 3)
        #expect(!flights.isRunning)
    }

    @Test func callerWhoLeavesGetsNoResultAndTheOthersDo() async throws {
        let callers = await join(count: 3)
        callers[1].cancel()
        await #expect(throws: CancellationError.self) { try await callers[1].value }
        gate.open()
        #expect(try await callers[0].value == 1)
        #expect(try await callers[2].value == 1)
    }

    @Test func nextCallerAfterTheLastHasLeftStartsAgain() async throws {
        let callers = await join(count: 2)
        while started.withLock(\.self) < 1 { await pause() }
        for caller in callers { caller.cancel() }
        for caller in callers {
            await #expect(throws: CancellationError.self) { try await caller.value }
        }
        let next = await join(count: 1)
        gate.open()
        #expect(try await next[0].value == 2)
    }

    @Test func patientCallerWhoLeavesWaitsForTheEnd() async throws {
        let patient = Flights<String, Int>(isPatient: true)
        let ended = Locked(false)
        let caller = Task {
            try await patient.value(for: "k") { [gate] _ in
                await gate.wait()
                ended.withLock { $0 = Task.isCancelled }
                return 1
            }
        }
        while patient.callerCount(of: "k") < 1 { await pause() }
        caller.cancel()
        while patient.callerCount(of: "k") > 0 { await pause() }
        #expect(!ended.withLock { $0 })
        gate.open()
        #expect(try await caller.value == 1)
        #expect(ended.withLock { $0 })
    }

    @Test func closeCancelsAndRefusesMore() async throws {
        let callers = await join(count: 2)
        await flights.close()
        for caller in callers { await #expect(throws: (any Error).self) { try await caller.value } }
        await #expect(throws: CancellationError.self) {
            try await flights.value(for: "k") { _ in 1 }
        }
    }

    /// Every caller gets exactly one result, whoever leaves when.
    @Test func everyCallerEndsInRandomOrders() async throws {
        var random = SeededGenerator(state: 7)
        gate.open()
        for _ in 0..<200 {
            let tasks = (0..<20).map { _ in
                let key = String(Int.random(in: 0..<3, using: &random))
                return Task {
                    try await flights.value(for: key) { _ in
                        await Task.yield()
                        return 1
                    }
                }
            }
            for task in tasks where Bool.random(using: &random) { task.cancel() }
            if Int.random(in: 0..<10, using: &random) == 0 { flights.cancelAll() }
            for task in tasks { _ = await task.result }
        }
        while flights.isRunning { await pause() }
    }

    // MARK: - Priority

    @Test func priorityIsTheHighestOfThoseWhoWait() {
        let flight = Flight()
        #expect(flight.priority == .normal)
        flight.join(id: 1, Flight.Caller(.low))
        #expect(flight.priority == .low)
        flight.join(id: 2, Flight.Caller(.high))
        #expect(flight.priority == .high)
        flight.leave(id: 2)
        flight.leave(id: 2)
        #expect(flight.priority == .low)
    }

    @Test func flightThatAnotherNeedsHasItsPriority() {
        let (image, load, transfer) = (Flight(), Flight(), Flight())
        image.join(id: 1, Flight.Caller(.low))
        load.join(id: 2, Flight.Caller(for: image))
        transfer.join(id: 3, Flight.Caller(for: load))
        #expect(transfer.priority == .low)
        let told = Locked(0)
        transfer.observe(id: 9) { told.withLock { $0 += 1 } }
        image.join(id: 4, Flight.Caller(.high))
        #expect(transfer.priority == .high && told.withLock { $0 } == 1)
        image.leave(id: 4)
        #expect(transfer.priority == .low && told.withLock { $0 } == 2)
        load.end()
        image.join(id: 5, Flight.Caller(.high))
        #expect(load.priority == .normal && image.priority == .high)
    }

    @Test func prioritiesThatChangeAtTheSameTimeAgreeInTheEnd() async {
        let (image, load) = (Flight(), Flight())
        image.join(id: 0, Flight.Caller(.low))
        load.join(id: 1, Flight.Caller(for: image))
        await withTaskGroup(of: Void.self) { group in
            for number in 2..<200 as Range<UInt64> {
                group.addTask {
                    image.join(
                        id: number, Flight.Caller(number.isMultiple(of: 2) ? .high : .normal))
                    image.leave(id: number)
                }
            }
        }
        #expect(image.priority == .low && load.priority == .low)
    }
}

/// Lets others run: a loop of yields alone would keep a busy machine from it.
private func pause() async {
    try? await Task.sleep(for: .milliseconds(1))
    await Task.yield()
}

/// Opens once.
private final class OneWayGate: Sendable {
    private let isOpen = Locked(false)

    func open() { isOpen.withLock { $0 = true } }

    func wait(_ isEnough: () -> Bool = { false }) async {
        while !isOpen.withLock(\.self), !isEnough() { await pause() }
    }
}

/// A random number generator with the same numbers in every run.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (state >> 33) ^ state
    }
}
