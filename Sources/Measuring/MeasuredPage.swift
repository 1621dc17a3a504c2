import Baking
import DevTools
import Foundation
import Locks

/// A page in the browser, which is closed when nothing references this value.
///
/// Each of its requests is answered by ``SiteAnswers``, and none reaches a network.
final class MeasuredPage: Sendable {
    private let devTools: DevTools
    private let target: String
    private let session: String
    private let state = Locked(State())
    private let ends: AsyncStream<String>

    private struct State {
        var frame = ""
        /// The documents whose load event has fired, by their numbers in the protocol.
        var loaded: Set<String> = []
        /// The document that is waited for.
        var awaited = ""
        var waiting: CheckedContinuation<Void, any Error>?
    }

    init(_ devTools: DevTools, _ answers: SiteAnswers) async throws {
        self.devTools = devTools
        struct Target: Decodable { var targetId: String }
        struct Session: Decodable { var sessionId: String }
        target = try await devTools.send(
            "Target.createTarget", ["url": "about:blank"], as: Target.self
        ).targetId
        session = try await devTools.send(
            "Target.attachToTarget", ["targetId": .string(target), "flatten": true],
            as: Session.self
        ).sessionId
        let (ends, end) = AsyncStream.makeStream(of: String.self)
        self.ends = ends
        let session = session
        devTools.listen(to: session) { [weak devTools, state] method, message in
            switch method {
            case "Fetch.requestPaused":
                guard let devTools else { return }
                answers.answer(message, session, devTools)
            case "Page.lifecycleEvent": Self.note(message, in: state)
            case "Page.javascriptDialogOpening":
                devTools?.post(
                    "Page.handleJavaScriptDialog", ["accept": false], session: session)
            case "Inspector.targetCrashed": end.yield("the page crashed the browser")
            case DevTools.ended: end.yield("the browser has ended")
            default: break
            }
        }
        try await send("Page.enable")
        try await send("Page.setLifecycleEventsEnabled", ["enabled": true])
        try await send("Inspector.enable")
        try await send("Fetch.enable")
        try await send("Network.enable")
        try await send("Network.setBypassServiceWorker", ["bypass": true])
    }

    deinit {
        devTools.listen(to: session, nil)
        devTools.post("Target.closeTarget", ["targetId": .string(target)])
    }

    /// The reasons why the page cannot go on, as they happen.
    var failures: AsyncStream<String> { ends }

    /// Loads a page and all its images.
    ///
    /// - Throws: ``BrowserError``; `CancellationError`.
    func open(_ url: String) async throws {
        struct Navigation: Decodable {
            var frameId: String
            var loaderId: String?
            var errorText: String?
        }
        let navigation = try await devTools.send(
            "Page.navigate", ["url": .string(url)], session: session, as: Navigation.self)
        if let text = navigation.errorText { throw BrowserError(text) }
        state.withLock { $0.frame = navigation.frameId }
        if let document = navigation.loaderId { try await waitForLoad(of: document) }
        let _: Bool = try await evaluate(MeasureScripts.settle)
    }

    /// The images in a window.
    ///
    /// - Parameter window: Its width in pixels.
    /// - Throws: ``BrowserError``; `CancellationError`.
    func images(in window: Int) async throws -> [ShownImage] {
        try await resize(to: window)
        return try await evaluate(MeasureScripts.widths)
    }

    func resize(to window: Int) async throws {
        try await send(
            "Emulation.setDeviceMetricsOverride",
            [
                "width": .number(Double(window)), "height": 900, "deviceScaleFactor": 1,
                "mobile": false,
            ])
    }

    private static func note(_ message: Data, in state: Locked<State>) {
        struct Event: Decodable {
            var params: Parameters

            struct Parameters: Decodable {
                var name: String
                var loaderId: String
            }
        }
        guard let event = try? JSONDecoder().decode(Event.self, from: message).params,
            event.name == "load"
        else { return }
        let waiting = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            state.loaded.insert(event.loaderId)
            guard state.awaited == event.loaderId else { return nil }
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume()
    }

    private func waitForLoad(of document: String) async throws {
        let state = state
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isReady = state.withLock { state in
                    if state.loaded.contains(document) || Task.isCancelled { return true }
                    state.awaited = document
                    state.waiting = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            state.withLock { state in
                defer { state.waiting = nil }
                return state.waiting
            }?.resume(throwing: CancellationError())
        }
        try Task.checkCancellation()
    }

    /// The value of a script, for a promise its result.
    private func evaluate<Value: Decodable>(_ script: String) async throws -> Value {
        // The page may have loaded another one since.
        let frame = state.withLock(\.frame)
        let world = try await devTools.send(
            "Page.createIsolatedWorld", ["frameId": .string(frame), "worldName": "imgbake"],
            session: session, as: World.self)
        let outcome = try await devTools.send(
            "Runtime.evaluate",
            [
                "expression": .string(script), "awaitPromise": true, "returnByValue": true,
                "contextId": .number(Double(world.executionContextId)),
            ], session: session, as: Evaluation<Value>.self)
        guard let value = outcome.result?.value else {
            throw BrowserError("the page went away while it was measured")
        }
        return value
    }

    private struct World: Decodable { var executionContextId: Int }

    private struct Evaluation<Value: Decodable>: Decodable {
        var result: Result?

        struct Result: Decodable { var value: Value? }
    }

    private func send(_ method: String, _ parameters: [String: JSONValue] = [:]) async throws {
        try await devTools.send(method, parameters, session: session)
    }
}
