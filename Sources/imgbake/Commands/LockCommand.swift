import ArgumentParser
import Baking
import FetchCache
import Pictures
import Reports
import Sites

struct LockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lock",
        abstract: "Write imgbake.lock: which image each URL gives.",
        discussion: """
            The lockfile has a line for each image of another host, with its URL, SHA-256, size and \
            type. Commit it. A bake with --locked then accepts no other image. With --styles, \
            --media and --scripts, it has these files too, and what style sheets name.

            Images that are locked already stay locked, also if their URLs give others now. Lines \
            that no document needs are removed. Signatures and credentials of URLs are not stored. \
            Each image is made into the cache as by a bake with the same options, and locked only if \
            that succeeds. Failures that 'failures' or the baseline allow are warnings.

            Exit codes: 0 success; 1 an image could not be fetched or made, or with --check the \
            lockfile is out of date; 2 bad usage or configuration; \(Interrupts.exitCodes).
            """)

    @Argument(
        help: "The folder to lock, or one document.", completion: .file(), transform: nonEmpty)
    var site: String

    @Option(
        help: ArgumentHelp(
            """
            Ask for the image of this URL and lock the one that it gives now. A '*' matches any \
            characters. Can be given again.
            """, valueName: "url"), transform: nonEmpty)
    var update: [String] = []

    @Flag(
        help: """
            Write nothing and request no new image: list what is not locked and what is not used.
            """)
    var check = false

    @OptionGroup var lockfile: LockfileArgument
    @OptionGroup(title: "Site") var reading: SettingOptions<SiteGroup>
    @OptionGroup(title: "Images") var images: SettingOptions<ImageGroup>
    @OptionGroup(title: "Fetching") var fetching: SettingOptions<FetchGroup>
    @OptionGroup(title: "Cache") var cache: SettingOptions<CacheGroup>
    @OptionGroup(title: "Configuration") var configuration: ConfigurationArguments
    @OptionGroup(title: "Reporting") var policy: SettingOptions<BaselineGroup>
    @OptionGroup(title: "Reporting") var reporting: ReportArguments

    func run() async throws {
        let environment = ProcessEnvironment.current
        let target = BakeTarget(site, in: environment)
        if let document = target.document {
            throw UsageError(
                "the lockfile is for the whole site, and \(document) is a document: give its folder"
            )
        }
        let lock = try siteLock(target, in: environment)
        let reporter = Reporter(reporting) {
            Progress(done: lock.counts.done, of: lock.counts.total, lock.transfers)
        }
        let result = try await reporter.run(ifInterrupted: "the lockfile is as it was") {
            try await lock.run { reporter.tell($0) }
        }
        reporter.finish(result.text(isCheck: check), result)
        if reporter.hasErrors || check && result.isChanged { throw ExitCode(1) }
    }

    private func siteLock(
        _ target: BakeTarget, in environment: ProcessEnvironment
    ) throws -> SiteLock {
        var settings = try Settings(
            configuration, reading, images, fetching, cache, policy, site: target.folder,
            isQuiet: reporting.quiet, isVerbose: reporting.verbose, in: environment)
        settings.reading.includesLocal = false
        let file = try configuration.path(
            of: lockfile.lock, usual: Lockfile.name, site: target.folder, in: environment)
        var bake = BakeOptions(settings, site: target.folder, in: environment)
        bake.failures.usual = .fail
        bake.baseline = try settings.knownFailures(in: environment)
        return try SiteLock(
            SiteInput(target.folder, settings, in: environment), for: bake, lockfile: file,
            updating: update.compactMap { Glob(url: $0) }, isCheck: check)
    }
}

extension SiteLock.Result {
    /// A line for each change, and the totals.
    func text(isCheck: Bool) -> String {
        let lines =
            added.map { "added \($0.url)" }
            + changed.map { change in
                "changed \(change.url): \(change.before.facts), now \(change.after.facts)"
            }
            + removed.map { "removed \($0.url)" }
        let outcome =
            !isChanged ? "up to date" : isCheck ? "out of date" : "written"
        let totals = aligned([
            ("documents", documents.grouped),
            (
                "lockfile",
                "\(images.of("image")), \(added.count.grouped) added, "
                    + "\(changed.count.grouped) changed, \(removed.count.grouped) removed; \(outcome)"
            ),
        ])
        return lines.map { printable($0) + "\n" }.joined() + totals
    }
}
