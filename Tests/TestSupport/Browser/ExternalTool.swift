import Foundation

/// A program outside this package that tests run, such as a browser or a site generator.
///
/// `scripts/test` installs them. A suite that needs one is enabled if ``isExpected``. Without the
/// program it is skipped on a developer's machine and fails in continuous integration.
package struct ExternalTool: Sendable {
    package let name: String
    /// The names of the executable, the preferred one first.
    let executables: [String]
    /// The folder in `.build` into which `scripts/lib/setup.sh` installs programs with pip.
    let folder: String

    package init(name: String, executables: [String], folder: String = "python") {
        self.name = name
        self.executables = executables
        self.folder = folder
    }

    private static let build: String = {
        var root = URL(filePath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        return root.appending(path: ".build").path
    }()

    package static let chromium = ExternalTool(
        name: "Chromium",
        executables: ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"])
    /// Chromium without windows, which has the same engine and takes half of the processor time;
    /// without it, ``chromium``.
    package static let headlessChromium = ExternalTool(
        name: "Chromium",
        executables: ["chromium-headless-shell", "chrome-headless-shell"] + chromium.executables)
    package static let hugo = ExternalTool(name: "Hugo", executables: ["hugo"])
    package static let jekyll = ExternalTool(name: "Jekyll", executables: ["jekyll"])
    package static let pandoc = ExternalTool(name: "pandoc", executables: ["pandoc"])
    package static let mkdocs = ExternalTool(name: "MkDocs", executables: ["mkdocs"])
    package static let zensical = ExternalTool(name: "Zensical", executables: ["zensical"])
    package static let pelican = ExternalTool(name: "Pelican", executables: ["pelican"])
    package static let sphinx = ExternalTool(name: "Sphinx", executables: ["sphinx-build"])
    package static let zsh = ExternalTool(name: "zsh", executables: ["zsh"])
    package static let fish = ExternalTool(name: "fish", executables: ["fish"])
    /// The Python interpreter for the Python generators.
    package static let python = ExternalTool(name: "Python", executables: ["python3"])

    /// The path of the program, in a folder of this package or on the path; nil if it is not installed.
    package var path: String? {
        let variable = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let folders =
            [Self.build + "/\(folder)/bin"] + variable.split(separator: ":").map(String.init)
        return executables.lazy
            .flatMap { executable in folders.lazy.map { "\($0)/\(executable)" } }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Whether tests that need the program must run: it is installed, or `CI` is set, in which case
    /// its absence is a failure.
    package var isExpected: Bool {
        path != nil || !(ProcessInfo.processInfo.environment["CI"] ?? "").isEmpty
    }

    /// The reason why tests that need the program are skipped.
    package var absence: String {
        "\(name) is not installed; scripts/test installs it"
    }

    /// The path of the program.
    ///
    /// - Throws: ``MissingTool`` if it is not installed.
    package func required() throws -> String {
        guard let path else { throw MissingTool(description: absence) }
        return path
    }
}

/// The error of a missing program that tests need.
package struct MissingTool: Error, CustomStringConvertible {
    package let description: String
}
