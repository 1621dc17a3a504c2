import ArgumentParser

/// The given options of a group of settings.
protocol SettingValues: Sendable {
    /// Applies the options to `settings`.
    ///
    /// - Throws: ``SettingsError``.
    func apply(to settings: inout Settings, in environment: ProcessEnvironment) throws
}

/// The options of a group of settings.
///
/// The parser finds the options of a type by its mirror and fills it by `Decodable`. This type
/// provides both from the rows of the table, so settings need no properties.
struct SettingOptions<Group: SettingGroup>: ParsableArguments, SettingValues, CustomReflectable {
    /// The values as text, by the keys of their settings.
    private(set) var values: [String: [String]] = [:]

    private struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        for setting in Self.options {
            let key = Key(stringValue: setting.key)
            if setting.form.isFlag {
                let flag = try container.decode(Flag<Bool?>.self, forKey: key).wrappedValue
                values[setting.key] = flag.map { ["\($0)"] }
            } else if setting.form.isList {
                let list = try container.decode(Option<[String]>.self, forKey: key).wrappedValue
                if !list.isEmpty { values[setting.key] = list }
            } else {
                let text = try container.decode(Option<String?>.self, forKey: key).wrappedValue
                values[setting.key] = text.map { [$0] }
            }
        }
    }

    /// The options, as if each were a property.
    var customMirror: Mirror {
        Mirror(
            self,
            children: Self.options.map { ("_" + $0.key, SettingArguments.all[$0.key] as Any) })
    }

    /// The settings with an option.
    private static var options: [Setting<Settings>] {
        Group.settings.filter { $0.option != .none }
    }

    /// Rejects invalid values before the command does anything.
    func validate() throws {
        if values.isEmpty { return }
        var settings = Settings()
        do {
            try apply(to: &settings, in: .current)
        } catch let error as SettingsError {
            throw ValidationError(error.message)
        }
    }

    func apply(to settings: inout Settings, in environment: ProcessEnvironment) throws {
        for setting in Group.settings {
            guard let texts = values[setting.key], let name = setting.optionName else { continue }
            let source = ConfigurationSource(
                origin: .option(
                    setting.form.isFlag && texts == ["false"] ? "--no-\(name)" : "--\(name)"),
                folder: environment.workingDirectory, environment: environment.variable)
            let nodes = texts.map { ConfigurationNode($0, source) }
            var node = nodes[0]
            if setting.form.isList { node.content = .list(nodes) }
            try settings.apply(setting, node)
        }
    }
}

/// The property wrappers that declare the options, by the keys of the settings.
///
/// The parser asks for them twice, and in a debug build more than a hundred times.
private enum SettingArguments {
    static let all = SettingTable.byKey.mapValues(\.argument)
}

extension Setting {
    /// The property wrapper that declares the option.
    fileprivate var argument: any Sendable {
        let words = form.isFlag ? ["true": "yes", "false": "no"] : [:]
        let note = fallbackText.map { " (default: \(words[$0] ?? $0))" } ?? ""
        let help = ArgumentHelp("\(help)\(note)", valueName: form.placeholder)
        if form.isFlag { return Flag<Bool?>(name: names, inversion: .prefixedNo, help: help) }
        return form.isList
            ? ArgumentParser.Option<[String]>(
                wrappedValue: [], name: names, help: help, completion: completion)
            : ArgumentParser.Option<String?>(
                name: names, parsing: form.isQuantity ? .unconditional : .next, help: help,
                completion: completion)
    }

    private var names: NameSpecification {
        var names: [NameSpecification.Element] = []
        if case .short(let letter) = option { names.append(.customShort(letter)) }
        if let optionName { names.append(.customLong(optionName)) }
        return NameSpecification(names)
    }

    private var completion: CompletionKind? {
        switch form.placeholder {
        case "file": .file()
        case "folder": .directory
        default: form.words.isEmpty ? nil : .list(form.words)
        }
    }
}
