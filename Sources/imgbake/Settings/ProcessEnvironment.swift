import Files
import Foundation

/// The environment of the command: the current folder, environment variables, its own executable.
struct ProcessEnvironment: Sendable {
    var workingDirectory: String
    /// Returns the value of an environment variable; nil if it is not set or empty.
    var variable: @Sendable (String) -> String?
    /// The names of all environment variables.
    var variableNames: [String] = []
    /// The path of this executable.
    var executable: String

    static let current = ProcessEnvironment(
        workingDirectory: resolvedPath(".") ?? "/",
        variable: { name in environmentVariable(name).flatMap { $0.isEmpty ? nil : $0 } },
        variableNames: Array(ProcessInfo.processInfo.environment.keys),
        executable: resolvedPath("/proc/self/exe") ?? CommandLine.arguments[0])

    func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : workingDirectory + "/" + path
    }

    /// The default folder of the cache, by the XDG Base Directory Specification.
    ///
    /// - Throws: ``UsageError`` if there is no home folder.
    func defaultCacheDirectory() throws -> String {
        // The specification says to ignore relative paths.
        if let caches = variable("XDG_CACHE_HOME"), caches.hasPrefix("/") {
            return caches + "/imgbake"
        }
        guard let home = variable("HOME") else {
            throw UsageError("there is no home folder for the cache: give '--cache-dir'")
        }
        return absolute(home) + "/.cache/imgbake"
    }

    /// The folders of programs.
    var path: String { variable("PATH") ?? "/usr/local/bin:/usr/bin:/bin" }

    /// The path of a program in the folders of ``path``; nil if it is in none.
    ///
    /// Relative folders do not count: they may have a program of the site.
    func program(_ name: String) -> String? {
        path.split(separator: ":").filter { $0.hasPrefix("/") }.map { "\($0)/\(name)" }
            .first(where: Self.isProgram)
    }

    /// Whether a file can be started.
    static func isProgram(_ path: String) -> Bool {
        FileStatus(path, followingLinks: true)?.kind == .file && access(path, X_OK) == 0
    }

    /// The path of the worker: `IMGBAKE_WORKER`, or else beside this executable.
    var worker: String {
        if let named = variable("IMGBAKE_WORKER") { return absolute(named) }
        let folder = folderAndName(of: executable).folder
        // One in the current folder may be of somebody else.
        return (folder == "." ? "" : folder) + "/imgbake-worker"
    }
}
