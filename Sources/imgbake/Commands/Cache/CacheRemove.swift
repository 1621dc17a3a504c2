import ArgumentParser
import Baking
import FetchCache
import Reports
import Secrets

struct CacheRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove the entries and the remembered failures of URLs.",
        discussion: "Exit codes: 0 each URL was removed; 1 nothing was stored for some of them.")

    @Argument(help: ArgumentHelp("The URLs to remove.", valueName: "url"))
    var urls: [String]

    @OptionGroup var folder: CacheFolderArguments

    func run() async throws {
        let urls = urls
        try await folder.run { cache, _ in
            var isComplete = true
            for url in urls {
                do throws(FetchError) {
                    let key =
                        hasHiddenParts(url) ? url : try cache.key(for: FetchRequest(url))
                    let count = try await Self.remove(key, from: cache)
                    isComplete = isComplete && count > 0
                    let what = count > 0 ? "removed" : "nothing is stored of"
                    Console.output.write(printable("\(what) \(keyWithoutSecrets(key))") + "\n")
                } catch {
                    isComplete = false
                    Console.error.write(
                        Diagnostic(error.problem, .error, url: error.url).lines())
                }
            }
            if !isComplete { throw ExitCode(1) }
        }
    }

    /// Removes everything stored under a key, or under the same key with more details of the
    /// request.
    ///
    /// The key may also be as `cache list` shows it, with hidden parts.
    ///
    /// - Returns: The number of removed entries and failures.
    private static func remove(
        _ key: String, from cache: FetchManager
    ) async throws(FetchError) -> Int {
        var keys: Set<String> = []
        let isHidden = hasHiddenParts(key)
        func take(_ other: String) {
            let name = isHidden ? keyWithoutSecrets(other) : other
            if name == key || name.hasPrefix(key + " ") { keys.insert(other) }
        }
        for try await entry in cache.entries { take(entry.key) }
        for failure in try await cache.failures() { take(failure.key) }
        for key in keys { try await cache.remove(key: key) }
        return keys.count
    }
}
