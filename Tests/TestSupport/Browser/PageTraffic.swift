import Foundation
import Locks

/// The requests of one page, recorded from the events of the Network domain.
final class PageTraffic: Sendable {
    private let state = Locked(State())

    private struct State {
        var requests: [PageRequest] = []
        /// The running requests, by their numbers in the protocol.
        var underway: [String: Int] = [:]
        /// The documents whose load event has fired, by their numbers in the protocol.
        var loaded: Set<String> = []
        var waiting: [(condition: Condition, continuation: CheckedContinuation<Void, Never>)] = []

        func holds(_ condition: Condition) -> Bool {
            switch condition {
            case .loaded(let document): loaded.contains(document)
            case .idle: underway.isEmpty
            }
        }
    }

    enum Condition {
        /// The load event of a document has fired.
        case loaded(String)
        /// No request is running.
        case idle
    }

    /// Every request so far, in the order of their start.
    ///
    /// The request for `/favicon.ico` is left out, because the browser makes it by itself.
    var requests: [PageRequest] {
        state.withLock(\.requests).filter { request in
            let parts = request.url.split(separator: "/")
            return request.kind != "Other" || parts.count != 3 || parts.last != "favicon.ico"
        }
    }

    /// The URLs of the running requests.
    var pending: [String] {
        state.withLock { state in state.underway.values.map { state.requests[$0].url } }
    }

    /// Waits until a condition holds, or until the task is cancelled.
    func wait(for condition: Condition) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let holds = state.withLock { state in
                    if state.holds(condition) || Task.isCancelled { return true }
                    state.waiting.append((condition, continuation))
                    return false
                }
                if holds { continuation.resume() }
            }
        } onCancel: {
            let waiting = state.withLock { state in
                defer { state.waiting = [] }
                return state.waiting
            }
            resume(waiting.map(\.continuation))
        }
    }

    /// Handles an event of the page's session.
    func receive(_ method: String, _ message: Data) {
        guard method.hasPrefix("Network.") || method == "Page.lifecycleEvent" else { return }
        guard let event = try? JSONDecoder().decode(Event.self, from: message).params else {
            return
        }
        let ready = state.withLock { state in
            Self.apply(method, event, to: &state)
            let waiting = state.waiting
            state.waiting = waiting.filter { !state.holds($0.condition) }
            return waiting.filter { state.holds($0.condition) }
        }
        resume(ready.map(\.continuation))
    }

    private func resume(_ continuations: [CheckedContinuation<Void, Never>]) {
        for continuation in continuations { continuation.resume() }
    }

    private static func apply(_ method: String, _ event: Event.Parameters, to state: inout State) {
        if event.name == "load", let document = event.loaderId { state.loaded.insert(document) }
        guard let id = event.requestId else { return }
        let index = state.underway[id]
        switch method {
        case "Network.requestWillBeSent":
            // The next hop of a redirect has the number of the previous one.
            if let index { state.requests[index].status = event.redirectResponse?.status }
            // The script of a worker belongs to no document, and its end is reported under another
            // number.
            if event.loaderId != "" { state.underway[id] = state.requests.count }
            state.requests.append(
                PageRequest(url: event.request?.url ?? "", kind: event.type ?? "Other"))
        case "Network.responseReceived":
            if let index { state.requests[index].status = event.response?.status }
        case "Network.loadingFinished":
            state.underway[id] = nil
        case "Network.loadingFailed":
            if let index { state.requests[index].failure = event.blockedReason ?? event.errorText }
            state.underway[id] = nil
        default: break
        }
    }

    private struct Event: Decodable {
        var params: Parameters

        struct Parameters: Decodable {
            var requestId: String?
            var name: String?
            var loaderId: String?
            var type: String?
            var request: Request?
            var response: Response?
            var redirectResponse: Response?
            var errorText: String?
            var blockedReason: String?
        }
        struct Request: Decodable { var url: String }
        struct Response: Decodable { var status: Int }
    }
}
