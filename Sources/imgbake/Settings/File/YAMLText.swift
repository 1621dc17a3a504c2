internal import Yams

/// Parses the text of a configuration file as YAML.
///
/// Anchors, aliases, tags and block scalars are rejected. No setting needs them, and nested aliases
/// can expand to more data than fits in memory.
///
/// - Returns: The value of the whole file; ``ConfigurationNode/Content/empty`` for an empty one.
/// - Throws: ``SettingsError``.
func parseYAML(_ text: String, source: ConfigurationSource) throws -> ConfigurationNode {
    if let place = YAMLIndicators.firstRefused(in: text) {
        let start = ConfigurationNode(
            content: .empty, line: place.line, column: place.column, source: source)
        throw start.needsQuotes(place.indicator)
    }
    do {
        let parser = try Yams.Parser(yaml: text)
        // A node does not own its anchor; the parser does.
        return try withExtendedLifetime(parser) {
            guard let node = try parser.singleRoot() else {
                return ConfigurationNode(content: .empty, source: source)
            }
            return try convert(node, source)
        }
    } catch let error as YamlError {
        throw missingSpace(in: text, source) ?? settingsError(error, source)
    }
}

/// The error for the first line in which a setting has no space after its colon; nil if there is
/// none.
private func missingSpace(in text: String, _ source: ConfigurationSource) -> SettingsError? {
    let keys = Set(SettingTable.all.map(\.name)).union(SettingTable.sections)
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
        let start = line.drop { $0 == " " }
        guard let key = keyWithoutSpace(String(start)), keys.contains(key) else { continue }
        return ConfigurationNode(
            content: .empty, line: index + 1, column: line.count - start.count + 1, source: source
        ).missingSpace(after: key)
    }
    return nil
}

/// The key at the beginning of a text such as `quality:80`, which YAML reads as one word; nil if
/// there is none.
func keyWithoutSpace(_ text: String) -> String? {
    text.prefixMatch(of: /([a-z][a-z-]*):[^\s\/]/).map { String($0.1) }
}

extension ConfigurationNode {
    /// The error for a feature of YAML that begins with `indicator`.
    fileprivate func needsQuotes(_ indicator: Character) -> SettingsError {
        error("a value that begins with '\(indicator)' must be put in quotes")
    }

    /// The error for a key whose colon is followed by its value.
    func missingSpace(after key: String) -> SettingsError {
        error("a space is missing after '\(key):'; write '\(key): value'")
    }
}

/// Converts a value, with an anchor as an error.
///
/// An anchor comes before its aliases, so no alias is ever expanded.
private func convert(_ node: Node, _ source: ConfigurationSource) throws -> ConfigurationNode {
    var converted = ConfigurationNode(content: .empty, source: source)
    if let mark = node.mark { (converted.line, converted.column) = (mark.line, mark.column) }
    if node.anchor != nil { throw converted.needsQuotes("&") }
    switch node {
    case .scalar(let scalar):
        let isPlain = scalar.style == .plain
        let isNull = isPlain && ["", "~", "null"].contains(scalar.string)
        converted.content = isNull ? .empty : .text(scalar.string, isPlain: isPlain)
    case .sequence(let items): converted.content = .list(try items.map { try convert($0, source) })
    case .mapping(let pairs):
        converted.content = .mapping(try pairs.map { try entry($0.key, $0.value, source) })
    case .alias: break
    }
    return converted
}

private func entry(
    _ key: Node, _ value: Node, _ source: ConfigurationSource
) throws -> ConfigurationNode.Entry {
    let name = try convert(key, source)
    guard case .text(let text, _) = name.content else {
        throw name.error("the name of a key must be a text")
    }
    return ConfigurationNode.Entry(
        name: text, line: name.line, column: name.column, value: try convert(value, source))
}

private func settingsError(_ cause: YamlError, _ source: ConfigurationSource) -> SettingsError {
    var error = SettingsError(file: source.fileName, reason: "this cannot be read as YAML")
    switch cause {
    case .scanner(let context, let problem, let mark, _),
        .parser(let context, let problem, let mark, _),
        .composer(let context, let problem, let mark, _):
        (error.line, error.column) = (mark.line, mark.column)
        let text = context.map { "\(problem) \($0.text)" } ?? problem
        error.reason += ": " + text
    case .duplicatedKeysInMapping(let names, let context):
        (error.line, error.column) = (context.mark.line, context.mark.column)
        error.reason = "the key '\(names.first ?? "")' is given here and once more"
    case .reader(let problem, _, _, _): error.reason += ": " + problem
    default: break
    }
    return error
}

extension ConfigurationSource {
    fileprivate var fileName: String? {
        if case .file(let name) = origin { name } else { nil }
    }
}
