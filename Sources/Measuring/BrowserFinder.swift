import Baking
import Glibc
package import Reports

/// Finds an installed browser.
package enum BrowserFinder {
    /// The names of the programs, the preferred one first.
    package static let names = [
        "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome",
        "chrome-headless-shell", "chromium-headless-shell",
    ]

    /// The path of a browser.
    ///
    /// - Parameters:
    ///   - given: The path that the user gave; nil to look in folders.
    ///   - folders: The folders of programs, as in `PATH`.
    /// - Returns: The path.
    /// - Throws: ``Problem`` if there is none.
    package static func browser(_ given: String?, in folders: [String]) throws(Problem) -> String {
        if let given {
            guard isProgram(given) else {
                throw Problem(.browserMissing, "'\(given)' is not a program that can be started")
            }
            return given
        }
        for name in names {
            for folder in folders where folder.hasPrefix("/") && isProgram("\(folder)/\(name)") {
                return "\(folder)/\(name)"
            }
        }
        throw Problem(.browserMissing, "there is no Chromium or Chrome in the folders of PATH")
    }

    private static func isProgram(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
        return access(path, X_OK) == 0
    }
}
