import FetchCache

var configuration = FetchConfiguration(folder: FilePath(CommandLine.arguments[1]))
configuration.downloader.network.allowsPrivateNetwork = true
try await FetchManager.withCache(configuration) { cache in
    for url in CommandLine.arguments.dropFirst(2) {
        do {
            let image = try await cache.load(FetchRequest(url))
            print(image.origin, image.mediaType, image.byteCount, image.path)
        } catch {
            print("\(error)")
        }
    }
}
