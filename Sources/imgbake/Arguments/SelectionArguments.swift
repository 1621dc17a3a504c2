import ArgumentParser
import Baking
import Files
import Pages
import Pictures
import Reports
import Sites

/// The arguments that limit a run to a part of a site.
struct SelectionArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Only documents that differ from those of this git revision, and those that name an image \
            whose line in the lockfile does.
            """,
            valueName: "revision"), transform: nonEmpty)
    var changedSince: String?

    @Option(
        help: ArgumentHelp(
            """
            Only one of several parts of the site, such as 3/16: the files whose paths hash to it.
            """,
            valueName: "part"),
        transform: { text in
            guard let shard = Shard(text) else {
                throw ValidationError("'\(printable(text))' is not \(Shard.notation)")
            }
            return shard
        })
    var shard: Shard?

    /// Whether the run may be limited to less than the whole site.
    var isGiven: Bool { changedSince != nil || shard != nil }

    func validate() throws {
        guard let changedSince else { return }
        if changedSince.hasPrefix("-") || changedSince.utf8.contains(where: { $0 < 0x20 }) {
            throw ValidationError("'\(printable(changedSince))' is no git revision")
        }
    }

    /// The part of the site.
    ///
    /// - Parameters:
    ///   - target: The argument that names the site.
    ///   - lockfile: The lockfile that the user gave; nil for the usual one.
    ///   - configuration: The argument that names the configuration file.
    ///   - environment: The current folder and the environment variables.
    /// - Returns: The part.
    /// - Throws: ``UsageError``; ``FatalProblem`` if the lockfile cannot be used.
    func selection(
        of target: BakeTarget, lockfile: String?, _ configuration: ConfigurationArguments,
        in environment: ProcessEnvironment
    ) throws -> DocumentSelection {
        var selection = DocumentSelection()
        selection.shard = shard
        guard isGiven else { return selection }
        if target.document != nil {
            throw UsageError("'--changed-since' and '--shard' need a folder, and not a document")
        }
        guard let changedSince, let folder = resolvedPath(environment.absolute(target.folder))
        else { return selection }
        let git = try Git(in: folder, environment)
        let commit = try git.commit(of: changedSince)
        let path = try configuration.path(
            of: lockfile, usual: Lockfile.name, site: target.folder, in: environment)
        let urls = try changedURLs(path, since: changedSince, environment)
        selection.changes = DocumentChanges(since: try git.blobs(in: commit), urls: urls)
        return selection
    }

    /// The URLs whose lines in the lockfile have changed.
    private func changedURLs(
        _ lockfile: (name: String, path: String), since revision: String,
        _ environment: ProcessEnvironment
    ) throws -> Set<String> {
        let new = try Lockfile.read(lockfile.path, named: lockfile.name)?.file
        guard let slash = lockfile.path.lastIndex(of: "/"),
            let folder = resolvedPath(String(lockfile.path[..<slash]))
        else { return [] }
        let git = try Git(in: folder, environment)
        // A lockfile that is in no repository has no earlier version.
        let commit = try? git.commit(of: revision)
        let name = String(lockfile.path[lockfile.path.index(after: slash)...])
        let old = try commit.flatMap { try git.file(name, in: $0) }
        return Lockfile.changedURLs(from: old, to: new)
    }
}
