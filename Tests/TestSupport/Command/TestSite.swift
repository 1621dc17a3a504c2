/// A site in its own folder with its own cache, which the built command bakes.
package struct TestSite: Sendable {
    /// The folder that contains `site`, `cache` and, if requested, an output folder.
    package let folder: TemporaryDirectory

    /// Creates a site from `files`, which are texts by their paths.
    package init(_ files: [String: String]) throws {
        folder = try TemporaryDirectory()
        try restore(files)
    }

    /// Writes `files` into the site, replacing existing ones.
    package func restore(_ files: [String: String]) throws {
        try folder.write("", to: "site/.keep")
        for (path, text) in files { try folder.write(text, to: "site/" + path) }
    }

    /// The text of a file in the site.
    package func text(_ path: String) throws -> String { try folder.text("site/" + path) }

    /// The sorted paths of the images in the image folder, without the file that marks it.
    package func images(in directory: String = "site/imgbake") throws -> [String] {
        guard folder.exists(directory) else { return [] }
        return try folder.files(below: directory).filter { !$0.hasPrefix(".") }
    }

    /// Bakes with the arguments that every test needs and the given ones.
    package func bake(
        _ arguments: String..., environment: [String: String] = [:]
    ) async throws -> CommandResult {
        try await start(arguments, environment: environment).result()
    }

    /// Starts a bake or another subcommand without waiting for its end.
    package func start(
        command: String = "site", _ arguments: [String] = [], environment: [String: String] = [:]
    ) throws -> Command {
        try Command(
            Command.built("imgbake"), [command, "--allow-private-network"] + arguments,
            environment: self.environment.merging(environment) { $1 }, directory: folder.path)
    }

    /// Runs the command with exactly these arguments in the folder of the site.
    package func run(
        _ arguments: String..., environment: [String: String] = [:]
    ) async throws -> CommandResult {
        try await Command.run(
            Command.built("imgbake"), arguments,
            environment: self.environment.merging(environment) { $1 }, directory: folder.path)
    }

    /// The environment variables that make the command use the test's cache, and the same number
    /// for all pictures.
    package var environment: [String: String] {
        ["IMGBAKE_CACHE_DIR": folder.path("cache"), "IMGBAKE_QUALITY": "80"]
    }

    /// The environment variables for bakes of many pictures.
    ///
    /// `cache` is the path of the cache.
    package static func variables(cache: String) -> [String: String] {
        ["IMGBAKE_CACHE_DIR": cache, "IMGBAKE_QUALITY": "80"]
    }
}
