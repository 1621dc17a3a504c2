import Foundation
import TestSupport
import Testing

/// Nothing leaves the browser of `imgbake measure`, and what it cannot do is an error.
@Suite(.timeLimit(.minutes(10)), .needs(.chromium))
struct MeasureIsolationTests {
    private func site(_ page: String) throws -> TestSite {
        let site = try TestSite(["index.html": page])
        try site.folder.write(
            try Pictures.scene(width: 300, height: 200, as: "png"), to: "site/a.png")
        return site
    }

    /// The ways in which a page can ask another host.
    private static let page = """
        <!DOCTYPE html><link rel=preconnect href=ORIGIN><link rel=dns-prefetch href=ORIGIN>
        <link rel=icon href=ORIGIN/i.png>
        <link rel=prefetch href=ORIGIN/next.html><link rel=preload as=image href=ORIGIN/p.png>
        <script type=speculationrules>
        {"prefetch": [{"urls": ["ORIGIN/s.html"]}], "prerender": [{"urls": ["ORIGIN/t.html"]}]}
        </script>
        <style>p { background: url(ORIGIN/b.png) } @font-face { font-family: f; src: url(ORIGIN/f) }
        p { font-family: f }</style>
        <p>words <img src=a.png><img src=ORIGIN/x.png></p><iframe src=ORIGIN/frame.html></iframe>
        <object data=ORIGIN/o.svg></object><video src=ORIGIN/v.mp4 autoplay muted></video>
        <script src=ORIGIN/a.js></script>
        <script>
        const host = "HOST";
        fetch("ORIGIN/fetch", { mode: "no-cors" }).catch(() => {});
        fetch("ORIGIN/late", { keepalive: true, method: "POST" }).catch(() => {});
        navigator.sendBeacon("ORIGIN/beacon", "x");
        new WebSocket("ws://" + host + "/socket");
        new EventSource("ORIGIN/events");
        new Worker(URL.createObjectURL(new Blob([
            `fetch("ORIGIN/worker", { mode: "no-cors" }); new WebSocket("ws://${host}/worker");
             importScripts("ORIGIN/w.js")`])));
        new SharedWorker(URL.createObjectURL(new Blob([`fetch("ORIGIN/shared", {mode: "no-cors"})`])));
        try { new WebTransport("https://" + host + "/t"); } catch {}
        const peer = new RTCPeerConnection({ iceServers: [{ urls: "stun:" + host }] });
        peer.createDataChannel("x");
        peer.createOffer().then(offer => peer.setLocalDescription(offer));
        open("ORIGIN/popup.html");
        const a = document.createElement("a");
        a.ping = "ORIGIN/ping"; a.href = "#x"; document.body.append(a); a.click();
        const form = document.createElement("form");
        form.action = "ORIGIN/form"; form.target = "_blank"; document.body.append(form); form.submit();
        setTimeout(() => { location = "ORIGIN/away.html"; }, 50);
        </script>
        """

    @Test(arguments: ["127.0.0.1", "localhost"])
    func noRequestReachesAnotherServer(host: String) async throws {
        let origin = try await Origin.start()
        let port = try #require(origin.url.split(separator: ":").last)
        let text = Self.page.replacing("ORIGIN", with: "http://\(host):\(port)")
            .replacing("HOST", with: "\(host):\(port)")
        let site = try site(text)
        let result = try await site.start(command: "measure", ["site"]).result()
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(origin.requests.map(\.path) == [])
        #expect(try site.folder.text("imgbake.sizes.json").contains("body > p > img"))
        // The same page does ask in a browser that may.
        let server = try await SiteServer.start(site.folder.path("site"))
        let browser = try await Browser.start(.chromium)
        _ = try? await browser.load(server.url + "/index.html", limit: .seconds(5))
        await browser.close()
        #expect(origin.requests.count >= 5)
    }

    @Test func filesOutsideOfTheFolderAreNotServed() async throws {
        let page = """
            <!DOCTYPE html><p><img src=a.png></p><script>
            Promise.all(["/../secret.txt", "/%2e%2e/secret.txt", "/link.txt", "/.env"].map(url =>
                fetch(url).then(r => r.ok ? r.text() : ""))).then(texts => {
                    if (texts.join("")) document.querySelector("p").style.width = "77px";
                });
            </script><style>p { width: 200px } img { width: 100% }</style>
            """
        let site = try site(page)
        try site.folder.write("secret", to: "secret.txt")
        try site.folder.write("secret", to: "site/.env")
        try FileManager.default.createSymbolicLink(
            atPath: site.folder.path("site/link.txt"),
            withDestinationPath: site.folder.path("secret.txt"))
        #expect(try await site.run("measure", "site").exitCode == 0)
        #expect(try site.folder.text("imgbake.sizes.json").contains("\"200px\""))
    }

    private func expectFailure(
        _ code: String, _ place: String?, of site: TestSite, _ arguments: String...,
        environment: [String: String] = [:]
    ) async throws {
        try site.folder.write("before", to: "imgbake.sizes.json")
        let command = try Command(
            Command.built("imgbake"), ["measure", "site"] + arguments,
            environment: site.environment.merging(environment) { $1 }, directory: site.folder.path)
        let result = try await command.result()
        #expect(result.exitCode == 1, "\(result.errors)")
        let told = try result.diagnostics
        #expect(told.map(\.code) == [code] && told.map(\.place) == [place], "\(result.errors)")
        #expect(try site.folder.text("imgbake.sizes.json") == "before")
        #expect(
            try site.folder.files().filter { $0.hasPrefix(".imgbake") || $0.contains("/.imgbake") }
                == [])
    }

    private static let plain = "<!DOCTYPE html><p><img src=a.png>"

    @Test func missingBrowserIsAnError() async throws {
        let site = try site(Self.plain)
        try await expectFailure("browser-missing", nil, of: site, environment: ["PATH": "/nowhere"])
        try await expectFailure("browser-missing", nil, of: site, "--browser", "nowhere/chromium")
        try await expectFailure("browser-missing", nil, of: site, "--browser", "site")
    }

    @Test func browserThatEndsIsAnError() async throws {
        let site = try site(Self.plain)
        try await site.folder.writeScript("#!/bin/sh\necho no display >&2\nexit 1", to: "browser")
        try await expectFailure("browser-failed", nil, of: site, "--browser", "browser")
    }

    @Test func browserThatDoesNotAnswerIsAnError() async throws {
        let site = try site(Self.plain)
        try await site.folder.writeScript("#!/bin/sh\nexec sleep 600", to: "browser")
        try await expectFailure(
            "browser-failed", nil, of: site, "--browser", "browser", "--page-timeout", "1")
    }

    @Test func crashOfTheBrowserIsAnError() async throws {
        let site = try site(Self.plain + "<script>for (;;);</script>")
        let chromium = try ExternalTool.chromium.required()
        try await site.folder.writeScript(
            "#!/bin/sh\n\(chromium) \"$@\" <&0 &\nsleep 4\nkill -9 $!\nwait", to: "browser")
        try await expectFailure(
            "browser-failed", "site/index.html", of: site, "--browser", "browser")
    }

    @Test(arguments: [
        "<script>for (;;);</script>", "<script src=/slow.js></script><script>while (1);</script>",
        "<script>location.replace('/other.html')</script>",
    ])
    func pageThatNeverLoadsIsAnError(script: String) async throws {
        let site = try site(Self.plain + script)
        try await expectFailure(
            "page-not-loaded", "site/index.html", of: site, "--page-timeout", "8")
    }

    @Test func interruptLeavesTheFile() async throws {
        let site = try site(Self.plain + "<script>for (;;);</script>")
        try site.folder.write("before", to: "imgbake.sizes.json")
        let command = try site.start(command: "measure", ["site"])
        try await Task.sleep(for: .seconds(2))
        command.signal(SIGTERM)
        #expect(try await command.result().exitCode == 143)
        #expect(try site.folder.text("imgbake.sizes.json") == "before")
    }
}
