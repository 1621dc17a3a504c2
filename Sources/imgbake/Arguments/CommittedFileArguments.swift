import ArgumentParser
import Baking
import Pictures
import Sites

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
        let (name, path) = try configuration.path(
            of: lockfile.lock, usual: Lockfile.name, site: site, in: environment)
        guard let file = try Lockfile.read(path, named: name)?.file else {
            throw UsageError("there is no lockfile \(name): run 'imgbake lock \(site)' first")
        }
        return file
    }
}

/// The argument that names the file of measured sizes.
struct SizesArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The file of measured widths, which 'imgbake measure' writes and --responsive uses. \
            (default: imgbake.sizes.json beside imgbake.yml, else in the current folder)
            """, valueName: "file"), completion: .file(extensions: ["json"]),
        transform: nonEmpty)
    var sizesFile: String?

    /// Adds the measured widths to the options of a bake that makes several widths.
    ///
    /// - Throws: ``UsageError`` if the file that the user named does not exist or is not used;
    ///   ``FatalProblem`` if it cannot be used.
    func add(
        to options: inout BakeOptions, _ configuration: ConfigurationArguments, site: String,
        in environment: ProcessEnvironment
    ) throws {
        guard options.reading.makesSeveral else {
            if sizesFile == nil { return }
            throw UsageError("'--sizes-file' needs '--responsive'")
        }
        let (name, path) = try configuration.path(
            of: sizesFile, usual: SizesFile.name, site: site, in: environment)
        options.reading.sizes = try SizesFile.read(path, named: name)
        guard options.reading.sizes != nil || sizesFile == nil else {
            throw UsageError(
                "there is no file \(name): run 'imgbake measure' on the built site first")
        }
    }
}

extension ConfigurationArguments {
    /// The path of a file that usually is beside the configuration file.
    ///
    /// - Parameters:
    ///   - given: The path that the user gave; nil for the usual one.
    ///   - usual: The usual name.
    ///   - site: The folder of the site in the form in which the user gave it.
    ///   - environment: The current folder.
    /// - Returns: The path in the form of the user's, and the absolute one.
    /// - Throws: ``UsageError`` if it is not clear which configuration file is read.
    func path(
        of given: String?, usual: String, site: String, in environment: ProcessEnvironment
    ) throws -> (name: String, path: String) {
        var name = given ?? usual
        let file = try SettingsFile.find(self, site: site, in: environment).file
        if given == nil, let file, let slash = file.name.utf8.lastIndex(of: UInt8(ascii: "/")) {
            name = file.name[...slash] + name
        }
        return (name, environment.absolute(name))
    }
}
