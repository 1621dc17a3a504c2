import ArgumentParser
import Baking
import FetchCache
import Files
import Reports
import Sites

struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Write an imgbake.yml in which each setting is explained.",
        discussion: """
            All settings in it are commented out and show their defaults. The generator that was found \
            is named. A file that exists is never replaced.
            """)

    @Argument(help: "The folder of the site or project.", completion: .directory)
    var site = "."

    func run() async throws {
        let environment = ProcessEnvironment.current
        let folder = environment.absolute(site)
        guard resolvedPath(folder + "/.") != nil else {
            throw UsageError("the folder \(site) does not exist")
        }
        for name in SettingsFile.names where resolvedPath("\(folder)/\(name)") != nil {
            throw UsageError("\(site)/\(name) exists already and was left as it is")
        }
        let text = Self.text(report: layout(in: folder, environment))
        let name = SettingsFile.names[0]
        try OpenFile(creating: "\(folder)/\(name)", reportedAs: "\(site)/\(name)").write(text.utf8)
        Console.output.write(printable("wrote \(site)/imgbake.yml") + "\n")
    }

    /// The generator of the project; nil if there is none, or its configuration cannot be used.
    private func layout(in folder: String, _ environment: ProcessEnvironment) -> LayoutReport? {
        var options = BakeOptions(
            input: folder, worker: environment.worker, workerCount: 1,
            fetching: FetchConfiguration(folder: ""))
        options.displayName = site
        return try? Bake(options).layoutReport()
    }

    /// The example with a line about the generator.
    static func text(report: LayoutReport?) -> String {
        let example = SettingsText.example(schema: SettingsSchema.address)
        guard let report else { return example }
        return example.replacing(
            "\n#layout: auto\n", with: "\n# Found here: \(report.line)\n#layout: auto\n")
    }
}
