import FetchCache
import Foundation

// Every example in the documentation of FetchCache stands here too, so that it is compiled. A test
// compares them.

func openAndClose() async throws {
    let cache = try FetchManager(FetchConfiguration(folder: "/var/cache/images"))
    let cat = try await cache.load(FetchRequest("https://example.org/cat.png"))
    print(cat.path, cat.mediaType, cat.origin)
    await cache.close()
}

func lend() async throws -> Int {
    let size = try await FetchManager.withCache(at: "/var/cache/images") { cache in
        try await cache.load(FetchRequest("https://example.org/cat.png")).byteCount
    }
    return size
}

func transform(_ cache: FetchManager) async throws -> Resource {
    var request = FetchRequest("https://example.org/cat.png", priority: .high)
    request.timeToLive = .seconds(86_400)
    request.transform = Transform(identity: "thumbnail 200 v1") { source, output in
        try await makeThumbnail(of: source.path, at: output)
    }
    let thumbnail = try await cache.load(request) { progress in
        print(progress.receivedBytes, progress.expectedBytes ?? 0)
    }
    return thumbnail
}

/// Stands for what an image library does.
private func makeThumbnail(of source: FilePath, at output: FilePath) async throws {
    try FileManager.default.copyItem(atPath: source.string, toPath: output.string)
}

func prefetch(_ urls: [String], into cache: FetchManager) async throws -> Prefetcher.Totals {
    let totals = try await Prefetcher(cache).prefetch(urls) { print($0.doneCount, $0.totalCount) }
    return totals
}

func checkBodies(_ configuration: inout FetchConfiguration) {
    configuration.downloader.bodyCheck = BodyCheck(identity: "no GIF") { beginning in
        beginning.bytes.starts(with: Array("GIF8".utf8))
            ? .refused(reason: "GIF files are not allowed") : .accepted
    }
}

func hold(_ cache: FetchManager) async throws {
    let task = cache.start("https://example.org/cat.png")
    for await progress in task.progress { print(progress.receivedBytes) }
    print(try await task.value.path)
}

func watch(_ cache: FetchManager) async {
    for await event in cache.events {
        if case .failed(let error) = event.kind { print(error) }
    }
}

func downloadWithoutCache() async throws {
    let downloader = try FetchDownloader(in: "/var/tmp/downloads")
    let cat = try await downloader.download(
        FetchRequest("https://example.org/cat.png"), to: "/cat.png")
    print(cat.mediaType, cat.byteCount)
    await downloader.close()
}
