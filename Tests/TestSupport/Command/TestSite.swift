/// A site in a folder of its own, with a cache of its own, to be baked by the built command.
package struct TestSite: Sendable {
    /// Holds `site`, `cache` and, when asked for, an output folder.
    package let folder: TemporaryDirectory

    /// Makes a site of `files`, texts by their paths.
    package init(_ files: [String: String]) throws {
        folder = try TemporaryDirectory()
        try restore(files)
    }

    /// Writes `files` into the site, over what is there.
    package func restore(_ files: [String: String]) throws {
        try folder.write("", to: "site/.keep")
        for (path, text) in files { try folder.write(text, to: "site/" + path) }
    }

    /// The text of a file in the site.
    package func text(_ path: String) throws -> String { try folder.text("site/" + path) }

    /// The paths of the images in the image folder, sorted; not of the file that marks it.
    package func images(in directory: String = "site/imgbake") throws -> [String] {
        guard folder.exists(directory) else { return [] }
        return try folder.files(below: directory).filter { !$0.hasPrefix(".") }
    }

    /// Bakes with the arguments that every test needs, and these.
    package func bake(
        _ arguments: String..., environment: [String: String] = [:]
    ) async throws -> CommandResult {
        try await start(arguments, environment: environment).result()
    }

    /// Starts a bake, or another subcommand, without waiting for its end.
    package func start(
        command: String = "site", _ arguments: [String] = [], environment: [String: String] = [:]
    ) throws -> Command {
        try Command(
            Command.built("imgbake"), [command, "--allow-private-network"] + arguments,
            environment: self.environment.merging(environment) { $1 }, directory: folder.path)
    }

    /// Runs the command with exactly these arguments, beside the site.
    package func run(
        _ arguments: String..., environment: [String: String] = [:]
    ) async throws -> CommandResult {
        try await Command.run(
            Command.built("imgbake"), arguments,
            environment: self.environment.merging(environment) { $1 }, directory: folder.path)
    }

    /// The variables that keep the command to the cache of the test.
    package var environment: [String: String] { ["IMGBAKE_CACHE_DIR": folder.path("cache")] }
}
