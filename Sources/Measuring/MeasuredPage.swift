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

    /// How far the main frame is.
    private struct State {
        /// The document that is to be measured, by its number in the protocol.
        var wanted: String?
        /// The document that the frame shows.
        var shown: String?
        var hasLoaded = false
        var waiting: CheckedContinuation<Void, any Error>?

        /// The result of the load; nil while it goes on.
        var outcome: Result<Void, any Error>? {
            guard let wanted, let shown else { return nil }
            if shown != wanted { return .failure(BrowserError("the page loads another one")) }
            return hasLoaded ? .success(()) : nil
        }
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
        let (session, target) = (session, target)
        devTools.listen(to: session) { [weak devTools, state] method, message in
            switch method {
            case "Fetch.requestPaused":
                guard let devTools else { return }
                answers.answer(message, session, devTools)
            case "Page.frameNavigated", "Page.frameStoppedLoading":
                Self.note(message, of: target, in: state)
            case "Page.javascriptDialogOpening":
                devTools?.post(
                    "Page.handleJavaScriptDialog", ["accept": false], session: session)
            case "Inspector.targetCrashed": end.yield("the page crashed the browser")
            case DevTools.ended: end.yield("the browser has ended")
            default: break
            }
        }
        try await send("Page.enable")
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
            var loaderId: String?
            var errorText: String?
        }
        let navigation = try await devTools.send(
            "Page.navigate", ["url": .string(url)], session: session, as: Navigation.self)
        if let text = navigation.errorText { throw BrowserError(text) }
        try await waitForLoad(of: navigation.loaderId)
        let _: Bool = try await evaluate(MeasureScripts.settle)
    }

    /// The images in a window.
    ///
    /// - Parameter window: Its width in pixels.
    /// - Returns: The images, in the order of the page.
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

    private struct Event: Decodable {
        var params: Parameters

        struct Parameters: Decodable {
            /// Of a document that was loaded.
            var frame: Frame?
            /// Of a frame that has no more to load, also because a script stopped it.
            var frameId: String?
        }
        struct Frame: Decodable {
            var id: String
            var loaderId: String
        }
    }

    private static func note(_ message: Data, of main: String, in state: Locked<State>) {
        guard let event = try? JSONDecoder().decode(Event.self, from: message).params,
            (event.frame?.id ?? event.frameId) == main
        else { return }
        resume(state) { state in
            if let frame = event.frame {
                (state.shown, state.hasLoaded) = (frame.loaderId, false)
            } else {
                state.hasLoaded = true
            }
        }
    }

    /// Changes the state, and resumes the task that waits for its outcome.
    private static func resume(_ state: Locked<State>, after change: (inout State) -> Void) {
        let (waiting, outcome) = state.withLock { state in
            change(&state)
            let outcome = state.outcome
            let waiting = outcome == nil ? nil : state.waiting
            if waiting != nil { state.waiting = nil }
            return (waiting, outcome)
        }
        if let outcome { waiting?.resume(with: outcome) }
    }

    private func waitForLoad(of document: String?) async throws {
        let state = state
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                Self.resume(state) { state in
                    state.wanted = document
                    // Nothing else waits for it.
                    state.waiting = continuation
                }
                // A cancellation before this has found nothing to resume.
                if Task.isCancelled { Self.cancel(state) }
            }
        } onCancel: {
            Self.cancel(state)
        }
    }

    private static func cancel(_ state: Locked<State>) {
        let waiting = state.withLock { state in
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume(throwing: CancellationError())
    }

    /// The value of a script, for a promise its result.
    private func evaluate<Value: Decodable>(_ script: String) async throws -> Value {
        if case .failure(let error) = state.withLock(\.outcome) { throw error }
        let world = try await devTools.send(
            "Page.createIsolatedWorld", ["frameId": .string(target), "worldName": "imgbake"],
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
