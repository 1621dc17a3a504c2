import Files
import Sites

/// Advice about arguments that could not be understood.
///
/// That of the argument parser counts letters only, and suggests `--jobs` for `--webp`.
struct UsageHint {
    private let words: [String]
    private let tree = CommandTree.root

    /// - Parameter words: The arguments of the command.
    init(_ words: some Sequence<String>) { self.words = Array(words) }

    /// A message for `imgbake help` about a command that does not exist; nil if all exist.
    var unknownHelp: String? {
        guard words.first == "help" else { return nil }
        let names = words.dropFirst().filter { !$0.hasPrefix("-") }
        let (path, command) = tree.command(for: names)
        let known = path.count - 1
        guard known < names.count, names[known] != "help" else { return nil }
        let parent = known == 0 ? tree : command
        let word = names[known]
        let hint = subcommand(like: word, of: parent, at: Array(path.dropFirst())).map {
            "did you mean 'imgbake help \($0)'?"
        }
        return "there is no subcommand '\(word)'; \(hint ?? "see 'imgbake --help'")"
    }

    /// The subcommand that a word probably stands for, with `imgbake`; nil if the word is one, or
    /// names a file.
    var subcommand: String? {
        let (path, command) = tree.command(for: words)
        let depth = path.count - 1
        guard depth < words.count else { return nil }
        if words == ["-v"] { return "imgbake --version" }
        let word = words[depth]
        guard !word.hasPrefix("-"), word != "help", resolvedPath(word) == nil else { return nil }
        if depth == 0, word.lowercased() == "version" { return "imgbake --version" }
        return subcommand(like: word, of: depth == 0 ? tree : command, at: Array(path.dropFirst()))
            .map { "imgbake \($0)" }
    }

    private func subcommand(
        like word: String, of command: CommandTree, at path: [String]
    ) -> String? {
        let word = word.lowercased()
        // The parser adds the command 'help'.
        let names = command.subcommands.map(\.name) + (path.isEmpty ? ["help"] : [])
        if let nearest = nearestName(to: word, in: names) {
            return (path + [nearest]).joined(separator: " ")
        }
        guard path.isEmpty else { return nil }
        return tree.paths(to: word).first?.joined(separator: " ")
    }

    /// The option for a folder that the parser did not expect, behind that of the site; nil for
    /// another message.
    func folder(in message: String) -> String? {
        guard let match = message.wholeMatch(of: /Unexpected argument '([^'-][^']*)'/),
            tree.command(for: words).command.options.contains("output")
        else { return nil }
        return "-o \(match.1)"
    }

    /// The unknown option that a message of the parser is about, as it was written; nil for another
    /// message.
    func unknownOption(in message: String) -> String? {
        let options = tree.command(for: words).command.options
        func isKnown(_ word: String) -> Bool { options.contains(Self.name(of: word)) }
        // The parser misses an argument before it looks at options.
        if message.hasPrefix("Missing expected argument") {
            return words.first { $0.hasPrefix("--") && $0.count > 2 && !isKnown($0) }
        }
        guard let match = message.firstMatch(of: /Unknown option '(-[^']+)'/) else { return nil }
        // It reads '-output' as letters.
        let long = words.first {
            $0.count > 2 && !$0.hasPrefix("--") && $0.hasPrefix("-") && isKnown($0)
        }
        return match.1.hasPrefix("--") ? String(match.1) : long ?? String(match.1)
    }

    /// The name of an option, in lower case and without dashes and its value.
    private static func name(of option: String) -> String {
        option.drop { $0 == "-" }.prefix { $0 != "=" }.lowercased()
    }

    /// The advice for an unknown option; nil if no known option is near.
    ///
    /// - Parameter option: The option with its dashes.
    /// - Returns: The end of a message.
    func option(like option: String) -> String? {
        let name = Self.name(of: option)
        if name.count < 2 { return nil }
        let (path, command) = tree.command(for: words)
        let options = command.options
        if options.contains(name) { return "did you mean '--\(name)'?" }
        let isOption = Set(SettingTable.all.compactMap(\.optionName)).contains(name)
        if !isOption, let setting = SettingTable.all.first(where: { $0.name == name }) {
            return "set '\(setting.key)' in imgbake.yml"
        }
        if let meant = OtherNames.options[name.replacing("_", with: "-")],
            options.contains(String(meant.prefix { $0 != " " }))
        {
            return "did you mean '--\(meant)'?"
        }
        if let similar = Self.similar(to: name, in: options) {
            return "did you mean '--\(similar)'?"
        }
        // An option of another command; its own name is right.
        let owner = tree.subcommands.first {
            $0.name != path.dropFirst().first ?? command.name && $0.options.contains(name)
        }
        return owner.map { "'--\(name)' is an option of 'imgbake \($0.name)'" }
    }

    /// The option that a name begins or ends, if there is only one; else the one with the nearest
    /// spelling.
    static func similar(to name: String, in options: [String]) -> String? {
        if name.count > 1 {
            let longer = options.filter { option in
                // A flag and its opposite are one option.
                let isOpposite =
                    option.hasPrefix("no-") && options.contains(String(option.dropFirst(3)))
                return option.hasPrefix(name) || (option.hasSuffix("-" + name) && !isOpposite)
            }
            if longer.count == 1 { return longer[0] }
            if longer.count > 1 { return nil }
        }
        return nearestName(to: name, in: options)
    }
}

/// Names that other tools have for options of imgbake.
enum OtherNames {
    /// The option, and its value where there is one, by the other name; all without dashes.
    static let options: [String: String] = [
        "webp": "format webp", "avif": "format avif", "jpeg": "format jpeg", "jpg": "format jpeg",
        "png": "format png",
        "width": "max-width", "resize": "max-width", "scale": "max-width",
        "q": "quality", "threads": "jobs", "parallel": "jobs", "workers": "jobs",
        "exclude": "ignore", "skip": "ignore", "exclude-dir": "ignore",
        "exclude-url": "ignore-url", "skip-url": "ignore-url", "assets-exclude": "ignore-url",
        "assets-include": "include-url",
        "output-dir": "output", "output-directory": "output", "out": "output", "out-dir": "output",
        "outdir": "output", "dest": "output", "destination": "output", "target": "output",
        "images": "image-dir", "img-dir": "image-dir", "assets-dir": "image-dir",
        "base-url": "site-url", "baseurl": "site-url", "base": "site-url", "url": "site-url",
        "simulate": "dry-run", "just-print": "dry-run", "check": "dry-run",
        "silent": "quiet", "debug": "verbose", "no-color": "color never",
        "no-colour": "color never", "strict": "on-error fail", "cache": "cache-dir",
        "cache-path": "cache-dir", "cache-folder": "cache-dir", "no-cache": "refresh",
        "reload": "refresh", "timeout": "total-timeout", "max-time": "total-timeout",
        "limit-rate": "min-speed", "retry": "retries", "tries": "retries", "agent": "user-agent",
        "cacert": "ca-file", "ca-certificate": "ca-file", "max-filesize": "max-bytes",
        "generator": "layout", "strip": "metadata strip", "keep-metadata": "metadata keep",
        "exif": "metadata keep", "request": "method",
    ]
}
