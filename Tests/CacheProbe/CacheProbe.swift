import FetchCache
import FoundationEssentials
import Glibc

/// A process that uses a cache, for tests that need several processes or kill one.
///
/// ```text
/// cache-probe load FOLDER URL COUNT [BASE]   loads URL/0 … URL/COUNT-1, says what each came to
/// cache-probe memory FOLDER URL COUNT        the same in memory only, twice: says the digests
/// cache-probe churn FOLDER URL COUNT         loads and cleans at random until it is killed
/// cache-probe rate FOLDER URL COUNT          the same as load, for a benchmark: says where they came
///                                            from, how many a second, and the peak memory in MB
/// cache-probe verify FOLDER                  says how many blobs are damaged or missing
/// cache-probe shared URL                     stores bytes in the shared cache, and says what happens
/// ```
@main
enum CacheProbe {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3 else { exit(2) }
        if arguments[1] == "shared" { return await shared(arguments[2]) }
        var configuration = FetchConfiguration(folder: FilePath(arguments[2]))
        configuration.downloader.network.allowsPrivateNetwork = true
        configuration.downloader.network.proxy = .none
        configuration.downloader.limits.retries = 0
        // A test may hold back an answer for as long as a busy machine takes.
        (configuration.downloader.times.stall, configuration.downloader.times.total) = (
            .seconds(600), nil
        )
        configuration.policy.cleansByItself = false
        if arguments[1] == "rate" { configuration.downloader.limits.transfersPerHost = 16 }
        if arguments.count > 5 { configuration.folder.readOnlyCaches = [FilePath(arguments[5])] }
        do {
            let cache = try FetchManager(configuration)
            switch arguments[1] {
            case "load": await load(cache, arguments[3], Int(arguments[4]) ?? 0)
            case "rate": try await rate(cache, arguments[3], Int(arguments[4]) ?? 0)
            case "churn": await churn(cache, arguments[3], Int(arguments[4]) ?? 0)
            default: try await verify(cache)
            }
            await cache.close()
        } catch {
            print(error)
        }
    }

    private static func load(_ cache: FetchManager, _ url: String, _ count: Int) async {
        await withTaskGroup(of: String.self) { group in
            for number in 0..<count {
                group.addTask {
                    do {
                        let request = FetchRequest("\(url)/\(number)")
                        return "\(number) \(try await cache.load(request).origin)"
                    } catch {
                        return "\(number) \(error)"
                    }
                }
            }
            for await line in group { print(line) }
        }
    }

    private static func rate(_ cache: FetchManager, _ url: String, _ count: Int) async throws {
        let start = ContinuousClock.now
        let totals = try await Prefetcher(cache).prefetch((0..<count).map { "\(url)/\($0)" })
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let counts = [
            ("network", totals.downloadedCount), ("revalidated", totals.revalidatedCount),
            ("disk", totals.skippedCount), ("failed", totals.failedCount),
        ]
        let origin = counts.max { $0.1 < $1.1 } ?? ("none", 0)
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        print(origin.0, origin.1, Int(Double(count) / seconds), usage.ru_maxrss / 1000)
    }

    /// Changes a cache in all ways, in random order, from several tasks.
    private static func churn(_ cache: FetchManager, _ url: String, _ count: Int) async {
        // Shows the test that the work has started.
        print("ready")
        fflush(nil)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    while true {
                        let request = FetchRequest("\(url)/\(Int.random(in: 0..<count))")
                        switch Int.random(in: 0..<20) {
                        case 0:
                            _ = try? await cache.clean(
                                maximumAge: nil, maximumBytes: Int.random(in: 0..<200_000))
                        case 1: _ = try? await cache.remove(request)
                        default: _ = try? await cache.load(request)
                        }
                    }
                }
            }
        }
    }

    /// Prints the default folder, whether all callers share one cache, and the path of a blob.
    private static func shared(_ url: String) async {
        print("folder \(FetchConfiguration.defaultFolder)")
        do throws(FetchError) {
            let cache = try FetchManager.shared()
            let isSame = try FetchManager.shared() === cache
            var request = FetchRequest(url)
            request.acceptsAnyContent = true
            _ = try await cache.store([1, 2, 3], for: request)
            request.mode = .offline
            let resource = try await FetchManager.shared().load(request)
            print("same \(isSame)", "path \(resource.path)", separator: "\n")
        } catch {
            print("error \(error.code)")
            // The next call tries again.
            setenv("XDG_CACHE_HOME", FileManager.default.currentDirectoryPath, 1)
            if let cache = try? FetchManager.shared(), let again = try? FetchManager.shared() {
                print("same \(again === cache)")
            }
        }
    }

    private static func verify(_ cache: FetchManager) async throws {
        let report = try await cache.verify()
        print("\(report.checkedCount) \(report.damaged.count) \(report.missing.count)")
    }
}
