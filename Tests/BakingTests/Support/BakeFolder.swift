import FetchCache
import TestSupport

@testable import Baking

/// A site and a cache in a folder of their own, and the options to bake it.
struct BakeFolder {
    let folder: TemporaryDirectory
    /// The absolute path of the site.
    var root: String { folder.path("site") }

    init(_ files: [String: String] = [:]) throws {
        folder = try TemporaryDirectory()
        try folder.write("", to: "site/.keep")
        for (path, text) in files { try folder.write(text, to: "site/" + path) }
    }

    /// Options without retries that allow servers on loopback.
    func options(
        worker: String = "/nowhere/imgbake-worker", _ change: (inout BakeOptions) -> Void = { _ in }
    ) -> BakeOptions {
        var fetching = FetchConfiguration(folder: FilePath(folder.path("cache")))
        fetching.downloader.network.allowsPrivateNetwork = true
        fetching.downloader.limits.retries = 0
        fetching.downloader.network.proxy = .none
        fetching.policy.cleansByItself = false
        var options = BakeOptions(input: root, worker: worker, workerCount: 1, fetching: fetching)
        options.displayName = "site"
        change(&options)
        return options
    }

    /// Every file of the site with its bytes.
    func contents() throws -> [String: [UInt8]] { try folder.contents(below: "site") }
}
