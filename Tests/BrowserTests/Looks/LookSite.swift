import Foundation
import TestSupport

/// The pages of all cases, baked in several ways and served, and what the browser makes of them.
///
/// Each is made once, when it is first asked for.
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

    /// The look of a page that was baked, or with nil, of the one that it was made from.
    func look(_ file: String, _ view: LookView, after bake: LookBake?) async throws -> Look {
        let key = LookKey(file: file, view: view, bake: bake)
        if let known = looks[key] { return try await known.value }
        let task = Task {
            let server =
                if let bake { try await baked(bake).server } else { try await source().server }
            return try await lanes.run { try await Self.load(file, view, from: server) }
        }
        looks[key] = task
        return try await task.value
    }

    /// The site as one bake has left it.
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
        _ file: String, _ view: LookView, from server: SiteServer
    ) async throws -> Look {
        let page = try await Browser.shared.load(
            "\(server.url)/\(file)", viewport: view.viewport, media: view.media,
            colorScheme: view.colorScheme)
        return Look(
            boxes: try await page.imageBoxes(), requests: page.requests,
            picture: view.scale == 1 ? try await page.screenshot(whole: true) : [],
            host: String(server.url.dropFirst("http://".count)))
    }
}

/// The pages before a bake, with images of another server.
final class SourceSite: Sendable {
    let folder: TemporaryDirectory
    let origin: Origin
    let server: SiteServer

    /// Writes the pages and lets generators make those of their themes.
    init() async throws {
        folder = try TemporaryDirectory()
        origin = try await LookPictures.serve()
        for page in LookPage.allCases {
            for (path, text) in page.files(origin: origin.url) {
                try folder.write(text, to: "site/" + path)
            }
        }
        for (path, text) in WidePages.files(origin: origin.url) {
            try folder.write(text, to: "site/" + path)
        }
        let site = folder.path("site")
        try await withThrowingTaskGroup { [folder, origin] group in
            for theme in LookTheme.allCases where theme.tool.path != nil {
                group.addTask { try await theme.build(in: folder, origin: origin.url) }
            }
            try await group.waitForAll()
        }
        server = try await SiteServer.start(site)
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
            for page in bake.pages {
                for (path, text) in page.files(origin: source.origin.url) {
                    try folder.write(text, to: "site/" + path)
                }
            }
            for (path, text) in WidePages.files(origin: source.origin.url) {
                try folder.write(text, to: "site/" + path)
            }
        }
        // Bakes share a cache, so that an image is fetched once.
        result = try await Command.run(
            Command.built("imgbake"),
            ["bake", input, "-o", folder.path("baked"), "--allow-private-network"]
                + bake.arguments,
            environment: ["IMGBAKE_CACHE_DIR": source.folder.path("cache")],
            directory: folder.path)
        server = try await SiteServer.start(folder.path("baked"))
    }
}

/// Pages with an image that is wider than the default limit.
enum WidePages {
    static func files(origin: String) -> [String: String] {
        [
            "wide.html": page("<img src=\(origin)/3000x2000-1.jpg>"),
            "narrow.html": page("<img src=\(origin)/1600x900-1.jpg>"),
        ]
    }

    private static func page(_ body: String) -> String {
        "<!DOCTYPE html><title>One image</title><body style=\"margin:0\">\(body)</body>\n"
    }
}
