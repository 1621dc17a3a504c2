import ArgumentParser
import Recipes

/// The root command, which contains all others.
struct ImgBake: AsyncParsableCommand {
    static let version = ImgbakeVersion.text

    static let configuration = CommandConfiguration(
        commandName: "imgbake",
        abstract: "Make a static site own its images.",
        usage: """
            imgbake site/                   bake in place
            imgbake site/ -o public/        write a baked copy, do not change the input
            imgbake watch site/ -o public/  bake whenever the site changes
            imgbake check site/             list images that are loaded from other hosts
            imgbake lock site/              write down which image each URL gives
            imgbake measure public/         measure images in a browser, for --responsive
            imgbake restore site/           undo bakes in place
            imgbake bake --help             all options of a bake
            imgbake <subcommand> …
            """,
        discussion: """
            Finds all images that the documents below a folder load from other hosts, fetches each \
            once, scales and encodes it, and rewrites the references to local files named by their \
            content. Fetched images are kept in a cache and requested again only when they are \
            stale.

            Settings without an option are read from imgbake.yml in the current folder, or else in \
            the folder of the site. A folder with the name of a subcommand needs 'imgbake ./fetch' \
            or 'imgbake bake fetch'.

            Exit codes: 0 success; 1 something failed; 2 bad usage or configuration; \
            \(Interrupts.exitCodes).
            """,
        version: version,
        subcommands: [
            BakeCommand.self, WatchCommand.self, CheckCommand.self, LockCommand.self,
            MeasureCommand.self, RestoreCommand.self, FetchCommand.self, PrefetchCommand.self,
            CacheCommand.self, ConfigCommand.self, ExplainCommand.self, InitCommand.self,
            VersionCommand.self,
        ],
        defaultSubcommand: BakeCommand.self
    )
}
