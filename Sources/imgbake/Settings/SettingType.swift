import DevTools
import Recipes
import Reports
import Sites

/// The syntax of a setting's value, for help texts, completions and the JSON Schema.
struct SettingForm: Sendable {
    /// The placeholder for the value in a help text; `file` and `folder` are completed as such.
    var placeholder: String
    /// The JSON Schema of a value.
    var schema: JSONValue
    /// The words that a value may be, for its completion.
    var words: [String] = []
    /// Whether the option is a flag, with the prefix `--no-` for false.
    var isFlag = false
    /// Whether it is a number, a duration or a size, so that `-5` is a wrong value and not an
    /// option.
    var isQuantity = false
    /// Whether the option may be repeated, with one more value each time.
    var isList = false
    /// Whether it has keys of its own, so that it can be given only in a file.
    var isMapping = false
}

/// A type of values: its syntax and its parser.
struct SettingType<Value>: Sendable {
    var form: SettingForm
    /// Reads a value; throws ``SettingsError``.
    var read: @Sendable (ConfigurationNode) throws -> Value

    init(_ form: SettingForm, read: @escaping @Sendable (ConfigurationNode) throws -> Value) {
        self.form = form
        self.read = read
    }

    /// A value or the word `none`, which is nil.
    static func orNone<Wrapped>(_ type: SettingType<Wrapped>) -> Self where Value == Wrapped? {
        var form = type.form
        form.placeholder += "|none"
        form.schema = ["anyOf": [["const": "none"], form.schema]]
        return SettingType(form) { node in
            if case .text(let text, _) = node.content, text.lowercased() == "none" { return nil }
            do {
                return try type.read(node)
            } catch var error as SettingsError {
                error.reason += ", or none"
                throw error
            }
        }
    }

    /// A list of values; on the command line, the option is repeated for each.
    static func list<Element>(of type: SettingType<Element>) -> Self where Value == [Element] {
        var form = type.form
        form.isList = true
        form.schema = ["type": "array", "items": form.schema]
        return SettingType(form) { node in
            try node.list().map { item in
                do {
                    return try type.read(item)
                } catch var error as SettingsError {
                    if case .option = item.source.origin, item.written.contains(",") {
                        error.reason += "; give the option again for each value"
                    }
                    throw error
                }
            }
        }
    }
}

extension SettingType where Value == [Int] {
    /// The widths of an image.
    static var widths: SettingType {
        let list = SettingType.list(
            of: SettingType<Int>.integer(ResponsiveOptions.allowedWidths, "pixels"))
        let most = ResponsiveOptions.mostWidths
        return SettingType(list.form) { node in
            let widths = try list.read(node)
            guard (1...most).contains(widths.count) else {
                throw node.error("\(node.subject) must be 1 to \(most) widths")
            }
            return widths
        }
    }
}

extension SettingType where Value == Bool {
    static var flag: SettingType {
        SettingType(
            SettingForm(placeholder: "", schema: ["type": "boolean"], isFlag: true)
        ) { node in
            guard case .text(let text, isPlain: true) = node.content, let flag = Bool(text) else {
                throw node.error("\(node.subject) must be true or false")
            }
            return flag
        }
    }
}

extension SettingType where Value == Int {
    static func integer(_ bounds: ClosedRange<Int>, _ placeholder: String = "number") -> Self {
        let schema: JSONValue = [
            "type": "integer", "minimum": .number(Double(bounds.lowerBound)),
            "maximum": .number(Double(bounds.upperBound)),
        ]
        return SettingType(SettingForm(placeholder: placeholder, schema: schema, isQuantity: true))
        { node in
            guard case .text(let text, isPlain: true) = node.content, let number = Int(text),
                bounds.contains(number)
            else {
                throw node.error(
                    "\(node.subject) must be a whole number from \(bounds.lowerBound) to "
                        + "\(bounds.upperBound)")
            }
            return number
        }
    }

    /// A number of bytes, at least 1.
    static var size: SettingType {
        SettingType(
            SettingForm(placeholder: "size", schema: ["$ref": "#/$defs/size"], isQuantity: true)
        ) { node in
            guard case .text(let text, _) = node.content, let size = ByteSize(text) else {
                throw node.error("\(node.subject) must be \(ByteSize.notation)")
            }
            guard size.bytes > 0 else {
                throw node.error("\(node.subject) must be at least 1 byte")
            }
            return size.bytes
        }
    }
}

extension SettingType where Value == Quality {
    /// A number, or the name of a level.
    static var quality: SettingType {
        let names = Quality.names.map(\.name)
        var form = SettingType<Int>.integer(Quality.numbers, "1-100").form
        form.placeholder += "|auto"
        form.schema = ["anyOf": [form.schema, ["enum": .array(names.map { .string($0) })]]]
        form.words = names
        return SettingType(form) { node in
            guard case .text(let text, let isPlain) = node.content, let quality = Quality(text),
                isPlain || Int(text) == nil
            else {
                throw node.error(
                    "\(node.subject) must be a whole number from 1 to 100, or one of "
                        + names.joined(separator: ", "))
            }
            return quality
        }
    }
}

extension SettingType where Value == Duration {
    /// A timeout: more than 0 and at most a day.
    static var timeout: SettingType { duration(.milliseconds(1) ... .seconds(86_400)) }
    /// A lifetime: at most 100 years.
    static var lifetime: SettingType { duration(.zero ... .seconds(100 * 365 * 86_400)) }

    private static func duration(_ bounds: ClosedRange<Duration>) -> Self {
        SettingType(
            SettingForm(
                placeholder: "time", schema: ["$ref": "#/$defs/duration"], isQuantity: true)
        ) { node in
            guard case .text(let text, _) = node.content, let span = TimeSpan(text) else {
                throw node.error("\(node.subject) must be \(TimeSpan.notation)")
            }
            guard bounds.contains(span.duration) else {
                let most = bounds.upperBound.components.seconds / 86_400
                let least = bounds.contains(.zero) ? "" : "over 0 and "
                throw node.error("\(node.subject) must be \(least)at most \(most)d")
            }
            return span.duration
        }
    }
}

extension SettingType where Value == String {
    /// Any text that is not empty.
    static func text(_ placeholder: String, pattern: String? = nil) -> Self {
        var schema: [String: JSONValue] = ["type": "string"]
        schema[pattern == nil ? "minLength" : "pattern"] = pattern.map { .string($0) } ?? 1
        return SettingType(SettingForm(placeholder: placeholder, schema: .object(schema))) {
            try $0.text()
        }
    }

    /// A file or folder.
    ///
    /// A relative path starts at the folder of `imgbake.yml`, or on the command line at the current
    /// folder.
    static func path(_ placeholder: String) -> Self {
        SettingType(text(placeholder).form) { node in
            let path = try node.text()
            return path.hasPrefix("/") ? path : node.source.folder + "/" + path
        }
    }

    /// A secret, which must come from an environment variable.
    static func secret(_ name: String) -> Self {
        SettingType(SettingForm(placeholder: "text", schema: ["$ref": "#/$defs/secret"])) {
            try $0.secret(name)
        }
    }

    /// A host: `example.org`, `example.org:8443`, `*.example.org`.
    static var host: SettingType {
        SettingType(text("host").form) { try $0.hostPattern() }
    }

    /// Text that is checked but not converted.
    static func text(
        _ placeholder: String, pattern: String? = nil,
        _ requirement: String, _ isValid: @escaping @Sendable (String) -> Bool
    ) -> Self {
        text(placeholder, pattern: pattern, requirement) { isValid($0) ? $0 : nil }
    }
}

extension SettingType {
    /// Text that `convert` accepts.
    ///
    /// - Parameters:
    ///   - placeholder: The placeholder in a help text.
    ///   - pattern: A regular expression for the schema; nil for any text.
    ///   - requirement: The end of the message for a text that is not accepted, after "must be".
    ///   - beginning: The beginning that a text often lacks, such as `https://`.
    ///   - convert: Returns nil for a text that is not accepted.
    /// - Returns: The type.
    static func text(
        _ placeholder: String, pattern: String? = nil, _ requirement: String,
        beginning: String? = nil, convert: @escaping @Sendable (String) -> Value?
    ) -> Self {
        SettingType(SettingType<String>.text(placeholder, pattern: pattern).form) { node in
            let text = try node.text()
            if let value = convert(text) { return value }
            // 'https:///blog' and 'https://ftp://host' are accepted by parsers of URLs.
            let lacksBeginning = text.first?.isLetter == true && !text.contains("://")
            // A name with a dot is a host.
            let isHost = text.prefix { $0 != "/" }.contains(".")
            let whole = (isHost && beginning == "/" ? "https://" : beginning).flatMap {
                lacksBeginning && convert($0 + text) != nil ? $0 + text : nil
            }
            throw node.error("\(node.subject) must be \(requirement)", nearest: whole)
        }
    }

    /// One of several words, in any letter case.
    static func choice(_ choices: KeyValuePairs<String, Value>) -> Self where Value: Sendable {
        let values = Dictionary(uniqueKeysWithValues: choices.map { ($0.key, $0.value) })
        return choice(of: choices.map(\.key)) { values[$0] }
    }

    /// One of several words, in any letter case; `convert` returns the value of each.
    static func choice(
        of words: [String], convert: @escaping @Sendable (String) -> Value?
    ) -> Self {
        let form = SettingForm(
            placeholder: words.count < 4 ? words.joined(separator: "|") : "name",
            schema: ["enum": .array(words.map { .string($0) })], words: words)
        return SettingType(form) { node in
            let text = try node.text()
            guard let value = convert(text.lowercased()) else {
                throw node.error(
                    "\(node.subject) must be one of \(words.joined(separator: ", "))",
                    nearest: nearestName(to: text.lowercased(), in: words))
            }
            return value
        }
    }
}

extension SettingType where Value: RawRepresentable & Sendable, Value.RawValue == String {
    /// One of the raw values.
    static func word() -> Self where Value: CaseIterable { word(among: Array(Value.allCases)) }

    /// The raw value of one of these.
    static func word(among values: [Value]) -> Self {
        choice(of: values.map(\.rawValue)) { word in values.first { $0.rawValue == word } }
    }
}
