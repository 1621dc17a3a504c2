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
                    let count = try await cache.removeAll { Self.isMatch($0, key) }
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

    /// Whether a key is that of a request, or the same with more details.
    ///
    /// The request may also be as `cache list` shows it, with hidden parts.
    private static func isMatch(_ key: String, _ request: String) -> Bool {
        let name = hasHiddenParts(request) ? keyWithoutSecrets(key) : key
        return name == request || name.hasPrefix(request + " ")
    }
}

extension FetchManager {
    /// Removes the entries and failures whose keys meet a condition.
    ///
    /// - Returns: The number of removed keys.
    func removeAll(where isUnwanted: (String) -> Bool) async throws(FetchError) -> Int {
        var keys: Set<String> = []
        for try await entry in entries where isUnwanted(entry.key) { keys.insert(entry.key) }
        for failure in try await failures() where isUnwanted(failure.key) {
            keys.insert(failure.key)
        }
        for key in keys { try await remove(key: key) }
        return keys.count
    }
}
