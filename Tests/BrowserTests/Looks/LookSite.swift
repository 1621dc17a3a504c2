import Foundation
import TestSupport

/// The pages of all cases, baked in several ways and served, and their appearance in the browser.
///
/// Each is made once, on first use.
actor LookSite {
    static let shared = LookSite()

    private let lanes = Lanes(2)
    private var looks: [LookKey: Task<Look, any Error>] = [:]
    private var bakes: [LookBake: Task<BakedSite, any Error>] = [:]
    private var sources: Task<SourceSite, any Error>?

    private struct LookKey: Hashable {
        var file: String
        var view: LookView
        var bake: LookBake?
    }

    /// The appearance of a baked page; with nil, of the original page.
    func look(_ file: String, _ view: LookView, after bake: LookBake?) async throws -> Look {
        let key = LookKey(file: file, view: view, bake: bake)
        if let known = looks[key] { return try await known.value }
        let task = Task {
            let server =
                if let bake { try await baked(bake).server } else { try await source().server }
            let page = LookPage.allCases.first { $0.file == file }
            let hasPicture =
                bake ?? .standard == .standard && page?.viewsOfPixels.contains(view) == true
            return try await lanes.run {
                try await Self.load(file, view, from: server, hasPicture: hasPicture)
            }
        }
        looks[key] = task
        return try await task.value
    }

    /// The site after a bake.
    func baked(_ bake: LookBake) async throws -> BakedSite {
        if let known = bakes[bake] { return try await known.value }
        let task = Task { try await BakedSite(bake, from: try await source()) }
        bakes[bake] = task
        return try await task.value
    }

    /// The site before any bake.
    func source() async throws -> SourceSite {
        if let known = sources { return try await known.value }
        let task = Task { try await SourceSite() }
        sources = task
        return try await task.value
    }

    private static func load(
        _ file: String, _ view: LookView, from server: SiteServer, hasPicture: Bool
    ) async throws -> Look {
        let page = try await Browser.shared.load(
            "\(server.url)/\(file)", viewport: view.viewport, media: view.media,
            colorScheme: view.colorScheme)
        var look = Look(
            boxes: try await page.imageBoxes(), requests: page.requests,
            host: String(server.url.dropFirst("http://".count)))
        if hasPicture { look.picture = try await page.screenshot(whole: true) }
        if view == .desktop { look.files = try await PageFile.all(of: page) }
        return look
    }
}

/// The pages before a bake, with images of another server.
final class SourceSite: Sendable {
    let folder: TemporaryDirectory
    let origin: Origin
    let server: SiteServer

    /// Writes the pages, and runs generators for the pages with themes.
    init() async throws {
        folder = try TemporaryDirectory()
        origin = try await LookPictures.serve()
        let address = origin.url
        let pages =
            [SmallPages.files(origin: address)]
            + LookPage.allCases.map { $0.files(origin: address) }
        for (path, text) in pages.joined() { try folder.write(text, to: "site/" + path) }
        try await LookPictures.prepare(for: pages.flatMap(\.values), of: origin)
        try await withThrowingTaskGroup { [folder, origin] group in
            for theme in LookTheme.allCases where theme.tool.path != nil {
                group.addTask { try await theme.build(in: folder, origin: origin.url) }
            }
            try await group.waitForAll()
        }
        server = try await SiteServer.start(folder.path("site"))
    }
}

/// The pages after a bake.
final class BakedSite: Sendable {
    let folder: TemporaryDirectory
    let result: CommandResult
    let server: SiteServer

    init(_ bake: LookBake, from source: SourceSite) async throws {
        folder = try TemporaryDirectory()
        var input = source.folder.path("site")
        if bake != .standard {
            input = folder.path("site")
            let address = source.origin.url
            let pages =
                [SmallPages.files(origin: address)]
                + bake.pages.map { $0.files(origin: address) }
            for (path, text) in pages.joined() { try folder.write(text, to: "site/" + path) }
        }
        // Bakes share a cache, so that an image is fetched once.
        result = try await Command.run(
            Command.built("imgbake"),
            // The worker of a debug build takes long to write a large PNG.
            [
                "bake", input, "-o", folder.path("baked"), "--allow-private-network",
                "--image-timeout", "2m",
            ] + bake.arguments,
            environment: TestSite.variables(cache: source.folder.path("cache")),
            directory: folder.path)
        // Exit code 1 is for images that could not be baked; the page exists anyway.
        guard result.exitCode < 2 else { throw BakeError(bake: bake, reason: result.errors) }
        server = try await SiteServer.start(folder.path("baked"))
    }
}

/// A bake did not begin.
struct BakeError: Error {
    var bake: LookBake
    var reason: String
}

/// Pages with few images, for tests of their sizes and requests.
enum SmallPages {
    static func files(origin: String) -> [String: String] {
        [
            "wide.html": page("<img src=\(origin)/3000x2000-1.jpg>"),
            "narrow.html": page("<img src=\(origin)/1600x900-1.jpg>"),
            "preload.html": page(preload.replacing("ORIGIN", with: origin)),
        ]
    }

    private static let preload = """
        <link rel=preload as=image type=image/jpeg href=ORIGIN/480x320-6.jpg>
        <link rel=preload as=image imagesizes=50vw
        imagesrcset="ORIGIN/400x100-1.jpg 400w, ORIGIN/1200x300-1.jpg 1200w">
        <img src=ORIGIN/480x320-6.jpg>
        <img sizes=50vw srcset="ORIGIN/400x100-1.jpg 400w, ORIGIN/1200x300-1.jpg 1200w">
        """

    private static func page(_ body: String) -> String {
        "<!DOCTYPE html><title>Images</title><body style=\"margin:0\">\(body)</body>\n"
    }
}
