import ArgumentParser
import FetchCache

/// The argument that names the `imgbake.yml` to read.
struct ConfigurationArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Read this configuration file. (default: imgbake.yml or imgbake.yaml in the current \
            folder, else in the site)
            """,
            valueName: "file"),
        completion: .file(extensions: ["yml", "yaml"]))
    var config: String?

    @Flag(help: "Read no configuration file.")
    var noConfig = false

    func validate() throws {
        if config == "" { throw ValidationError("'--config' has an empty name") }
        if config != nil, noConfig {
            throw ValidationError("give one of '--config' and '--no-config'")
        }
    }
}

/// The arguments that say how stored resources are used.
struct ModeArguments: ParsableArguments {
    @Flag(help: "Send a request even for fresh images.")
    var refresh = false

    @Flag(help: "Make no request; use only the cache.")
    var offline = false

    /// The way in which stored resources are used.
    var mode: FetchRequest.Mode { refresh ? .refresh : offline ? .offline : .normal }

    func validate() throws {
        if refresh && offline {
            throw ValidationError(
                "'--refresh' needs requests and '--offline' forbids them: give one")
        }
    }
}

/// The arguments of commands that do not request a URL again which failed in an earlier run.
struct RetryArguments: ParsableArguments {
    @OptionGroup var resources: ModeArguments

    @Flag(help: "Retry URLs that failed in an earlier run.")
    var retryFailed = false

    /// The way in which stored resources are used.
    var mode: FetchRequest.Mode { resources.mode }

    func validate() throws {
        if retryFailed && resources.offline {
            throw ValidationError(
                "'--retry-failed' needs requests and '--offline' forbids them: give one")
        }
    }
}

/// The arguments that choose the amount and the form of the output.
struct ReportArguments: ParsableArguments {
    @Flag(help: "Write the totals as one JSON object to standard output.")
    var json = false

    @Flag(name: [.short, .long], help: "Write only errors.")
    var quiet = false

    @Flag(name: [.short, .long], help: "Write each request, each response and all details.")
    var verbose = false

    @Option(
        help: ArgumentHelp(
            "When to use colours: auto, always or never. (default: auto, which respects NO_COLOR)",
            valueName: "when"),
        completion: ColourChoice.completion, transform: ColourChoice.read)
    var color = ColourChoice.auto

    func validate() throws {
        if quiet && verbose { throw ValidationError("give one of '--quiet' and '--verbose'") }
    }
}
