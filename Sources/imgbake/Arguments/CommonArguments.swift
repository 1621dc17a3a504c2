import ArgumentParser

/// Which cache folder is meant.
struct CacheArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Where the cache is. (default: $IMGBAKE_CACHE_DIR, else imgbake.yml, else \
            $XDG_CACHE_HOME/imgbake)
            """, valueName: "folder"),
        completion: .directory)
    var cacheDir: String?

    @Option(
        help: ArgumentHelp(
            "A part of the cache with entries of its own.", valueName: "name"))
    var namespace: String?

    func validate() throws {
        if cacheDir == "" { throw ValidationError("'--cache-dir' is an empty name.") }
    }
}

/// Which `imgbake.yml` is meant.
struct ConfigurationArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Take what is not given here from this file. (default: imgbake.yml or imgbake.yaml in the \
            current folder, else in the site)
            """,
            valueName: "file"),
        completion: .file(extensions: ["yml", "yaml"]))
    var config: String?

    @Flag(help: "Read no imgbake.yml.")
    var noConfig = false

    func validate() throws {
        if config == "" { throw ValidationError("'--config' is an empty name.") }
        if config != nil, noConfig {
            throw ValidationError("Give one of '--config' and '--no-config'.")
        }
    }
}

/// What a URL that comes to nothing comes to.
enum ErrorPolicy: String, CaseIterable, ExpressibleByArgument {
    case fail, warn
}

/// What is said.
struct ReportArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            What an image that cannot be had comes to: fail (exit code 1, after all else is \
            done) or warn (exit code 0). (default: fail)
            """, valueName: "policy"))
    var onError: ErrorPolicy?

    @Flag(help: "Write the totals as one JSON object to standard output.")
    var json = false

    @Flag(name: [.short, .long], help: "Say nothing but errors.")
    var quiet = false

    @Flag(name: [.short, .long], help: "Say what is requested and what is answered.")
    var verbose = false

    func validate() throws {
        if quiet && verbose { throw ValidationError("Give one of '--quiet' and '--verbose'.") }
    }
}

extension TimeSpan: ExpressibleByArgument {
    init?(argument: String) { self.init(argument) }
}

extension ByteSize: ExpressibleByArgument {
    init?(argument: String) { self.init(argument) }
}

/// Refuses a number outside of its bounds.
func check(_ number: Int?, in bounds: ClosedRange<Int>, _ option: String) throws {
    guard let number, !bounds.contains(number) else { return }
    throw ValidationError(
        "'\(option) \(number)' must be from \(bounds.lowerBound) to \(bounds.upperBound).")
}

/// Refuses a time outside of its bounds.
func check(_ span: TimeSpan?, in bounds: ClosedRange<Duration>, _ option: String) throws {
    guard let span, !bounds.contains(span.duration) else { return }
    throw ValidationError(
        "'\(option) \(span.text)' must be over 0 and at most "
            + "\(bounds.upperBound.components.seconds)s.")
}
