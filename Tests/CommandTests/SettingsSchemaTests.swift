import DevTools
import TestSupport
import Testing

@testable import imgbake

/// The JSON Schema agrees with what the command reads.
@Suite struct SettingsSchemaTests {
    private static let schema = Result { try JSONSchema(SettingsSchema.root.text()) }

    private func isAccepted(_ text: String) throws -> Bool {
        try Self.schema.get().validate(yaml(text).json()).errors.isEmpty
    }

    private func isRead(_ text: String) -> Bool {
        do {
            var settings = Settings()
            try settings.apply(yaml(text, environment: ["T": "t", "U": "u"]))
            return true
        } catch {
            return false
        }
    }

    private static func line(_ setting: Setting<Settings>, _ value: String) -> String {
        setting.section.isEmpty
            ? "\(setting.name): \(value)" : "\(setting.section):\n  \(setting.name): \(value)"
    }

    @Test(arguments: SettingTable.all.map(\.key).filter { $0 != "hosts" })
    func schemaAcceptsDefaultsAndSamples(key: String) throws {
        let setting = try #require(SettingTable.byKey[key])
        for value in [setting.fallback, setting.sample].compactMap(\.self) {
            let line = Self.line(setting, value)
            #expect(isRead(line), "\(line)")
            #expect(try isAccepted(line), "\(line)")
        }
    }

    @Test func schemaAcceptsExample() throws {
        #expect(try isAccepted(SettingsText.example(schema: "x")))
        #expect(try isAccepted(""))
        #expect(try isAccepted("cache:\nfetch:\nhosts:\n"))
    }

    /// Values that are neither refused by the one nor by the other.
    @Test(arguments: [
        "quality: 1", "quality: 100", "max-width: none", "max-width: 65535", "jobs: 256",
        "image-timeout: 90", "image-timeout: 1.5", "image-timeout: 300ms", "image-timeout: 1D",
        "image-timeout: '20'", "cache: {max-size: 1.5GiB}", "cache: {max-size: 50000000}",
        "cache: {max-size: 2TB}", "cache: {max-size: none}", "cache: {max-age: 7d}",
        "fetch: {max-bytes: 512kb}", "fetch: {cookies: true}", "format: avif", "on-error: warn",
        "site-url: HTTP://h/x", "public-path: /x", "public-path: https://cdn.example",
        "ignore: []", "ignore: [a, 'b*']", "local: false",
        "hosts: {h: {bearer: '${T}'}}", "hosts: {h: {basic: {user: u, password: '${T}'}}}",
        "hosts: {h: {headers: {X-A: b, X-B: 5}}}", "hosts: {h: {allow-invalid-certificate: true}}",
        "hosts: {h: {client-certificate: {file: a.pem, password: 'a${T}'}}}", "hosts: {h: }",
        "fetch: {proxy: none}", "fetch: {proxy: 'http://p:1'}", "layout: mkdocs",
        "responsive: true", "responsive: {widths: [3], lazy: false, formats: [avif], sizes: 9px}",
    ])
    func schemaAcceptsValidSettings(text: String) throws {
        #expect(isRead(text))
        #expect(try isAccepted(text))
    }

    @Test(arguments: [
        "quality: 0", "quality: 101", "quality: '80'", "quality: best", "max-width: 65536",
        "max-width: wide", "jobs: 0", "jobs: 257", "image-timeout: soon", "image-timeout: -1",
        "cache: {max-size: 0}", "cache: {max-size: 5k}", "cache: {max-size: big}", "format: tiff",
        "local: 'true'", "local: yes", "ignore: a", "site-url: example.org",
        "site-url: 'https://h/?q'", "public-path: i/", "unknown: 1", "cache: {unknown: 1}",
        "hosts: {h: {bearer: plain}}", "hosts: {h: {basic: {user: u}}}", "hosts: {h: {x: 1}}",
        "hosts: {h: {client-certificate: {key: k}}}", "- a", "text", "cache: [a]", "output: ''",
        "layout: gatsby", "responsive-lazy: half",
        "responsive: {crop: 1}", "responsive: {widths: [0]}", "responsive: [3]",
    ])
    func schemaRefusesInvalidSettings(text: String) throws {
        #expect(!isRead(text))
        #expect(try !isAccepted(text))
    }

    @Test func eachSchemaReferenceHasDefinition() throws {
        guard case .object(let root) = SettingsSchema.root,
            case .object(let definitions)? = root["$defs"]
        else {
            Issue.record("the schema has definitions")
            return
        }
        let text = try SettingsSchema.root.text()
        let names = Set(text.matches(of: /"#\/\$defs\/([a-z]+)"/).map { String($0.1) })
        #expect(names == Set(definitions.keys))
        #expect(text.hasSuffix("}\n"))
    }

    @Test func eachSettingIsInItsSectionAndExplained() throws {
        guard case .object(let root) = SettingsSchema.root,
            case .object(let properties)? = root["properties"]
        else {
            Issue.record("the schema is an object")
            return
        }
        for setting in SettingTable.all {
            var members = properties
            if !setting.section.isEmpty {
                guard case .object(let section)? = properties[setting.section],
                    case .object(let own)? = section["properties"]
                else {
                    Issue.record("no section \(setting.section)")
                    continue
                }
                members = own
            }
            guard case .object(let schema)? = members[setting.name],
                case .string(let description)? = schema["description"]
            else {
                Issue.record("\(setting.key) has no description")
                continue
            }
            #expect(description.hasPrefix(setting.help), "\(setting.key)")
        }
        let sections = SettingTable.sections
        #expect(sections.allSatisfy { SettingTable.sectionHelp[$0]?.isEmpty == false })
        #expect(Set(SettingTable.sectionHelp.keys) == sections)
    }

    @Test func writesJSONWithSortedKeys() throws {
        let value: JSONValue = ["b": 1, "a": "x/y", "c": [true]]
        let text = try value.text()
        #expect(text.filter { !$0.isWhitespace } == #"{"a":"x/y","b":1,"c":[true]}"#)
        #expect(text.hasSuffix("}\n"))
    }

    @Test func mergingReplacesEqualMembers() {
        let value: JSONValue = ["a": 1, "b": 2]
        #expect(value.merging(["b": 3, "c": 4]) == ["a": 1, "b": 3, "c": 4])
        #expect(JSONValue.string("x").merging(["a": 1]) == "x")
    }

    @Test func referenceHasEachSettingAndNoTable() {
        let lines = SettingsText.reference.split(separator: "\n")
        #expect(!lines.contains { $0.hasPrefix("|") })
        for setting in SettingTable.all {
            #expect(lines.contains("### `\(setting.key)`"), "\(setting.key)")
            guard let name = setting.environment else { continue }
            #expect(lines.contains { $0.contains("`\(name)`") }, "\(setting.key)")
        }
        for setting in SettingTable.host {
            #expect(lines.contains { $0.hasPrefix("- `\(setting.key)`: ") }, "\(setting.key)")
        }
        #expect(lines.allSatisfy { $0.count <= 100 })
    }
}
