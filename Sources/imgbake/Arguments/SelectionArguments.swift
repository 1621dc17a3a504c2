import ArgumentParser
import Files
import Foundation
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
        let (parent, name) = folderAndName(of: lockfile.path)
        guard let folder = resolvedPath(parent) else { return [] }
        let git = try Git(in: folder, environment)
        // A lockfile that is in no repository has no earlier version.
        let commit = try? git.commit(of: revision)
        let old = try commit.flatMap { try git.file(name, in: $0) }
        return Lockfile.changedURLs(from: old, to: new)
    }
}

/// Asks git about the repository of a folder, with commands that only read its objects.
///
/// None of them looks at the index or at files. So nothing that the configuration of a repository
/// names is run: no monitor of files, filter, hook, pager or program for differences. A missing object
/// is not fetched.
struct Git {
    /// The absolute path of the program.
    private let program: String
    private let environment: [String: String]
    /// Absolute.
    let folder: String

    private static let options = [
        "--no-pager", "--literal-pathspecs", "-c", "core.fsmonitor=false", "-c",
        "core.hooksPath=/dev/null", "-c", "protocol.allow=never",
    ]

    /// - Throws: ``UsageError`` if there is no git.
    init(in folder: String, _ environment: ProcessEnvironment) throws {
        guard let found = environment.program("git") else {
            throw UsageError("'--changed-since' needs git: install it, or leave the option out")
        }
        program = found
        self.folder = folder
        // The user's own configuration says which repositories are safe.
        var kept = ["HOME", "XDG_CONFIG_HOME"].reduce(into: ["PATH": environment.path]) {
            $0[$1] = environment.variable($1)
        }
        kept.merge(["LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1"]) { $1 }
        self.environment = kept
    }

    /// The id of the commit of a revision.
    ///
    /// - Throws: ``UsageError`` if the folder is in no repository, or git does not know the revision.
    func commit(of revision: String) throws -> String {
        let found = try run(["rev-parse", "--git-dir"])
        guard found.exitCode == 0 else {
            throw UsageError(
                "'--changed-since' needs a git repository, and git says of \(printable(folder)): "
                    + found.message)
        }
        let parsed = try run([
            "rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}",
        ])
        let line = parsed.output.prefix { $0 != UInt8(ascii: "\n") }
        let id = String(decoding: line, as: UTF8.self)
        guard parsed.exitCode == 0, Self.isID(id) else {
            throw UsageError(
                "git knows no revision '\(printable(revision))': check its name for "
                    + "'--changed-since', and fetch it if the clone is shallow")
        }
        return id
    }

    /// The ids of the blobs below the folder in a commit, by their paths relative to the folder.
    ///
    /// - Throws: ``UsageError`` if an object cannot be read.
    func blobs(in commit: String) throws -> [String: String] {
        try list(["ls-tree", "-r", "-z", commit])
    }

    /// The bytes of a file in a commit; nil if it is not there.
    ///
    /// - Parameters:
    ///   - name: The name of the file in the folder.
    ///   - commit: The id of the commit.
    /// - Returns: The bytes.
    /// - Throws: ``UsageError`` if an object cannot be read.
    func file(_ name: String, in commit: String) throws -> [UInt8]? {
        guard let id = try list(["ls-tree", "-z", commit, "--", name])[name] else { return nil }
        return try checked(run(["cat-file", "blob", id])).output
    }

    private func list(_ arguments: [String]) throws -> [String: String] {
        let lines = try checked(run(arguments)).output.split(separator: 0)
        return lines.reduce(into: [:]) { blobs, line in
            // "100644 blob ID<tab>PATH"; a submodule and a link have no document.
            guard let tab = line.firstIndex(of: UInt8(ascii: "\t")) else { return }
            let words = line[..<tab].split(separator: UInt8(ascii: " "))
            guard words.count == 3, words[0].starts(with: "100".utf8),
                let path = String(validating: line[(tab + 1)...], as: UTF8.self)
            else { return }
            blobs[path] = String(decoding: words[2], as: UTF8.self)
        }
    }

    private struct Answer {
        var exitCode: Int32
        var output: [UInt8]
        var errors: [UInt8]

        /// The first line of the errors.
        var message: String {
            let line = errors.split(separator: UInt8(ascii: "\n")).first ?? []
            return line.isEmpty
                ? "exit code \(exitCode)" : printable(String(decoding: line, as: UTF8.self))
        }
    }

    private func checked(_ answer: Answer) throws -> Answer {
        guard answer.exitCode == 0 else { throw UsageError("git failed: \(answer.message)") }
        return answer
    }

    private func run(_ arguments: [String]) throws -> Answer {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = Self.options + arguments
        process.environment = environment
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        let (output, errors) = (Pipe(), Pipe())
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errors
        do {
            try process.run()
        } catch {
            throw UsageError("cannot run \(program): \(error.localizedDescription)")
        }
        // A pipe holds 64 KiB, and git says less of an error.
        let bytes = try? output.fileHandleForReading.readToEnd()
        let told = try? errors.fileHandleForReading.readToEnd()
        process.waitUntilExit()
        return Answer(
            exitCode: process.terminationReason == .exit ? process.terminationStatus : 128,
            output: Array(bytes ?? Data()), errors: Array(told ?? Data()))
    }

    private static func isID(_ text: String) -> Bool {
        [40, 64].contains(text.utf8.count) && text.allSatisfy(\.isHexDigit)
    }
}
