internal import DevTools
import Foundation

/// A page in the browser, closed when this value is no longer used.
package final class BrowserPage: Sendable {
    private let devTools: DevTools
    private let context: String
    private let session: String
    private let traffic = PageTraffic()

    init(_ devTools: DevTools) async throws {
        self.devTools = devTools
        struct Context: Decodable { var browserContextId: String }
        struct Target: Decodable { var targetId: String }
        struct Session: Decodable { var sessionId: String }
        context = try await devTools.send(
            "Target.createBrowserContext", ["disposeOnDetach": true], as: Context.self
        ).browserContextId
        let target = try await devTools.send(
            "Target.createTarget",
            ["url": "about:blank", "browserContextId": .string(context)], as: Target.self
        ).targetId
        session = try await devTools.send(
            "Target.attachToTarget", ["targetId": .string(target), "flatten": true],
            as: Session.self
        ).sessionId
        devTools.listen(to: session) { [traffic] in traffic.receive($0, $1) }
        try await send("Page.enable")
        try await send("Page.setLifecycleEventsEnabled", ["enabled": true])
        try await send("Network.enable")
    }

    deinit {
        devTools.listen(to: session, nil)
        devTools.post("Target.disposeBrowserContext", ["browserContextId": .string(context)])
    }

    /// Every request so far, in the order of their start: the page itself, redirects, images loaded
    /// by scrolling, and failed requests.
    ///
    /// The browser's own request for `/favicon.ico` is left out.
    package var requests: [PageRequest] { traffic.requests }

    var pendingRequests: [String] { traffic.pending }

    /// The window as a PNG at the scale of the viewport; `whole` captures the complete page.
    package func screenshot(whole: Bool = false) async throws -> [UInt8] {
        struct Metrics: Decodable { var cssContentSize: Size }
        struct Size: Decodable {
            var width: Double
            var height: Double
        }
        struct Picture: Decodable { var data: Data }
        var parameters: [String: JSONValue] = ["format": "png"]
        if whole {
            let size = try await devTools.send(
                "Page.getLayoutMetrics", session: session, as: Metrics.self
            ).cssContentSize
            parameters["captureBeyondViewport"] = true
            parameters["clip"] = [
                "x": 0, "y": 0, "width": .number(size.width), "height": .number(size.height),
                "scale": 1,
            ]
        }
        let picture = try await devTools.send(
            "Page.captureScreenshot", parameters, session: session, as: Picture.self)
        return [UInt8](picture.data)
    }

    /// The value of a JavaScript expression; for a promise, its result.
    ///
    /// - Throws: ``BrowserError`` with the exception that the script throws.
    package func evaluate<Value: Decodable>(
        _ script: String, as type: Value.Type = Value.self
    ) async throws -> Value {
        let outcome = try await devTools.send(
            "Runtime.evaluate",
            ["expression": .string(script), "awaitPromise": true, "returnByValue": true],
            session: session, as: Evaluation<Value>.self)
        if let details = outcome.exceptionDetails {
            throw BrowserError(details.exception?.description ?? details.text)
        }
        guard let value = outcome.result?.value else {
            throw BrowserError("the script has no value: \(script.prefix(200))")
        }
        return value
    }

    private struct Evaluation<Value: Decodable>: Decodable {
        var result: Result?
        var exceptionDetails: Exception?

        struct Result: Decodable {
            var value: Value?
        }
        struct Exception: Decodable {
            var text: String
            var exception: Description?
        }
        struct Description: Decodable { var description: String? }
    }

    func emulate(
        _ viewport: Viewport, _ media: MediaType, _ colorScheme: ColorScheme
    ) async throws {
        try await send(
            "Emulation.setDeviceMetricsOverride",
            [
                "width": .number(Double(viewport.width)),
                "height": .number(Double(viewport.height)),
                "deviceScaleFactor": .number(viewport.scale), "mobile": false,
            ])
        let scheme: JSONValue = [
            "name": "prefers-color-scheme", "value": .string(colorScheme.rawValue),
        ]
        try await send(
            "Emulation.setEmulatedMedia",
            ["media": .string(media.rawValue), "features": [scheme]])
    }

    /// Loads a URL and waits until no request is running.
    func open(_ url: String) async throws {
        struct Navigation: Decodable {
            var loaderId: String?
            var errorText: String?
        }
        let navigation = try await devTools.send(
            "Page.navigate", ["url": .string(url)], session: session, as: Navigation.self)
        if let text = navigation.errorText { throw BrowserError("\(url): \(text)") }
        if let document = navigation.loaderId { await traffic.wait(for: .loaded(document)) }
        try await settle()
    }

    /// Scrolls and decodes until this starts no more requests.
    ///
    /// Scrolling loads lazy images. Their size can move others near the window, and scripts can
    /// load more when an image appears.
    private func settle() async throws {
        var isQuiet = false
        while !isQuiet {
            let count = traffic.requests.count
            isQuiet = traffic.pending.isEmpty
            let _: Bool = try await evaluate(PageScripts.settle)
            await traffic.wait(for: .idle)
            try Task.checkCancellation()
            if traffic.requests.count != count { isQuiet = false }
        }
    }

    private func send(_ method: String, _ parameters: [String: JSONValue] = [:]) async throws {
        try await devTools.send(method, parameters, session: session)
    }
}
