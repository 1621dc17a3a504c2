import ArgumentParser
import Baking
import FetchCache
import Files
import Reports
import Secrets
import Sites

struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Show the effective settings and the source of each.",
        subcommands: [
            ConfigShow.self, ConfigExample.self, ConfigSchema.self, ConfigReference.self,
        ],
        defaultSubcommand: ConfigShow.self)
}

struct ConfigShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "List the effective settings, each with its value and its source.",
        discussion: "Secrets are not shown: 'hosts' shows only names.")

    @Argument(help: "The folder of a site that may have an imgbake.yml.", completion: .directory)
    var site: String?

    @Flag(help: "Write a JSON object.")
    var json = false

    @OptionGroup(title: "Output") var output: SettingOptions<OutputGroup>
    @OptionGroup(title: "Site") var reading: SettingOptions<SiteGroup>
    @OptionGroup(title: "Images") var images: SettingOptions<ImageGroup>
    @OptionGroup(title: "Fetching") var fetching: SettingOptions<FetchGroup>
    @OptionGroup(title: "Cache") var cache: SettingOptions<CacheGroup>
    @OptionGroup(title: "Cache") var otherMachines: SettingOptions<OtherMachineGroup>
    @OptionGroup(title: "Cache") var limits: SettingOptions<CacheLimitGroup>
    @OptionGroup(title: "Reporting") var reporting: SettingOptions<ReportGroup>
    @OptionGroup(title: "Configuration") var configuration: ConfigurationArguments

    /// One setting in the output.
    private struct Row: Encodable {
        var key: String
        /// The name of its option without dashes; nil if it has none.
        var option: String?
        /// Nil if the setting has neither a value nor a default.
        var value: String?
        var origin: String
    }

    func run() async throws {
        if let site, resolvedPath(ProcessEnvironment.current.absolute(site)) == nil {
            throw UsageError("there is no folder \(site)")
        }
        let settings = try Settings(
            configuration, output, reading, images, fetching, cache, otherMachines, limits,
            reporting, site: site, isQuiet: json, in: .current, makesRequests: false)
        let rows = SettingTable.all.map { setting in
            let given = settings.given[setting.key]
            let folder = setting.key == "cache.dir" ? settings.fetching.folder.path.string : nil
            return Row(
                key: setting.key, option: setting.optionName,
                value: folder ?? (given?.value).map(textWithoutSecrets) ?? setting.fallbackText,
                origin: given?.origin ?? "default")
        }
        if json { return Console.output.write(json: ["settings": rows]) }
        let values = rows.map { printable($0.value ?? "-") }
        let width = min(40, values.map(\.count).max() ?? 0)
        let lines = zip(rows, values).map { row, value in
            let gap = String(repeating: " ", count: max(2, width - value.count + 2))
            return (row.key, value + gap + printable(row.origin))
        }
        Console.output.write(aligned(lines))
    }
}

struct ConfigExample: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "example", abstract: "Write an imgbake.yml that explains each setting."
    )

    @Option(help: ArgumentHelp("The URL or path of the schema, for editors.", valueName: "url"))
    var schema = SettingsSchema.address

    func run() throws { Console.output.write(SettingsText.example(schema: schema)) }
}

struct ConfigSchema: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Write the JSON Schema of imgbake.yml, for editors.")

    func run() throws { Console.output.write(try SettingsSchema.root.text()) }
}

struct ConfigReference: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reference", abstract: "Write a table of all settings in Markdown.")

    func run() throws { Console.output.write(SettingsText.reference) }
}

struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Write an imgbake.yml with the settings that most people change.",
        discussion: """
            All settings in it are commented out and show their defaults. The generator that was found \
            is named. A file that exists is never replaced.
            """)

    @Argument(help: "The folder of the site or project.", completion: .directory)
    var site = "."

    @Flag(help: "Write all settings, each with an explanation.")
    var all = false

    func run() async throws {
        let environment = ProcessEnvironment.current
        let folder = environment.absolute(site)
        guard resolvedPath(folder + "/.") != nil else {
            throw UsageError("the folder \(site) does not exist")
        }
        let shown = site.hasSuffix("/") ? site : site + "/"
        for name in SettingsFile.names where resolvedPath("\(folder)/\(name)") != nil {
            throw UsageError("\(shown)\(name) exists already and was left as it is")
        }
        let text = Self.text(report: layout(in: folder, environment), isWhole: all)
        let name = SettingsFile.names[0]
        try OpenFile(creating: "\(folder)/\(name)", reportedAs: shown + name).write(text.utf8)
        Console.output.write(printable("wrote \(shown)\(name)") + "\n")
    }

    /// The generator of the project; nil if there is none, or its configuration cannot be used.
    private func layout(in folder: String, _ environment: ProcessEnvironment) -> LayoutReport? {
        var options = BakeOptions(
            input: folder, worker: environment.worker, workerCount: 1,
            fetching: FetchConfiguration(folder: ""))
        options.displayName = site
        return try? Bake(options).layout
    }

    /// The file with a line about the generator.
    static func text(report: LayoutReport?, isWhole: Bool) -> String {
        if !isWhole { return SettingsText.starter(generator: report?.line) }
        let example = SettingsText.example(schema: SettingsSchema.address)
        guard let report else { return example }
        return example.replacing(
            "\n#layout: auto\n", with: "\n# Found here: \(report.line)\n#layout: auto\n")
    }
}
