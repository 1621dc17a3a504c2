/// One thing that can be set: its key in `imgbake.yml`, its option, its default and its text.
///
/// The reader of `imgbake.yml`, the options of the commands, the JSON Schema, the commented example,
/// `docs/settings.md` and `imgbake config` all walk these rows. A new setting is a new row and the
/// code that uses its value.
struct Setting<Target>: Sendable {
    /// How a setting is given on the command line.
    enum Option: Hashable, Sendable {
        /// Not at all: the setting belongs into a file.
        case none
        /// By the last part of its key: `fetch.ttl` is `--ttl`.
        case long
        /// By the last part of its key, and by a letter.
        case short(Character)
        /// By another name.
        case named(String)
    }

    /// The dotted path in `imgbake.yml`, such as `fetch.ttl`.
    let key: String
    /// How its value is written.
    let form: SettingForm
    let option: Option
    /// The environment variable that is taken before the file and after the option; nil for none.
    let environment: String?
    /// The default as it would be written in `imgbake.yml`; nil where there is none.
    let fallback: String?
    /// What happens without a value, where no value says it.
    let fallbackNote: String?
    /// A value for the commented example, where there is no default to show.
    let sample: String?
    /// One or two sentences about what the value does.
    let help: String
    /// Reads a value into the target.
    let read: @Sendable (ConfigurationNode, inout Target) throws -> Void

    init<Value>(
        _ key: String, _ type: SettingType<Value>, option: Option = .none,
        environment: String? = nil, default fallback: String? = nil, without note: String? = nil,
        sample: String? = nil, help: String,
        set: @escaping @Sendable (Value, inout Target) throws -> Void
    ) {
        self.key = key
        form = type.form
        self.option = option
        self.environment = environment
        self.fallback = fallback
        fallbackNote = note
        self.sample = sample
        self.help = help
        read = { node, target in try set(type.read(node), &target) }
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

    /// What happens without a value; nil if that needs no words.
    var fallbackText: String? { fallbackNote ?? fallback }
}

extension [Setting<Settings>] {
    /// The sections that hold settings.
    var sections: Set<String> { Set(map(\.section)).subtracting([""]) }
}
