import Baking
import Foundation

/// What the command takes from around it: the current folder, the environment, where it lies itself.
struct Surroundings: Sendable {
    var workingDirectory: String
    /// Gives the value of an environment variable; nil of one that is not set or empty.
    var environment: @Sendable (String) -> String?
    /// The path of this executable.
    var executable: String

    static var current: Surroundings {
        Surroundings(
            workingDirectory: resolvedPath(".") ?? "/",
            environment: { name in
                getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
            },
            executable: resolvedPath("/proc/self/exe") ?? CommandLine.arguments[0])
    }

    func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : workingDirectory + "/" + path
    }

    /// Where the cache is: where the option says, else the environment, else the configuration file,
    /// else by the XDG Base Directory Specification.
    func cacheDirectory(option: String?, configured: String?) throws -> String {
        if let asked = option ?? environment("IMGBAKE_CACHE_DIR") { return absolute(asked) }
        if let configured { return configured }
        // The specification has relative paths ignored.
        if let caches = environment("XDG_CACHE_HOME"), caches.hasPrefix("/") {
            return caches + "/imgbake"
        }
        guard let home = environment("HOME") else {
            throw UsageFault("there is no home folder to keep the cache in: give '--cache-dir'")
        }
        return absolute(home) + "/.cache/imgbake"
    }

    /// The worker: beside this executable, or where `IMGBAKE_WORKER` says.
    var worker: String {
        if let named = environment("IMGBAKE_WORKER") { return absolute(named) }
        let folder = executable.prefix(upTo: executable.lastIndex(of: "/") ?? executable.startIndex)
        return folder + "/imgbake-worker"
    }
}
