import Baking
import FetchCache
import Sites

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
