import Foundation
import Locks

/// A call on a thread of its own, which a test interrupts while it waits in the kernel.
final class InterruptedCall<Value: Sendable>: Sendable {
    private let state = Locked<(thread: (path: String, handle: pthread_t)?, result: Value?)>(
        (nil, nil))
    /// Keeps the thread, so that no signal is sent to a thread that has ended.
    private let mayEnd = DispatchSemaphore(value: 0)

    /// Starts a call.
    init(_ body: @escaping @Sendable () -> Value) {
        _ = handlerWithoutRestart
        Thread.detachNewThread { [state, mayEnd] in
            // The thread inherits the mask of a thread of Dispatch, which blocks all signals.
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, SIGUSR1)
            pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            let path = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/thread-self")
            state.withLock { $0.thread = ("/proc/\(path ?? "")/status", pthread_self()) }
            let result = body()
            state.withLock { $0.result = result }
            mayEnd.wait()
        }
    }

    deinit { mayEnd.signal() }

    /// Interrupts the call `count` times, each time after it has begun to wait.
    func interrupt(times count: Int) throws {
        for _ in 0..<count {
            let before = try waits(after: -1)
            if let thread = state.withLock({ $0.thread }) { pthread_kill(thread.handle, SIGUSR1) }
            _ = try waits(after: before)
        }
    }

    /// The result, once the call has returned.
    func result() throws -> Value {
        try eventually { state.withLock(\.result) }
    }

    /// Waits until the thread sleeps in the kernel for another time.
    ///
    /// - Returns: How many times it has done so; more than `count`.
    private func waits(after count: Int) throws -> Int {
        try eventually {
            guard let path = state.withLock({ $0.thread?.path }) else { return nil }
            let fields = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
                .map { $0.split(separator: ":\t") }
            let values = Dictionary(fields.map { ($0[0], $0.last ?? "") }) { $1 }
            guard values["State"]?.hasPrefix("S") == true,
                let total = values["voluntary_ctxt_switches"].flatMap({ Int($0) }), total > count
            else { return nil }
            return total
        }
    }
}

/// Waits for a value, at most a minute.
func eventually<Value>(_ value: () throws -> Value?) throws -> Value {
    let end = Date(timeIntervalSinceNow: 60)
    while Date() < end {
        if let value = try value() { return value }
        usleep(500)
    }
    throw Overdue()
}

struct Overdue: Error {}

/// Lets SIGUSR1 interrupt system calls: without `SA_RESTART` they fail with EINTR.
private let handlerWithoutRestart: Void = {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in }
    sigaction(SIGUSR1, &action, nil)
}()
