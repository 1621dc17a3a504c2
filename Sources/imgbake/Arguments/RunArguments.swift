import ArgumentParser
import Baking
import FetchCache
import Files
import Sites

/// A name on the command line: an unset variable in a script must not select the current folder.
///
/// - Throws: `ValidationError` if it is empty.
func nonEmpty(_ name: String) throws -> String {
    if name.isEmpty { throw ValidationError("it is an empty name") }
    return name
}

/// The argument that names the `imgbake.yml` to read.
struct ConfigurationArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Read this configuration file. (default: imgbake.yml or imgbake.yaml in the current \
            folder, else in the site)
            """,
            valueName: "file"),
        completion: .file(extensions: ["yml", "yaml"]), transform: nonEmpty)
    var config: String?

    @Flag(help: "Read no configuration file.")
    var noConfig = false

    func validate() throws {
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

    func validate() throws {
        if quiet && verbose { throw ValidationError("give one of '--quiet' and '--verbose'") }
    }
}

/// The argument that writes the baseline.
struct BaselineArguments: ParsableArguments {
    @Flag(help: "Write the errors of this run to the baseline, and exit with code 0.")
    var updateBaseline = false

    /// The baseline of a run.
    ///
    /// - Parameters:
    ///   - settings: The effective settings.
    ///   - isWhole: Whether the run finds all failures of the site.
    ///   - environment: The current folder.
    /// - Returns: The baseline; nil if the settings name none.
    /// - Throws: ``UsageError``; ``FatalProblem`` or ``BakeError`` if the file cannot be used.
    func baseline(
        _ settings: Settings, isWhole: Bool, in environment: ProcessEnvironment
    ) throws -> Baseline? {
        if updateBaseline, !isWhole {
            throw UsageError(
                "'--update-baseline' needs a run of the whole site, without '--dry-run'")
        }
        if updateBaseline, settings.baseline == nil {
            throw UsageError("'--update-baseline' needs '--baseline FILE'")
        }
        return try settings.knownFailures(isUpdated: updateBaseline, in: environment)
    }
}

extension Settings {
    /// The baseline; nil if there is none.
    ///
    /// - Throws: ``FatalProblem`` or ``BakeError`` if the file cannot be used.
    func knownFailures(
        isUpdated: Bool = false, in environment: ProcessEnvironment
    ) throws -> Baseline? {
        guard let baseline else { return nil }
        return try Baseline(
            environment.absolute(baseline), named: given["baseline"]?.value ?? baseline,
            isUpdated: isUpdated)
    }
}

/// The arguments of a bake that removes files.
struct PruneArguments: ParsableArguments {
    @Flag(
        help: """
            Remove images of earlier bakes that no file names any more, and with '-o' copies of files \
            that are gone.
            """)
    var prune = false

    @Option(
        help: ArgumentHelp(
            """
            As --prune, but keep an image until no file has named it for this time, for cached pages: \
            30d.
            """,
            valueName: "time"),
        transform: { text in
            guard let span = TimeSpan(text) else {
                throw ValidationError("'\(text)' is not \(TimeSpan.notation)")
            }
            return span.duration
        })
    var pruneAfter: Duration?

    /// After how many seconds an image is removed; nil for never.
    var seconds: Int64? { pruneAfter?.components.seconds ?? (prune ? 0 : nil) }
}

/// The arguments that name files for reports.
struct ReportFileArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Write a report: .html (for people), .md (a summary), .json, .sarif (for code hosts) or \
            .xml (JUnit, for CI systems). Can be given again.
            """, valueName: "file"),
        completion: .file(extensions: ReportFile.Format.allCases.map(\.rawValue)))
    var report: [String] = []

    /// The files, after a check that they may be written.
    ///
    /// - Parameters:
    ///   - site: The absolute path of the input folder.
    ///   - environment: The current folder.
    ///   - formats: The formats that the command can write.
    /// - Returns: The files, in the order of the options.
    /// - Throws: ``UsageError``.
    func files(
        for site: String, in environment: ProcessEnvironment,
        formats: [ReportFile.Format] = ReportFile.Format.allCases
    ) throws -> [ReportFile] {
        try report.map { name in
            let file = try ReportFile(name, in: environment)
            guard formats.contains(file.format) else {
                let known = formats.map { "." + $0.rawValue }.joined(separator: " and ")
                throw UsageError("this command writes reports in \(known), not '\(name)'")
            }
            try file.check(outside: site)
            return file
        }
    }
}

/// The argument of a bake or a check: a folder, or one document of a site.
struct BakeTarget {
    /// The folder of the site; in the form in which the user gave it, unless it is one further up.
    let folder: String
    /// The path in it of the only document to read; nil for all.
    let document: String?

    /// Any path that is not a document's is a folder.
    init(_ argument: String, in environment: ProcessEnvironment) {
        let status = FileStatus(environment.absolute(argument))
        guard status?.kind == .file, isDocumentName(argument) else {
            (folder, document) = (argument, nil)
            return
        }
        let (parent, name) = folderAndName(of: argument)
        let real = resolvedPath(environment.absolute(parent)) ?? parent
        let site = LayoutFinder(root: real, displayName: parent).bakedFolder
        if site == real {
            (folder, document) = (parent, name)
            return
        }
        let current = environment.workingDirectory
        folder = site == current ? "." : rest(of: site, in: current) ?? site
        document = joined(rest(of: real, in: site) ?? "", name)
    }
}
