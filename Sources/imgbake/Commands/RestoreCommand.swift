import ArgumentParser
import Baking
import Sites

struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Undo bakes in place: put the original URLs back.",
        discussion: """
            Documents get the text that they had before the bake, byte for byte. In a document that \
            was edited since, URLs are put back one by one where it is certain what they were. Images \
            that no file of the site names any more are removed. Sends no requests.

            A URL with a password or a signature that expires is baked in place only with \
            --forget-secret-urls, and is not stored then. It is named and the local image stays.

            Exit codes: 0 success; 1 a URL was not put back, or a file cannot be changed; 2 bad usage \
            or configuration.
            """)

    @Argument(
        help: "The folder that was baked in place, or one document in it.", completion: .file(),
        transform: nonEmpty)
    var site: String

    @Flag(help: "List the URLs that would be put back; change nothing.")
    var dryRun = false

    @OptionGroup(title: "Site") var reading: SettingOptions<SiteGroup>
    @OptionGroup(title: "Cache") var cache: SettingOptions<CacheGroup>
    @OptionGroup(title: "Configuration") var configuration: ConfigurationArguments
    @OptionGroup(title: "Reporting") var reporting: ReportArguments

    func run() async throws {
        let environment = ProcessEnvironment.current
        let target = BakeTarget(site, in: environment)
        var settings = try Settings(
            configuration, reading, cache, site: target.folder, isQuiet: reporting.quiet,
            in: environment, makesRequests: false)
        settings.reading.documents.only = target.document
        let restore = try SiteRestore(
            SiteInput(target.folder, settings, in: environment), isDryRun: dryRun)
        let hasRecord = restore.hasRecord
        let reporter = Reporter(reporting)
        let result = try await restore.run { reporter.tell($0) }
        guard hasRecord || !result.diagnostics.isEmpty else {
            throw NothingFound(
                description: "\(site) was not baked in place, or was restored already: there is "
                    + "nothing to put back")
        }
        reporter.finish(
            result.text(isDryRun: dryRun, listsReferences: dryRun || reporting.verbose), result)
        if reporter.hasErrors { throw ExitCode(1) }
    }
}
