import Locks

/// Makes transfers with a ``Transport`` of the caller, each in a task of its own.
///
/// A transport that does not end in time, or does not end when its task is cancelled, is left alone:
/// the transfer fails, and all that the transport passes on later is refused.
final class TransportRunner: TransferRunner {
    private struct Running {
        let transfer: Transfer
        let receiver: TransportReceiver
        var tasks: [Task<Void, Never>] = []
    }

    private struct State {
        var running: [UInt64: Running] = [:]
        var isClosed = false
    }

    private let transport: any Transport
    private let now: @Sendable () -> Int64
    private let state = Locked(State())

    init(_ transport: any Transport, _ configuration: DownloaderConfiguration) {
        self.transport = transport
        now = configuration.now
    }

    func start(_ transfer: Transfer) -> Bool {
        let receiver = TransportReceiver(
            ResponseReader(for: transfer.request, now: now), onBytes: transfer.addBytes)
        return state.withLock { state in
            if state.isClosed { return false }
            state.running[transfer.id] = Running(
                transfer: transfer, receiver: receiver,
                tasks: [
                    Task { await self.perform(transfer, receiver) },
                    Task { await self.watch(transfer, receiver) },
                ])
            return true
        }
    }

    func cancel(_ id: UInt64) { end(id, .failure(CancellationError())) }

    func forgetCookies() {}

    func close() async {
        let ids = state.withLock { state in
            state.isClosed = true
            return Array(state.running.keys)
        }
        for id in ids { cancel(id) }
    }

    private func perform(_ transfer: Transfer, _ receiver: TransportReceiver) async {
        do {
            try await transport.perform(transfer.request.transport, receiver: receiver)
        } catch  where !receiver.isCutShort {
            return end(transfer.id, .failure(error))
        } catch {}
        end(transfer.id, Result { try receiver.finish() })
    }

    /// Ends a transfer that exceeds a time limit.
    private func watch(_ transfer: Transfer, _ receiver: TransportReceiver) async {
        while !Task.isCancelled {
            let now = monotonicMilliseconds()
            let times = transfer.request.transport.times
            let deadline = receiver.deadline(times, total: transfer.request.timeLimit)
            if deadline.time <= now {
                let error = FetchError(.timedOut, transfer.request.url, deadline.reason)
                return end(transfer.id, .failure(error))
            }
            let patience = min(deadline.time - now, max(1, times.stall.milliseconds))
            try? await Task.sleep(for: .milliseconds(patience))
        }
    }

    /// Reports the result of a transfer, unless it has ended before.
    private func end(_ id: UInt64, _ result: Result<TransferResponse, any Error>) {
        guard let running = state.withLock({ $0.running.removeValue(forKey: id) }) else {
            if case .success(let late) = result { late.body?.discard() }
            return
        }
        let part = running.receiver.close()
        if case .failure = result { running.transfer.request.partial.withLock { $0 = part } }
        for task in running.tasks { task.cancel() }
        running.transfer.end(result)
    }
}
