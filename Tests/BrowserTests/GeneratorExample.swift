import Foundation
import TestSupport
import Testing

/// A project of `examples/` in a temporary folder, which a generator builds.
///
/// Its images come from a server of the test and not from that of the demo.
struct GeneratorExample {
    /// The command that builds the project.
    struct Build: Sendable {
        var tool: ExternalTool
        var arguments: [String]
        /// The documents for each of which the tool runs, with `NAME.md` and `NAME.html` as further
        /// arguments; empty for one run.
        var documents: [String] = []
        /// The folder of the built site, relative to the project.
        var folder: String
        /// The path of the site on its host, as in the configuration.
        var basePath: String
    }

    let build: Build
    let site: TestSite
    private let origin: Origin
    /// Serves the site that is looked at, at the address that its configuration gives.
    private let server: SiteServer

    init(_ name: String, _ build: Build) async throws {
        self.build = build
        origin = try await Origin.start()
        for (path, route) in try Self.images() { origin[path] = route }
        let examples = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "examples")
        let folder = examples.appending(path: name)
        let walk = try #require(FileManager.default.enumerator(atPath: folder.path))
        site = try TestSite([:])
        server = try await SiteServer.start(
            site.folder.path("served"), basePath: build.basePath)
        let host = String(server.url.dropLast(server.url.hasSuffix("/") ? 1 : 0))
            .split(separator: "/").prefix(2).joined(separator: "//")
        for case let path as String in walk {
            let file = folder.appending(path: path)
            guard let data = try? Data(contentsOf: file) else { continue }
            let text = String(decoding: data, as: UTF8.self)
                .replacing("http://127.0.0.1:8431", with: origin.url)
                .replacing("https://example.org", with: host)
            try site.restore([path: text])
        }
    }

    /// Stops the server of the images.
    func shutdown() async { await origin.shutdown() }

    /// The images that the examples name.
    private static func images() throws -> [String: OriginRoute] {
        let logo = "<svg xmlns='http://www.w3.org/2000/svg' width='64' height='64'/>"
        func scene(_ seed: UInt64, _ encoding: String) throws -> OriginRoute {
            .init(try Pictures.scene(width: 320, height: 240, seed: seed, as: encoding))
        }
        return [
            "/photos/ridge.jpg": try scene(1, "jpg"), "/photos/ridge-800.jpg": try scene(2, "jpg"),
            "/photos/coast.png": try scene(3, "png"),
            "/photos/coast-small.png": try scene(4, "png"), "/art/paper.png": try scene(5, "png"),
            "/art/moons.gif": .init(try Pictures.animation()),
            "/brand/logo.svg": .init(Array(logo.utf8), contentType: "image/svg+xml"),
        ]
    }

    /// Bakes the project with its own configuration.
    func bake(_ arguments: String...) async throws -> CommandResult {
        try await site.start(arguments + configuration).result()
    }

    /// Bakes one folder of the project in place.
    func bake(part: String) async throws -> CommandResult {
        try await site.start(command: "site/" + part, configuration).result()
    }

    /// Checks the project with its own configuration.
    func check() async throws -> CommandResult {
        try await Command.run(
            Command.built("imgbake"), ["check", "site"] + configuration,
            environment: site.environment, directory: site.folder.path)
    }

    private var configuration: [String] {
        site.folder.exists("site/imgbake.yml") ? ["--config", "site/imgbake.yml"] : []
    }

    /// Runs the generator on the project at `folder`, relative to the test's folder.
    ///
    /// - Returns: The path of the built site, relative to the same.
    func generate(_ folder: String = "site") async throws -> String {
        let runs = build.documents.map { ["\($0).md", "-o", "\($0).html"] }
        for arguments in runs.isEmpty ? [[]] : runs {
            let result = try await Command.run(
                build.tool.required(), build.arguments + arguments,
                environment: ["LC_ALL": "C.UTF-8"], directory: site.folder.path(folder))
            let isBuilt = result.exitCode == 0
            try #require(isBuilt, "\(result.errors) \(result.output)")
        }
        return build.folder.isEmpty ? folder : folder + "/" + build.folder
    }

    /// Loads every page of a built site, and counts the images that each shows, by the page's path.
    ///
    /// If it is baked, all of them must come from the site itself.
    func look(at folder: String, isBaked: Bool) async throws -> [String: Int] {
        let served = site.folder.path("served")
        try? FileManager.default.removeItem(atPath: served)
        try FileManager.default.createSymbolicLink(
            atPath: served, withDestinationPath: site.folder.path(folder))
        let host = String(server.url.dropFirst("http://".count).prefix { $0 != "/" })
        var counts: [String: Int] = [:]
        for path in try site.folder.files(below: folder) where path.hasSuffix(".html") {
            let page = try await Browser.shared.load(server.url + "/" + path)
            let boxes = try await page.imageBoxes()
            counts[path] = boxes.count
            guard isBaked else { continue }
            #expect(boxes.filter { !$0.isComplete } == [], "\(path)")
            for request in page.requests where request.kind == "Image" || request.host == host {
                // The browser may start to load one source of a `<picture>` and then use another.
                let isGivenUp = request.failure == "net::ERR_ABORTED"
                #expect(request.hasSucceeded || isGivenUp, "\(path) \(request)")
                #expect(request.host == nil || request.host == host, "\(path) \(request)")
            }
        }
        return counts
    }
}
