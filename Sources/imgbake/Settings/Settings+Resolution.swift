import Baking
import FetchCache
import Files
import Foundation
import Logging
import Reports
import Sites

extension Settings {
    /// The effective settings: options take precedence over environment variables, these over the
    /// configuration file, and that over the defaults.
    ///
    /// - Parameters:
    ///   - configuration: The argument that names the file.
    ///   - options: The groups of options of the command.
    ///   - site: The folder of the site in the form in which the user gave it; nil if there is
    ///     none.
    ///   - isQuiet: Whether to omit warnings.
    ///   - isVerbose: Whether the library's log is shown, and not only its errors.
    ///   - environment: The current folder and the variables.
    ///   - makesRequests: Whether secrets are needed; if not, their variables may be unset.
    ///   - staleOnError: The default of the command. For a build, an outdated image is better than
    ///     none.
    ///   - onGone: The default of the command. A build keeps what it has.
    ///   - warn: Reports a warning; on standard error by default.
    /// - Throws: ``UsageError``, ``SettingsError``.
    init(
        _ configuration: ConfigurationArguments, _ options: any SettingValues...,
        site: String? = nil,
        isQuiet: Bool = false, isVerbose: Bool = false, in environment: ProcessEnvironment,
        makesRequests: Bool = true,
        staleOnError: CachePolicy.StaleOnError = .always,
        onGone: CachePolicy.OnGone = .keep,
        warn: (String) -> Void = Self.warn
    ) throws {
        self.init()
        bake.fetching.policy.staleOnError = staleOnError
        bake.fetching.policy.onGone = onGone
        let (file, warnings) = try SettingsFile.find(configuration, site: site, in: environment)
        if !isQuiet { warnings.forEach(warn) }
        if let file {
            try apply(
                file.read { environment.variable($0) ?? (makesRequests ? nil : "not-set") })
        }
        try applyVariables(of: environment)
        for values in options { try values.apply(to: &self, in: environment) }
        try complete(in: environment)
        bake.fetching.logger = Logger(label: "imgbake") { _ in
            ConsoleLogHandler(logLevel: isVerbose ? .debug : .error)
        }
        let missing = bake.fetching.folder.readOnlyCaches.filter { resolvedPath("\($0)/.") == nil }
        bake.fetching.folder.readOnlyCaches.removeAll(where: missing.contains)
        if isQuiet { return }
        missing.forEach { warn("the read-only cache \($0) does not exist") }
        Self.misspeltVariables(of: environment).forEach(warn)
        missingCredentials.forEach(warn)
        partsWithoutFlag.forEach(warn)
    }

    /// A warning for each setting that only adds to another one, which is off.
    private var partsWithoutFlag: [String] {
        SettingTable.all.filter(\.section.isEmpty).flatMap { flag -> [String] in
            let isOn = given[flag.key].map { $0.value != "false" } ?? (flag.fallback == "true")
            if isOn || bake.reading.overrides.set(flag.key) { return [] }
            return flag.parts(among: SettingTable.all).values.compactMap {
                given[$0.key]?.origin
            }.sorted().map { "\($0) has no effect without '\(flag.key)'" }
        }
    }

    /// A warning for each host whose credential is in a variable that is not set.
    private var missingCredentials: [String] {
        bake.fetching.downloader.hosts.keys.sorted().compactMap { host in
            bake.fetching.downloader.hosts[host]?.missingCredential.map {
                "\($0), so nothing is requested from \(host)"
            }
        }
    }

    static func warn(_ text: String) {
        Console.error.write(printable("imgbake: warning: \(text)") + "\n")
    }

    /// A warning for each environment variable that is nearly the name of a setting.
    ///
    /// Other unknown variables may belong to programs that call imgbake.
    static func misspeltVariables(of environment: ProcessEnvironment) -> [String] {
        let prefix = "IMGBAKE_"
        let variables = environment.variableNames.filter { $0.hasPrefix(prefix) }
        if variables.isEmpty { return [] }
        let known = SettingTable.all.compactMap { $0.environment?.dropFirst(prefix.count) }
            .map(String.init)
        return variables.sorted().compactMap { variable in
            let name = String(variable.dropFirst(prefix.count))
            guard !known.contains(name), let nearest = nearestName(to: name, in: known)
            else { return nil }
            return "no setting has the environment variable \(variable); did you mean "
                + "'\(prefix)\(nearest)'?"
        }
    }

    private mutating func applyVariables(of environment: ProcessEnvironment) throws {
        for setting in SettingTable.all {
            guard let name = setting.environment, let text = environment.variable(name) else {
                continue
            }
            let source = ConfigurationSource(
                origin: .variable(name), folder: environment.workingDirectory,
                environment: environment.variable)
            var node = ConfigurationNode(text, source)
            if setting.form.isList {
                node.content = .list(listItems(in: text).map { ConfigurationNode($0, source) })
            }
            try apply(setting, node)
        }
    }

    /// Determines the values that depend on several settings.
    private mutating func complete(in environment: ProcessEnvironment) throws {
        if bake.fetching.folder.path.isEmpty {
            bake.fetching.folder.path = FilePath(try environment.defaultCacheDirectory())
        }
        if case .server(let url, _) = bake.fetching.downloader.network.proxy {
            bake.fetching.downloader.network.proxy = .server(url: url, except: proxyExceptions)
        }
        try Self.checkFile(bake.fetching.downloader.network.certificateAuthorityFile?.string)
        if usesNetrc {
            try Self.checkFile(netrcFile)
            bake.fetching.downloader.netrcFile = FilePath(
                try netrcFile ?? Self.homeNetrc(in: environment))
        }
    }

    private static func homeNetrc(in environment: ProcessEnvironment) throws -> String {
        guard let home = environment.variable("HOME") else {
            throw UsageError("there is no home folder with a .netrc: give '--netrc-file'")
        }
        return environment.absolute(home) + "/.netrc"
    }

    private static func checkFile(_ path: String?) throws {
        guard let path, access(path, R_OK) != 0 else { return }
        throw UsageError("the file \(path) does not exist or cannot be read")
    }

    /// Checks that the output is a folder, if it exists.
    ///
    /// - Throws: ``UsageError``.
    func requireFolder() throws {
        guard let output = bake.output, resolvedPath(output) != nil,
            resolvedPath(output + "/.") == nil,
            let given = given["output"]
        else { return }
        let isOption = given.origin.hasPrefix("-")
        throw UsageError(
            isOption
                ? "'\(given.origin) \(given.value)' is not a folder"
                : "\(given.origin): 'output: \(given.value)' is not a folder")
    }
}

/// The items of a list in an environment variable: `drafts/, *.{css,svg}` has two.
///
/// A comma inside of brackets or braces belongs to a pattern.
func listItems(in text: String) -> [String] {
    var items = [""]
    var depth = 0
    for character in text {
        if "[{".contains(character) { depth += 1 }
        if "]}".contains(character) { depth -= 1 }
        if character == ",", depth <= 0 {
            items.append("")
        } else {
            items[items.count - 1].append(character)
        }
    }
    return items.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }.filter { !$0.isEmpty }
}
