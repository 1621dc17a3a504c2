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
    /// The document that is measured, by its number in the protocol; nil before it is opened.
    private let document = Locked<String?>(nil)

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
        devTools.listen(to: session) { [weak devTools, session] method, message in
            switch method {
            case "Fetch.requestPaused":
                guard let devTools else { return }
                answers.answer(message, session, devTools)
            case "Page.javascriptDialogOpening":
                devTools?.post(
                    "Page.handleJavaScriptDialog", ["accept": false], session: session)
            default: break
            }
        }
        try await send("Page.enable")
        try await send("Fetch.enable")
        try await send("Network.enable")
        try await send("Network.setBypassServiceWorker", ["bypass": true])
    }

    deinit {
        devTools.listen(to: session, nil)
        devTools.post("Target.closeTarget", ["targetId": .string(target)])
    }

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
        document.withLock { $0 = navigation.loaderId }
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

    /// The value of a script, for a promise its result.
    ///
    /// - Throws: ``BrowserError``, also if the page has loaded another one; `CancellationError`.
    private func evaluate<Value: Decodable>(_ script: String) async throws -> Value {
        let value: Value
        do {
            value = try await result(of: script)
        } catch let error as BrowserError {
            try await requireDocument()
            throw error
        }
        try await requireDocument()
        return value
    }

    /// - Throws: ``BrowserError`` if the page has loaded another one; `CancellationError`.
    private func requireDocument() async throws {
        let shown = try await devTools.send("Page.getFrameTree", session: session, as: Tree.self)
        guard shown.frameTree.frame.loaderId == document.withLock(\.self) else {
            throw BrowserError("the page loads another one")
        }
    }

    private func result<Value: Decodable>(of script: String) async throws -> Value {
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

    private struct Tree: Decodable {
        var frameTree: Main

        struct Main: Decodable { var frame: Frame }
        struct Frame: Decodable { var loaderId: String }
    }

    private struct Evaluation<Value: Decodable>: Decodable {
        var result: Result?

        struct Result: Decodable { var value: Value? }
    }

    private func send(_ method: String, _ parameters: [String: JSONValue] = [:]) async throws {
        try await devTools.send(method, parameters, session: session)
    }
}
