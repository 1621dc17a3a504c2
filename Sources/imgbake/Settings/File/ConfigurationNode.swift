import Reports

/// The source of a value.
struct ConfigurationSource: Sendable {
    /// The kinds of sources.
    enum Origin: Hashable, Sendable {
        /// A configuration file, by the name that the user gave.
        case file(String)
        /// An option, with its dashes.
        case option(String)
        /// An environment variable.
        case variable(String)
    }

    var origin: Origin
    /// The absolute path of the folder that relative paths start from.
    var folder: String
    /// Returns the value of an environment variable; nil if it is not set or empty.
    var environment: @Sendable (String) -> String?
}

/// One value as text, and its place.
struct ConfigurationNode: Sendable {
    /// One pair of a mapping.
    struct Entry: Sendable {
        var key: ConfigurationNode
        var value: ConfigurationNode

        var name: String { key.written }

        /// The error for a name that is not a known key.
        ///
        /// - Parameters:
        ///   - known: The keys that may be used here.
        ///   - place: Where the key belongs, if that is elsewhere.
        /// - Returns: The error, with the place of the name.
        func unknownKey(known: [String], place: String? = nil) -> SettingsError {
            if let word = keyWithoutSpace(name), known.contains(word) {
                return key.missingSpace(after: word)
            }
            let hint =
                place ?? nearestName(to: name, in: known).map { "did you mean '\($0)'?" }
                ?? (known.count > 12
                    ? "'imgbake config' lists all keys"
                    : "known here are \(known.joined(separator: ", "))")
            return key.error("unknown key '\(name)'; \(hint)")
        }
    }

    /// The content of a value.
    enum Content: Sendable {
        /// Plain or quoted; plain text may be a number, `true` or `false`.
        case text(String, isPlain: Bool)
        case list([ConfigurationNode])
        case mapping([Entry])
        /// No value.
        case empty
    }

    var content: Content
    var line = 1
    var column = 1
    var source: ConfigurationSource

    /// The name of this value in messages: `this` in a file, `'--jobs 0'` for an option.
    var subject: String {
        switch source.origin {
        case .file: "this"
        case .option(let name): "'\(name) \(written)'"
        case .variable(let name): "\(name)"
        }
    }

    /// The value as it was written; for a mapping only its keys, because values may be secrets.
    var written: String {
        switch content {
        case .text(let text, _): text
        case .list(let items): "[\(items.map(\.written).joined(separator: ", "))]"
        case .mapping(let entries): entries.map(\.name).joined(separator: ", ")
        case .empty: ""
        }
    }

    /// The value without quotes.
    var unquoted: ConfigurationNode {
        var node = self
        switch content {
        case .text(let text, _): node.content = .text(text, isPlain: true)
        case .list(let items): node.content = .list(items.map(\.unquoted))
        case .mapping, .empty: break
        }
        return node
    }

    /// An error with this value.
    ///
    /// - Parameters:
    ///   - reason: The problem.
    ///   - nearest: The value that was probably meant; nil if none is near.
    /// - Returns: The error, with its place if the value comes from a file.
    func error(_ reason: String, nearest: String? = nil) -> SettingsError {
        var error = SettingsError(reason: printable(reason), nearest: nearest.map(printable))
        if case .file(let name) = source.origin {
            (error.file, error.line, error.column) = (name, line, column)
        }
        return error
    }

    /// Reads a mapping by a table of its keys.
    ///
    /// - Throws: ``SettingsError``, also for an unknown key.
    func read<Target>(_ settings: [Setting<Target>], into target: inout Target) throws {
        for entry in try entries() {
            guard let setting = settings.first(where: { $0.key == entry.name }) else {
                throw entry.unknownKey(known: settings.map(\.key))
            }
            try setting.read(entry.value, &target)
        }
    }

    /// The pairs of a mapping; an empty value has none.
    func entries() throws -> [Entry] {
        switch content {
        case .mapping(let entries): return entries
        case .empty: return []
        case .text(let text, _):
            if let key = keyWithoutSpace(text) { throw missingSpace(after: key) }
            throw error("\(subject) must hold keys and values: 'name: value'")
        case .list: throw error("\(subject) must hold keys and values: 'name: value'")
        }
    }

    /// Any text; a number or a word such as `true` is returned as it was written.
    func text() throws -> String {
        guard case .text(let text, _) = content else { throw error("\(subject) must be a text") }
        if text.isEmpty { throw error("\(subject) must not be empty") }
        return text
    }

    /// A host, a host and port, or `*.` and a domain.
    func hostPattern() throws -> String {
        let pattern = try text()
        let domain = pattern.hasPrefix("*.") ? pattern.dropFirst(2) : pattern[...]
        let isHost = domain.unicodeScalars.allSatisfy {
            !["/", "*", "@", "?", "#", "\\"].contains($0) && $0.value > 0x20
        }
        guard pattern == "*" || (isHost && !domain.isEmpty) else {
            throw error(
                "'\(pattern)' is not a host: write 'example.org', 'example.org:8443' or "
                    + "'*.example.org'")
        }
        return pattern
    }

    /// The values of a list; an empty value has none.
    func list() throws -> [ConfigurationNode] {
        switch content {
        case .list(let items): return items
        case .empty: return []
        case .text, .mapping:
            throw error("\(subject) must be a list: '[a, b]' or a line '- a' for each")
        }
    }
}

extension ConfigurationNode {
    /// The value of an option or an environment variable.
    init(_ text: String, _ source: ConfigurationSource) {
        self.init(content: .text(text, isPlain: true), source: source)
    }
}

extension ConfigurationNode {
    /// A text with each `${NAME}` replaced by the value of that environment variable.
    ///
    /// - Returns: The text, and whether any of it comes from the environment.
    /// - Throws: ``SettingsError``, which names variables but never their values.
    func expanded() throws -> (text: String, isFromEnvironment: Bool) {
        var rest = try text()[...]
        var result = ""
        var isFromEnvironment = false
        while let start = rest.firstRange(of: "${") {
            result += rest[..<start.lowerBound]
            guard let end = rest[start.upperBound...].firstIndex(of: "}") else {
                throw error("'${' is not closed: '}' is missing after the variable's name")
            }
            let name = String(rest[start.upperBound..<end])
            guard name.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) != nil else {
                throw error("'${\(name)}' does not name an environment variable")
            }
            guard let value = source.environment(name) else {
                var error = error("the environment variable \(name) is not set")
                error.isOfMissingVariable = true
                throw error
            }
            guard FieldSyntax.isFieldValue(value) else {
                throw error("the environment variable \(name) holds control characters")
            }
            result += value
            isFromEnvironment = true
            rest = rest[rest.index(after: end)...]
        }
        return (result + rest, isFromEnvironment)
    }

    /// A secret.
    ///
    /// It must come from the environment, because configuration files are shared.
    func secret(_ what: String) throws -> String {
        let (text, isFromEnvironment) = try expanded()
        guard isFromEnvironment else {
            throw error("put the \(what) into an environment variable and write '${NAME}' here")
        }
        return text
    }

    /// The value of a header field; a secret if the field identifies the sender.
    func fieldValue(of name: String) throws -> String {
        let credentials = ["authorization", "proxy-authorization", "cookie"]
        if credentials.contains(name.lowercased()) { return try secret("value of \(name)") }
        let value = try expanded().text
        guard FieldSyntax.isFieldValue(value) else {
            throw error("the value of a header field must not contain control characters")
        }
        return value
    }

    /// The URL of a proxy; a password in it is a secret.
    func proxy() throws -> String {
        // On the command line, the shell has already expanded variables.
        guard case .file = source.origin else { return try checkedProxy(text()) }
        let (text, isFromEnvironment) = try expanded()
        _ = try checkedProxy(text)
        if !isFromEnvironment, let scheme = text.firstRange(of: "://"),
            let at = text[scheme.upperBound...].lastIndex(of: "@"),
            text[scheme.upperBound..<at].contains(":")
        {
            throw error("put the password into an environment variable and write '${NAME}' here")
        }
        return text
    }

    private func checkedProxy(_ url: String) throws -> String {
        guard FieldSyntax.isProxy(url) else {
            let whole = "http://" + url
            throw error(
                "\(subject) must be an http, https, socks5 or socks5h URL",
                nearest: FieldSyntax.isProxy(whole) ? whole : nil)
        }
        return url
    }
}
