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

/// The scripts that run beside those of a page, in a world of their own: no page can change what
/// they call.
enum MeasureScripts {
    /// The images of a page, and two frames, in which observers are called and what they change is
    /// laid out.
    private static let tools = """
        const images = [...document.querySelectorAll("img[\(MeasuredSite.attribute)]")].slice(0, 2000);
        const frame = () => new Promise(done => requestAnimationFrame(() => setTimeout(done)));
        const pause = time => new Promise(done => setTimeout(done, time));
        """

    /// Loads all images, also those that load lazily by attributes or by scripts that watch
    /// scrolling.
    static let settle = """
        (async () => {
            \(tools)
            while (document.readyState !== "complete") await pause(20);
            for (const image of images) image.loading = "eager";
            const root = document.scrollingElement || document.documentElement;
            for (let step = 0; step < 40 && step * innerHeight < root.scrollHeight; step++) {
                scrollTo({ top: step * innerHeight, behavior: "instant" });
                await frame();
                await frame();
            }
            scrollTo({ top: 0, behavior: "instant" });
            const waiting = images.map(image => image.decode().catch(() => {}));
            await Promise.race([Promise.all([...waiting, document.fonts.ready]), pause(5000)]);
            await frame();
            return true;
        })()
        """

    /// The images, each with the number of its place, its width without padding and border, 0 if it
    /// is hidden, its natural width, 0 if it could not be shown, and what its attribute `width`
    /// counts besides.
    ///
    /// An image that covers a box of another ratio is as wide as it is drawn.
    static let widths = """
        (async () => {
            \(tools)
            await frame();
            await frame();
            const finite = value => Number.isFinite(value) ? Math.min(Math.max(value, 0), 1e6) : 0;
            const number = text => finite(parseFloat(text));
            return images.map(image => {
                const style = getComputedStyle(image);
                let width = image.getClientRects().length ? number(style.width) : 0;
                let height = number(style.height);
                let inset = 0;
                if (width && style.boxSizing === "border-box") {
                    inset = number(style.paddingLeft) + number(style.paddingRight)
                        + number(style.borderLeftWidth) + number(style.borderRightWidth);
                    width -= inset;
                    height -= number(style.paddingTop) + number(style.paddingBottom)
                        + number(style.borderTopWidth) + number(style.borderBottomWidth);
                }
                const natural = image.naturalWidth;
                const covers = width && height && style.objectFit === "cover";
                const cover = covers ? width / height : 0;
                if (covers && natural) {
                    width = Math.max(width, height * natural / image.naturalHeight);
                }
                const attribute = /^\\s*\\d+\\s*$/.test(image.getAttribute("width") || "");
                const place = Number(image.getAttribute("\(MeasuredSite.attribute)"));
                return {
                    place: Number.isSafeInteger(place) ? place : -1,
                    width: finite(width),
                    natural: natural && attribute
                        ? Math.max(1, number(image.getAttribute("width")) - inset) : natural,
                    inset: attribute ? inset : 0,
                    cover: finite(cover),
                };
            });
        })()
        """
}

/// An image of a page in one window.
struct ShownImage: Decodable, Sendable {
    /// The number of its place.
    var place: Int
    /// In pixels; 0 if it is hidden.
    var width: Double
    /// The width that it has where nothing makes it narrower or wider; 0 if it could not be loaded.
    var natural: Double
    /// The padding and border in its attribute `width`.
    var inset: Double
    /// The ratio of the box that it covers; 0 if it does not fill one by `object-fit: cover`.
    var cover: Double
}
