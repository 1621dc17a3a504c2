import Foundation
import TestSupport

/// A site with one image that no worker lies about and some that a worker may lie about.
struct LyingSite {
    let site: TestSite
    /// The size of the first image to lie about; each further one has one byte more.
    let size: Int

    init(_ count: Int) throws {
        let picture = try Pictures.scene(width: 64, height: 48, as: "png")
        size = picture.count + 100
        let names = (0..<count).map { "lie\($0).png" }
        let lines = names.map { "<img src=\"\($0)\" srcset=\"\($0) 640w\">\n" }
        site = try TestSite(["a.html": lines.joined() + "<img src=\"good.png\">\n"])
        for (index, name) in names.enumerated() {
            let rest = [UInt8](repeating: 0, count: 100 + index)
            try site.folder.write(picture + rest, to: "site/" + name)
        }
        try site.folder.write(picture, to: "site/good.png")
    }

    /// Makes the worker tell these lies.
    ///
    /// The program stays the same when it is honest again, so the cache takes all that it has told
    /// for results of the same build.
    func lie(_ lies: String) async throws {
        try site.folder.write(lies, to: "lies/lie.json")
        if site.folder.exists("worker") { return }
        let worker = Command.built("imgbake-worker")
        try await site.folder.writeScript(
            """
            #!/bin/sh
            [ -f "\(site.folder.path("lies/lie.json"))" ] || exec "\(worker)" "$@"
            exec "\(Command.built("worker-probe"))" lie "\(site.folder.path("lies"))" "\(worker)"
            """, to: "worker")
    }

    /// Makes the worker honest.
    func tellTheTruth() async throws {
        try FileManager.default.removeItem(atPath: site.folder.path("lies/lie.json"))
    }

    /// Bakes a copy of the site.
    func bake(_ arguments: String...) async throws -> CommandResult {
        if site.folder.exists("out") {
            try FileManager.default.removeItem(atPath: site.folder.path("out"))
        }
        let worker = site.folder.exists("worker") ? site.folder.path("worker") : ""
        return try await site.start(
            ["--local", "-o", "out", "--jobs", "2", "--image-timeout", "60"] + arguments,
            environment: ["IMGBAKE_WORKER": worker]
        ).result()
    }

    /// The files of the copy.
    func files() throws -> [String: [UInt8]] { try site.folder.contents(below: "out") }
}
