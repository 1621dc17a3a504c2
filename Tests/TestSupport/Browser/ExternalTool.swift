import Foundation

/// A program that tests run and that is no part of this package: a browser, a site generator.
///
/// `scripts/test` installs them. A suite that needs one has the trait
/// `.enabled(if: ExternalTool.chromium.isExpected, ExternalTool.chromium.absence)`. Without the
/// program it is skipped on a developer's machine and fails in continuous integration.
package struct ExternalTool: Sendable {
    package let name: String
    /// Names of the executable, the preferred one first.
    let executables: [String]

    package init(name: String, executables: [String]) {
        self.name = name
        self.executables = executables
    }

    package static let chromium = ExternalTool(
        name: "Chromium",
        executables: ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"])
    package static let hugo = ExternalTool(name: "Hugo", executables: ["hugo"])
    package static let jekyll = ExternalTool(name: "Jekyll", executables: ["jekyll"])
    package static let pandoc = ExternalTool(name: "pandoc", executables: ["pandoc"])
    package static let mkdocs = ExternalTool(name: "MkDocs", executables: ["mkdocs"])
    package static let sphinx = ExternalTool(name: "Sphinx", executables: ["sphinx-build"])
    /// The Python that has the Python generators.
    package static let python = ExternalTool(name: "Python", executables: ["python3"])

    /// Where the program is: in ``pythonTools`` or on the path; nil where it is not installed.
    package var path: String? {
        let variable = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let folders = [Self.pythonTools] + variable.split(separator: ":").map(String.init)
        return executables.lazy
            .flatMap { executable in folders.lazy.map { "\($0)/\(executable)" } }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Whether tests that need the program are to run: it is installed, or `CI` is set, where its
    /// absence is a failure.
    package var isExpected: Bool {
        path != nil || !(ProcessInfo.processInfo.environment["CI"] ?? "").isEmpty
    }

    /// Why tests that need the program are skipped.
    package var absence: String {
        "\(name) is not installed; scripts/test installs it"
    }

    /// The path of the program.
    ///
    /// - Throws: ``MissingTool`` where it is not installed.
    package func required() throws -> String {
        guard let path else { throw MissingTool(description: absence) }
        return path
    }

    /// The folder of programs that `scripts/lib/setup.sh` installs with pip.
    package static let pythonTools: String = {
        var root = URL(filePath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        return root.appending(path: ".build/python/bin").path
    }()
}

/// A program that tests need is not installed.
package struct MissingTool: Error, CustomStringConvertible {
    package let description: String
}
