/// The names of options that arguments contain, perhaps with words that are no option.
///
/// The parser makes each option of a command at least twice before it reads the first argument. An
/// option whose name is nowhere in the arguments cannot be given, so it need not be made.
struct OptionNames {
    /// The names in the arguments that are parsed now; nil if all options are needed.
    @TaskLocal static var given: OptionNames?

    private var long: Set<Substring> = []
    private var short: Set<Character> = []

    init(in arguments: some Sequence<String>) {
        for argument in arguments where argument.hasPrefix("-") {
            if argument.hasPrefix("--") {
                let name = argument.dropFirst(2).prefix { $0 != "=" }
                long.insert(name)
                // A flag has a negative form.
                if name.hasPrefix("no-") { long.insert(name.dropFirst(3)) }
            } else {
                short.formUnion(argument.dropFirst())
            }
        }
    }

    /// Whether the arguments may contain the option of a setting.
    func contain<Target>(_ setting: Setting<Target>) -> Bool {
        if case .short(let letter) = setting.option, short.contains(letter) { return true }
        return setting.optionName.map { long.contains($0[...]) } ?? false
    }
}
