internal import DevTools
import Foundation

/// A headless Chromium.
///
/// It resolves only `127.0.0.1` and `localhost`; a request to another host fails and is recorded.
/// Each page has its own cookies and caches.
///
/// ```swift
/// let browser = try await Browser.shared
/// let page = try await browser.load(server.url + "/index.html", viewport: Viewport(width: 800))
/// for box in try await page.imageBoxes() { … }
/// #expect(page.requests.allSatisfy(\.hasSucceeded))
/// ```
package final class Browser: Sendable {
    private let devTools: DevTools

    /// The browser that all tests of this process share, started on first use.
    package static var shared: Browser {
        get async throws { try await sharedStart.value }
    }

    private static let sharedStart = Task { try await Browser.start() }

    /// Starts a browser with an empty profile.
    ///
    /// - Throws: ``MissingTool`` if it is not installed, ``BrowserError`` if it ends at once.
    package static func start(
        _ tool: ExternalTool = .headlessChromium
    ) async throws -> Browser {
        Browser(try await DevTools.start(try tool.required(), arguments))
    }

    private init(_ devTools: DevTools) { self.devTools = devTools }

    /// Ends the browser and waits until its profile has been removed.
    package func close() async {
        await devTools.close()
    }

    /// Loads a page, scrolls to its end and back, and waits until its images have been loaded and
    /// decoded and no request is running.
    ///
    /// - Throws: ``BrowserError`` if the URL cannot be loaded or if requests are still running
    ///   after `limit`; the error names them. A 404 is not an error.
    package func load(
        _ url: String, viewport: Viewport = Viewport(), media: MediaType = .screen,
        colorScheme: ColorScheme = .light, limit: Duration = .seconds(60)
    ) async throws -> BrowserPage {
        let page = try await BrowserPage(devTools)
        try await page.emulate(viewport, media, colorScheme)
        try await withThrowingTaskGroup { group in
            group.addTask { try await page.open(url) }
            group.addTask {
                try await Task.sleep(for: limit)
                let pending = page.pendingRequests.joined(separator: " ")
                throw BrowserError(
                    "\(url) is not quiet after \(limit); under way: \(pending)")
            }
            try await group.next()
            group.cancelAll()
        }
        return page
    }

    private static let arguments = [
        "--no-proxy-server",
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
    ]
}

/// The size of the window in CSS pixels, and the number of device pixels per CSS pixel.
package struct Viewport: Sendable, Hashable {
    package var width: Int
    package var height: Int
    package var scale: Double

    package init(width: Int = 1200, height: Int = 800, scale: Double = 1) {
        self.width = width
        self.height = height
        self.scale = scale
    }
}

/// The CSS media type.
package enum MediaType: String, Sendable, CaseIterable {
    case screen, print
}

/// The value of the media feature `prefers-color-scheme`.
package enum ColorScheme: String, Sendable, CaseIterable {
    case light, dark
}
