import ArgumentParser
import Baking
import Files
import Pictures

extension PrefetchCommand {
    /// Makes the images of a site, into the cache alone.
    func makeImages(in environment: ProcessEnvironment) async throws {
        let settings = try self.settings(in: environment)
        guard resolvedPath(environment.absolute(files[0]) + "/.") != nil else {
            throw UsageError("'--transform' needs a site, and \(files[0]) is not a folder")
        }
        var options = BakeOptions(settings, site: files[0], in: environment)
        options.publishes = false
        options.manifest = nil
        options.output = nil
        options.remote?.fill()
        try sizes.add(to: &options, configuration, site: files[0], in: environment)
        options.mode = mode.mode
        options.retryFailed = mode.retryFailed
        options.selection = try selection(of: files[0], in: environment)
        let bake = Bake(options)
        let reporter = Reporter(reporting) { Progress(bake.counts, bake.transfers) }
        reporter.start()
        defer { reporter.stop() }
        do {
            let summary = try await Interrupts.cancelling {
                try await bake.run { reporter.tell($0) }
            }
            try reporter.finish(summary.text, summary)
            if summary.hasErrors { throw ExitCode(1) }
        } catch is CancellationError {
            reporter.interrupted("the images made so far are in the cache")
            throw ExitCode(Interrupts.exitCode)
        }
    }
}
