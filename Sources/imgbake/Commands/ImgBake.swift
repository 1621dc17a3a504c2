import ArgumentParser
import Recipes

/// The command: the name under which all others are.
///
/// Exit codes: 0 all well, 1 something failed, 2 bad usage, 130 interrupted.
struct ImgBake: AsyncParsableCommand {
    static let version = ImgbakeVersion.text

    static let configuration = CommandConfiguration(
        commandName: "imgbake",
        abstract: "Make a static site own its images.",
        usage: """
            imgbake site/                   bake in place
            imgbake site/ -o public/        leave the input alone, write a baked copy
            imgbake check site/             list what is still taken from other hosts
            imgbake bake --help             all options of a bake
            imgbake <subcommand> …
            """,
        discussion: """
            Finds every image that the documents below a folder take from other hosts, \
            fetches each once, scales and encodes it, and rewrites the references to local files \
            named by their content. What was fetched is kept in a cache and only asked for again \
            when it is stale.

            What is not given as an option is taken from imgbake.yml in the current folder. A folder \
            named like a subcommand is baked by 'imgbake ./fetch' or 'imgbake bake fetch'.

            Exit codes: 0 all well; 1 something failed; 2 bad usage or configuration; 130 \
            interrupted.
            """,
        version: version,
        subcommands: [
            BakeCommand.self, CheckCommand.self, FetchCommand.self, PrefetchCommand.self,
            CacheCommand.self, ConfigCommand.self, ExplainCommand.self,
        ],
        defaultSubcommand: BakeCommand.self
    )

    /// The names of the subcommands.
    static var subcommandNames: [String] {
        configuration.subcommands.compactMap { $0.configuration.commandName }
    }
}
