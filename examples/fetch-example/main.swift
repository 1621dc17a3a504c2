import FetchCache

try await FetchManager.withCache(at: FilePath(CommandLine.arguments[1])) { cache in
    for url in CommandLine.arguments.dropFirst(2) {
        do {
            let image = try await cache.load(url)
            print(image.origin, image.mediaType, image.byteCount, image.path)
        } catch {
            print("\(error)")
        }
    }
}
