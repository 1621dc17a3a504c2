import DevTools
import FoundationEssentials

/// The JSON Schema of `imgbake.yml`, derived from the settings.
enum SettingsSchema {
    /// The URL of the schema of the latest version.
    static let address =
        "https://raw.githubusercontent.com/imgbake/imgbake/main/docs/imgbake.schema.json"

    /// The whole schema.
    static var root: JSONValue {
        var properties = members(SettingTable.all.filter { $0.section.isEmpty })
        for section in SettingTable.sections {
            let settings = SettingTable.all.filter { $0.section == section }
            properties[section] = object(settings).merging([
                "description": .string(SettingTable.sectionHelp[section] ?? "")
            ])
        }
        return [
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$id": .string(address),
            "title": "imgbake.yml",
            "description": "The settings of imgbake. Paths are relative to the file.",
            "type": ["object", "null"],
            "additionalProperties": false,
            "properties": .object(properties),
            "$defs": definitions,
        ]
    }

    /// A mapping with these settings and no others.
    static func object<Target>(_ settings: [Setting<Target>]) -> JSONValue {
        [
            "type": ["object", "null"], "additionalProperties": false,
            "properties": .object(members(settings)),
        ]
    }

    private static func members<Target>(_ settings: [Setting<Target>]) -> [String: JSONValue] {
        let names = settings.map { ($0.name, member($0, parts: $0.parts(among: settings))) }
        return Dictionary(uniqueKeysWithValues: names)
    }

    /// The schema of a setting, which may hold its parts if it has any.
    private static func member<Target>(
        _ setting: Setting<Target>, parts: [String: Setting<Target>]
    ) -> JSONValue {
        var description = setting.help
        if let note = setting.fallbackNote { description += " Default: \(note)." }
        var schema = setting.form.schema.merging(["description": .string(description)])
        if let fallback = setting.fallback {
            schema = schema.merging(["default": value(fallback)])
        }
        if parts.isEmpty { return schema }
        return schema.merging([
            "type": ["boolean", "object"], "additionalProperties": false,
            "properties": .object(parts.mapValues { member($0, parts: [:]) }),
        ])
    }

    /// A default as JSON: a number, a Boolean, a string or a list.
    private static func value(_ text: String) -> JSONValue {
        if text.hasPrefix("["), text.hasSuffix("]") {
            let items = text.dropFirst().dropLast().split(separator: ",")
            return .array(items.map { value($0.filter { $0 != " " }) })
        }
        return Double(text).map { .number($0) } ?? Bool(text).map { .bool($0) } ?? .string(text)
    }

    private static let definitions: JSONValue = [
        "duration": [
            "description": "A number of seconds, or a number with ms, s, m, h or d.",
            "anyOf": [
                ["type": "number", "minimum": 0],
                [
                    "type": "string",
                    "pattern": "^[0-9]+(\\.[0-9]+)?([mM][sS]|[sSmMhHdD])?$",
                ],
            ],
        ],
        "size": [
            "description":
                "A number of bytes, or a number with kB, MB, GB, TB, KiB, MiB, GiB or TiB.",
            "anyOf": [
                ["type": "integer", "minimum": 1],
                [
                    "type": "string",
                    "pattern": "^[0-9]+(\\.[0-9]+)?(([kKmMgGtT][iI]?)?[bB])?$",
                ],
            ],
        ],
        "secret": ["type": "string", "pattern": "\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}"],
        "host": object(SettingTable.host).merging([
            "description": "Not sent to other hosts, even after a redirect."
        ]),
    ]
}

extension JSONValue {
    /// This object with the members of another one added.
    func merging(_ other: [String: JSONValue]) -> JSONValue {
        guard case .object(let own) = self else { return self }
        return .object(own.merging(other) { $1 })
    }

    /// The value on several lines, with sorted keys and a newline at the end.
    func text() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
    }
}
