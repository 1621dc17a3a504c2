internal import Documents
internal import Yams

/// Parses the text of a configuration file as YAML.
///
/// Anchors, aliases, tags and block scalars are rejected, because no setting needs them.
///
/// - Returns: The value of the whole file; ``ConfigurationNode/Content/empty`` for an empty one.
/// - Throws: ``SettingsError``.
func parseYAML(_ text: String, source: ConfigurationSource) throws -> ConfigurationNode {
    let start = ConfigurationNode(content: .empty, source: source)
    // The parser compares the keys of a mapping, which may be aliases of nested lists.
    if YAMLCost.hasManyAliases(text) {
        throw start.error("a value that begins with '&' or '*' must be put in quotes")
    }
    let values = YAMLValues(text, source)
    do {
        let parser = try Yams.Parser(yaml: text)
        // A node does not own its anchor; the parser does.
        return try withExtendedLifetime(parser) {
            try parser.singleRoot().map(values.convert) ?? start
        }
    } catch let error as YamlError {
        throw values.refusal(of: error) ?? blankFault(in: text, source)
            ?? settingsError(error, source)
    }
}

/// The error for the first line that is indented with a tab, or in which a setting has no space after
/// its colon; nil if there is none.
private func blankFault(in text: String, _ source: ConfigurationSource) -> SettingsError? {
    let keys = Set(SettingTable.all.map(\.name)).union(SettingTable.sections)
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
        let start = line.drop { $0 == " " || $0 == "\t" }
        let indentation = line[..<start.startIndex]
        var place = ConfigurationNode(content: .empty, line: index + 1, source: source)
        if !start.isEmpty, indentation.contains("\t") {
            return place.error("this line is indented with a tab: YAML allows only spaces")
        }
        guard let key = keyWithoutSpace(String(start)), keys.contains(key) else { continue }
        place.column = indentation.count + 1
        return place.missingSpace(after: key)
    }
    return nil
}

/// The key at the beginning of a text such as `quality:80`, which YAML reads as one word; nil if
/// there is none.
func keyWithoutSpace(_ text: String) -> String? {
    text.prefixMatch(of: /([a-z][a-z-]*):[^\s\/]/).map { String($0.1) }
}

extension ConfigurationNode {
    /// The error for a key whose colon is followed by its value.
    func missingSpace(after key: String) -> SettingsError {
        error("a space is missing after '\(key):'; write '\(key): value'")
    }
}

/// Converts the values of a text, and refuses those that begin with the sign of another feature.
private struct YAMLValues {
    private let source: ConfigurationSource
    /// The characters of each line.
    private let lines: [[Unicode.Scalar]]

    /// The signs of anchors, aliases, tags and block scalars.
    private static let signs: Set<Unicode.Scalar> = ["&", "*", "!", "|", ">"]

    init(_ text: String, _ source: ConfigurationSource) {
        self.source = source
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        self.lines = lines.map { Array($0.unicodeScalars) }
    }

    func convert(_ node: Node) throws -> ConfigurationNode {
        var converted = ConfigurationNode(content: .empty, source: source)
        if let mark = node.mark {
            (converted.line, converted.column) = (mark.line, mark.column)
            // An anchor comes before its aliases, so no alias is ever expanded.
            if let refusal = refusal(at: mark) { throw refusal }
        }
        switch node {
        case .scalar(let scalar):
            let isPlain = scalar.style == .plain
            let isNull = isPlain && ["", "~", "null"].contains(scalar.string)
            converted.content = isNull ? .empty : .text(scalar.string, isPlain: isPlain)
        case .sequence(let items): converted.content = .list(try items.map(convert))
        case .mapping(let pairs):
            converted.content = .mapping(try pairs.map { try entry($0.key, $0.value) })
        case .alias: break
        }
        return converted
    }

    private func entry(_ key: Node, _ value: Node) throws -> ConfigurationNode.Entry {
        let name = try convert(key)
        guard case .text = name.content else {
            throw name.error("the name of a key must be a text")
        }
        return ConfigurationNode.Entry(
            key: name, value: try convert(value))
    }

    /// The error for a value at which the parser has failed; nil if it begins with no such sign.
    func refusal(of error: YamlError) -> SettingsError? {
        switch error {
        case .scanner(let context, _, _, _), .parser(let context, _, _, _):
            context.flatMap { refusal(at: $0.mark) }
        case .composer(_, _, let mark, _): refusal(at: mark)
        default: nil
        }
    }

    /// The error for a value that begins with such a sign; nil for any other.
    private func refusal(at mark: Mark) -> SettingsError? {
        guard lines.indices.contains(mark.line - 1) else { return nil }
        let line = lines[mark.line - 1]
        guard line.indices.contains(mark.column - 1), Self.signs.contains(line[mark.column - 1])
        else { return nil }
        let place = ConfigurationNode(
            content: .empty, line: mark.line, column: mark.column, source: source)
        return place.error(
            "a value that begins with '\(line[mark.column - 1])' must be put in quotes")
    }
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
