import ArgumentParser
import Baking
import Files
import Pictures

/// The argument that names the lockfile.
struct LockfileArgument: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The lockfile. (default: imgbake.lock beside imgbake.yml, else in the current folder)
            """,
            valueName: "file"),
        completion: .file(extensions: ["lock"]), transform: nonEmpty)
    var lock: String?

    /// The path of the lockfile, as it is shown and absolute.
    ///
    /// - Throws: ``UsageError`` if it is not clear which configuration file is read.
    func path(
        _ configuration: ConfigurationArguments, site: String, in environment: ProcessEnvironment
    ) throws -> (name: String, path: String) {
        try pathBesideConfiguration(lock, Lockfile.name, configuration, site: site, in: environment)
    }
}

/// The arguments of a bake that uses a lockfile.
struct LockArguments: ParsableArguments {
    @Flag(
        name: [.long, .customLong("frozen")],
        help: """
            Use only the images in the lockfile, and ask servers only for those that the cache lacks. \
            An image that is not in the lockfile, or that a server gives otherwise, is an error.
            """)
    var locked = false

    @OptionGroup var lockfile: LockfileArgument

    func validate() throws {
        if lockfile.lock != nil, !locked {
            throw ValidationError("'--lock' needs '--locked'")
        }
    }

    /// The lockfile; nil if it is not used.
    ///
    /// - Throws: ``UsageError`` if there is no lockfile; ``FatalProblem`` if it cannot be used.
    func read(
        _ configuration: ConfigurationArguments, site: String, in environment: ProcessEnvironment
    ) throws -> Lockfile? {
        guard locked else { return nil }
        let (name, path) = try lockfile.path(configuration, site: site, in: environment)
        guard let file = try Lockfile.read(path, named: name)?.file else {
            throw UsageError("there is no lockfile \(name): run 'imgbake lock \(site)' first")
        }
        return file
    }
}
