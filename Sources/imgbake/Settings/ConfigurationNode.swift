import Baking

/// What a configuration file belongs to.
struct ConfigurationSource: Sendable {
    /// The file as the user named it.
    var name: String
    /// The absolute path of its folder, which relative paths in it start from.
    var folder: String
    /// Gives the value of an environment variable; nil of one that is not set or empty.
    var environment: @Sendable (String) -> String?
}

/// One value of a configuration file, and where it stands.
struct ConfigurationNode: Sendable {
    /// One pair of a mapping.
    struct Entry: Sendable {
        var name: String
        /// Of the name.
        var line: Int
        /// Of the name.
        var column: Int
        var value: ConfigurationNode
    }

    /// What the value is.
    enum Content: Sendable {
        /// Plain or between quotes; plain text may be a number, `true` or `false`.
        case text(String, isPlain: Bool)
        case list([ConfigurationNode])
        case mapping([Entry])
        /// Nothing at all.
        case empty
    }

    var content: Content
    var line: Int
    var column: Int
    var source: ConfigurationSource

    /// The fault that something is wrong with this value.
    func fault(_ reason: String) -> SettingsFault {
        SettingsFault(
            file: source.name, line: line, column: column, reason: printable(reason))
    }

    /// Reads a mapping by a table of its keys.
    ///
    /// - Throws: ``SettingsFault``, for an unknown key too.
    func read<Target>(_ keys: [SettingsKey<Target>], into target: inout Target) throws {
        for entry in try entries() {
            guard let key = keys.first(where: { $0.name == entry.name }) else {
                let nearest = nearestName(to: entry.name, in: keys.map(\.name))
                throw SettingsFault(
                    file: source.name, line: entry.line, column: entry.column,
                    reason: printable("unknown key '\(entry.name)'")
                        + (nearest.map { "; did you mean '\($0)'?" }
                            ?? "; known here are \(keys.map(\.name).joined(separator: ", "))"))
            }
            try key.read(entry.value, &target)
        }
    }

    /// The pairs of a mapping; none of an empty value.
    func entries() throws -> [Entry] {
        switch content {
        case .mapping(let entries): return entries
        case .empty: return []
        case .text, .list: throw fault("this must hold keys and values: 'name: value'")
        }
    }

    /// Any text; a number or a word such as `true` is taken as it is written.
    func text() throws -> String {
        guard case .text(let text, _) = content else { throw fault("this must be a text") }
        if text.isEmpty { throw fault("this must not be empty") }
        return text
    }

    /// A whole number.
    func integer(in bounds: ClosedRange<Int>) throws -> Int {
        guard case .text(let text, isPlain: true) = content, let number = Int(text),
            bounds.contains(number)
        else {
            throw fault(
                "this must be a whole number from \(bounds.lowerBound) to \(bounds.upperBound)")
        }
        return number
    }

    /// `true` or `false`.
    func flag() throws -> Bool {
        guard case .text(let text, isPlain: true) = content, let flag = Bool(text) else {
            throw fault("this must be true or false")
        }
        return flag
    }

    /// A length of time.
    func duration(in bounds: ClosedRange<Duration>) throws -> Duration {
        guard case .text(let text, _) = content, let span = TimeSpan(text) else {
            throw fault("this must be \(TimeSpan.notation)")
        }
        guard bounds.contains(span.duration) else {
            throw fault("'\(text)' is too short or too long")
        }
        return span.duration
    }

    /// A number of bytes.
    func size(in bounds: ClosedRange<Int> = Bounds.bytes) throws -> Int {
        guard case .text(let text, _) = content, let size = ByteSize(text) else {
            throw fault("this must be \(ByteSize.notation)")
        }
        guard bounds.contains(size.bytes) else { throw fault("'\(text)' must be at least 1") }
        return size.bytes
    }

    /// A value, or `none`, which is nil.
    func unlessNone<Value>(_ read: (ConfigurationNode) throws -> Value) throws -> Value? {
        if case .text("none", _) = content { return nil }
        return try read(self)
    }

    /// A path, made absolute.
    func path() throws -> String {
        let path = try text()
        return path.hasPrefix("/") ? path : source.folder + "/" + path
    }

    /// One of some words.
    func choice<Value>(_ choices: KeyValuePairs<String, Value>) throws -> Value {
        guard case .text(let text, _) = content,
            let choice = choices.first(where: { $0.key == text })
        else {
            throw fault("this must be one of \(choices.map(\.key).joined(separator: ", "))")
        }
        return choice.value
    }

    /// The values of a list; none of an empty value.
    func list() throws -> [ConfigurationNode] {
        switch content {
        case .list(let items): return items
        case .empty: return []
        case .text, .mapping: throw fault("this must be a list: '[a, b]' or a line '- a' for each")
        }
    }
}
