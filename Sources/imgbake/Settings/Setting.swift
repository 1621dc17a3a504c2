import Records

/// One setting: its key in `imgbake.yml`, what it decides, its option, its default and its help
/// text.
///
/// The reader of `imgbake.yml`, the options of the commands, the JSON Schema, the commented
/// example, `docs/settings.md` and `imgbake config` are all derived from these rows. A new setting
/// needs a new row and the code that uses its value.
struct Setting<Target>: Sendable {
    /// The form of a setting on the command line.
    enum Option: Hashable, Sendable {
        /// No option: the setting belongs in a file.
        case none
        /// The last part of its key: `fetch.ttl` is `--ttl`.
        case long
        /// The last part of its key, and a letter.
        case short(Character)
        /// Another name.
        case named(String)
    }

    /// The dotted path in `imgbake.yml`, such as `fetch.ttl`.
    let key: String
    /// The syntax of its value.
    let form: SettingForm
    /// The results that depend on it; the keys of stored results are derived from it.
    let decides: SettingScope
    let option: Option
    /// The default in the syntax of `imgbake.yml`; nil if there is none.
    let fallback: String?
    /// The behaviour without a value, if no value describes it.
    let fallbackNote: String?
    /// A value for the commented example, if there is no default to show.
    let sample: String?
    /// One or two sentences about the effect of the value.
    let help: String
    /// Reads a value into the target.
    let read: @Sendable (ConfigurationNode, inout Target) throws -> Void

    init<Value>(
        _ key: String, _ type: SettingType<Value>, decides: SettingScope, option: Option = .none,
        default fallback: String? = nil, without note: String? = nil,
        sample: String? = nil, help: String,
        set: @escaping @Sendable (Value, inout Target) throws -> Void
    ) {
        self.key = key
        form = type.form
        self.decides = decides
        self.option = option
        self.fallback = fallback
        fallbackNote = note
        self.sample = sample
        self.help = help
        read = { node, target in try set(type.read(node), &target) }
    }

    /// The settings whose keys begin with that of this flag and a hyphen, by the rest of their keys.
    func parts(among settings: [Setting]) -> [String: Setting] {
        guard form.isFlag else { return [:] }
        let prefix = key + "-"
        return Dictionary(
            uniqueKeysWithValues: settings.filter { $0.key.hasPrefix(prefix) }
                .map { (String($0.key.dropFirst(prefix.count)), $0) })
    }

    /// The section of the file that the key belongs to; empty at the root.
    var section: String { key.lastIndex(of: ".").map { String(key[..<$0]) } ?? "" }

    /// The key within its section.
    var name: String { String(key.split(separator: ".").last ?? "") }

    /// The option's name without its dashes; nil if there is no option.
    var optionName: String? {
        switch option {
        case .none: nil
        case .long, .short: name
        case .named(let name): name
        }
    }

    /// The environment variable, which takes precedence over the file but not over the option:
    /// `IMGBAKE_FETCH_TTL`; nil for a mapping, which no variable can hold.
    var environment: String? {
        if form.isMapping { return nil }
        // Each start makes these names, and the first regular expression of a process takes a tenth
        // of it.
        return "IMGBAKE_" + String(key.uppercased().map { ".-".contains($0) ? "_" : $0 })
    }

    /// The behaviour without a value; nil if it needs no description.
    var fallbackText: String? { fallbackNote ?? fallback }
}
