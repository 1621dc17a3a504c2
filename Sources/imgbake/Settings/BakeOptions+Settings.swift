import Baking
import FetchCache
import Foundation
import Pictures
import Recipes
import Reports
import Sites

extension BakeOptions {
    /// The options of a bake with these settings.
    ///
    /// - Parameters:
    ///   - settings: The effective settings.
    ///   - site: The folder of the site in the form in which the user gave it.
    ///   - environment: The current folder and the paths of the programs.
    init(_ settings: Settings, site: String, in environment: ProcessEnvironment) {
        self.init(
            input: environment.absolute(site), worker: environment.worker,
            workerCount: settings.jobs ?? ProcessInfo.processInfo.activeProcessorCount,
            fetching: settings.fetching)
        displayName = site
        output = settings.output
        isSynced = settings.isSynced
        copiesHidden = settings.copiesHidden
        rewrites = settings.rewrites
        manifest = settings.manifest
        publishedSite = settings.publishedSite
        remote = settings.store(in: environment)
        reading = settings.reading
        variants = settings.variants
        limits = settings.limits
        given = settings.deciding
        if let memory = settings.memory { memoryBudget = memory }
        allowsWeakSandbox = settings.allowsWeakSandbox
        failures.rules = settings.failures
        failures.usual = settings.onError.action
        budget = settings.budget
    }
}

extension ErrorPolicy {
    fileprivate var action: FailurePolicy.Action {
        switch self {
        case .fail: .fail
        case .warn: .warn
        case .placeholder: .placeholder
        }
    }

    /// The severity of a failure to bake an image.
    var severity: Diagnostic.Severity { self == .fail ? .error : .warning }
}

extension SiteInput {
    /// A site without the output folder and the caches.
    ///
    /// - Parameters:
    ///   - folder: Its path as the user gave it.
    ///   - settings: The settings.
    ///   - environment: The environment of the command.
    init(_ folder: String, _ settings: Settings, in environment: ProcessEnvironment) {
        let skipped = [settings.output] + settings.fetching.folder.all.map(\.string)
        self.init(
            folder: environment.absolute(folder), displayName: folder,
            skipped: skipped.compactMap(\.self), reading: settings.reading)
    }
}
