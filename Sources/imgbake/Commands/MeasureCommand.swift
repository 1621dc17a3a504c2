import ArgumentParser
import Baking
import FetchCache
import Files
import Measuring
import Pictures
import Reports
import Sites

struct MeasureCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "measure",
        abstract: "Measure in a browser how wide images are, for --responsive.",
        discussion: """
            Opens built pages in an installed Chromium or Chrome in \(SiteMeasurement.windows.count) \
            windows from 320 to 2560 pixels, and writes imgbake.sizes.json: the width of the images \
            in each place of a page, as a sizes attribute. Commit it. A bake with --responsive uses \
            it and needs no browser. Pages that were baked in place with --responsive are measured \
            as they were before.

            The browser gets the folder and images of other hosts from imgbake's cache, and reaches \
            no network. Nothing is downloaded.

            Exit codes: 0 success; 1 the pages could not be measured, or with --check a width \
            differs by more than 5 %; 2 bad usage or configuration; \(Interrupts.exitCodes).
            """)

    @Argument(help: "The folder of the built pages.", completion: .directory, transform: nonEmpty)
    var site: String

    @Flag(help: "Write nothing: list the groups whose width differs by more than 5 %.")
    var check = false

    @Option(
        help: ArgumentHelp(
            "The browser. (default: Chromium or Chrome in the folders of PATH)",
            valueName: "path"), completion: .file())
    var browser: String?

    @Option(
        help: ArgumentHelp(
            """
            The number of pages that are measured for each place of images. (default: 20)
            """, valueName: "count"))
    var pages: Int?

    @Option(
        help: ArgumentHelp(
            "The time for loading and measuring a page. (default: 30s)", valueName: "time"),
        transform: { text in
            guard let span = TimeSpan(text),
                (.seconds(1) ... .seconds(3_600)).contains(span.duration)
            else { throw ValidationError("'\(text)' is not a time from 1s to 1h") }
            return span.duration
        })
    var pageTimeout: Duration?

    @OptionGroup var sizes: SizesArguments
    @OptionGroup(title: "Site") var reading: SettingOptions<SiteGroup>
    @OptionGroup(title: "Fetching") var fetching: SettingOptions<FetchGroup>
    @OptionGroup(title: "Cache") var cache: SettingOptions<CacheGroup>
    @OptionGroup(title: "Configuration") var configuration: ConfigurationArguments
    @OptionGroup(title: "Reporting") var reporting: ReportArguments

    func validate() throws {
        if let pages, !(1...1_000).contains(pages) {
            throw ValidationError("'--pages' must be from 1 to 1000")
        }
    }

    func run() async throws {
        let environment = ProcessEnvironment.current
        let target = BakeTarget(site, in: environment)
        if let document = target.document {
            throw UsageError("\(document) is a document: give the folder of the built pages")
        }
        let (name, path) = try configuration.path(
            of: sizes.sizesFile, usual: SizesFile.name, site: target.folder, in: environment)
        let old = check ? try SizesFile.read(path, named: name) : nil
        if check, old == nil {
            throw UsageError("there is no file \(name): run 'imgbake measure \(site)' first")
        }
        var settings = try Settings(
            configuration, reading, fetching, cache, site: target.folder,
            isQuiet: reporting.quiet, isVerbose: reporting.verbose, in: environment,
            makesRequests: false)
        settings.fetching.refuseImages(over: settings.limits)
        let options = try measurementOptions(in: environment)
        let reporter = Reporter(reporting)
        let output = try await reporter.run(ifInterrupted: "\(name) is as it was") { [settings] in
            try await measure(
                settings, options, target, old, (name, path), reporter, in: environment)
        }
        reporter.finish(output.text(isCheck: check, name), output)
        if check, output.isChanged { throw ExitCode(1) }
    }

    private func measurementOptions(
        in environment: ProcessEnvironment
    ) throws -> SiteMeasurement.Options {
        let given = browser.map(environment.absolute)
        guard
            let program = given
                ?? SiteMeasurement.browsers.lazy.compactMap(environment.program).first,
            ProcessEnvironment.isProgram(program)
        else {
            let reason =
                given.map { "'\($0)' is not a program that can be started" }
                ?? "there is no Chromium or Chrome in the folders of PATH"
            throw FatalProblem(problem: Problem(.browserMissing, reason))
        }
        var options = SiteMeasurement.Options(browser: program)
        if let pages { options.pagesPerPlace = pages }
        if let pageTimeout { options.pageTimeout = pageTimeout }
        return options
    }

    private func measure(
        _ settings: Settings, _ options: SiteMeasurement.Options, _ target: BakeTarget,
        _ old: SizesFile?, _ file: (name: String, path: String), _ reporter: Reporter,
        in environment: ProcessEnvironment
    ) async throws -> MeasureOutput {
        let ignored = settings.reading.ignoredCodes
        let log = DiagnosticLog(judge: { ignored.contains($0.code) ? nil : $0 }) {
            reporter.tell($0)
        }
        let measured = try await MeasuredSite(
            SiteInput(target.folder, settings, in: environment)
        ) { log.add([$0]) }
        let cache = settings.fetching.existingCache()
        let measurement = SiteMeasurement(measured, options) { await cache?.storedImage($0) }
        let widths = try await closing(cache) {
            check ? try await measurement.check() : try await measurement.run()
        }
        log.add(widths.warnings)
        await log.flush()
        guard widths.imageCount > 0 else {
            let code = widths.pages > 0 ? DiagnosticCode.imageNotMeasured : .pageNotMeasured
            let reason = "no image was measured, and \(file.name) is as it was"
            throw FatalProblem(problem: Problem(code, reason))
        }
        let new = widths.sizes
        var output = MeasureOutput(
            documents: measured.documents, pages: widths.pages, images: widths.imageCount,
            groups: old?.groups.count ?? new.groups.count)
        if let old {
            let differences = widths.differences(from: old)
            log.add(differences)
            output.isChanged = differences.contains { $0.severity == .error }
        } else {
            output.largestDifference = widths.largestDifference
            let before = try? readFile(file.path, limit: 64 << 20).bytes
            output.isChanged = before != new.bytes
            if output.isChanged { try new.write(file.path, named: file.name) }
        }
        await log.flush()
        output.diagnostics = log.all.merged()
        return output
    }
}

extension FetchManager {
    /// A stored image of another host; nil if there is none.
    fileprivate func storedImage(_ url: String) async -> (bytes: [UInt8], mediaType: String)? {
        // A browser asks for https on a page that was loaded so.
        let plain = url.hasPrefix("https://") ? "http://" + url.dropFirst(8) : nil
        for url in [url, plain].compactMap(\.self) {
            if let found = try? await load(FetchRequest(url, mode: .offline)),
                let bytes = try? await found.bytes()
            {
                return (bytes, found.mediaType.rawValue)
            }
        }
        return nil
    }
}

/// The result of a measurement, for `--json`.
struct MeasureOutput: Encodable, Sendable {
    /// The number of pages of the site.
    var documents: Int
    /// The number of pages that were measured.
    var pages: Int
    var images: Int
    var groups: Int
    /// Whether the file was written, or with `--check` differs.
    var isChanged = false
    var largestDifference: MeasuredWidths.Difference?
    var diagnostics: [Diagnostic] = []

    func text(isCheck: Bool, _ name: String) -> String {
        let outcome =
            switch (isCheck, isChanged) {
            case (true, true): "out of date"
            case (false, true): "written"
            case (_, false): "up to date"
            }
        var lines = [
            ("pages", "\(pages.grouped) of \(documents.grouped) measured"),
            ("images", "\(images.grouped) measured"),
            (name, "\(groups.of("group")); \(outcome)"),
        ]
        if let worst = largestDifference, worst.percent > 0 {
            let width =
                "\(Int(worst.width.rounded())) px, predicted \(Int(worst.predicted.rounded()))"
            lines.append(
                (
                    "largest error",
                    "\(Int(worst.percent.rounded(.up))) %: \(printable(worst.page)) in a window of "
                        + "\(worst.window) px: \(width): \(printable(worst.place))"
                ))
        }
        return aligned(lines)
    }
}
