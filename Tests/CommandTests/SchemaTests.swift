import FetchCache
import Foundation
import Testing

@testable import imgbake

/// The JSON Schema and the example describe what the reader reads.
@Suite struct SchemaTests {
    private let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// What lies at a path of the schema.
    private func part(_ path: String...) throws -> [String: Any] {
        let data = try Data(contentsOf: root.appending(path: "docs/imgbake.schema.json"))
        var part = try JSONSerialization.jsonObject(with: data)
        for name in path {
            part = try #require((part as? [String: Any])?[name], "\(path)")
        }
        return try #require(part as? [String: Any])
    }

    private func names<Target>(_ keys: [SettingsKey<Target>]) -> Set<String> {
        #expect(Set(keys.map(\.name)).count == keys.count)
        return Set(keys.map(\.name))
    }

    @Test func theSchemaHasTheKeysThatTheReaderKnows() throws {
        #expect(try Set(part("properties").keys) == names(SettingsKeys.root))
        #expect(
            try Set(part("properties", "cache", "properties").keys) == names(SettingsKeys.cache))
        #expect(
            try Set(part("properties", "fetch", "properties").keys) == names(SettingsKeys.fetch))
        #expect(try Set(part("$defs", "host", "properties").keys) == names(SettingsKeys.host))
        #expect(
            try Set(part("$defs", "host", "properties", "basic", "properties").keys)
                == names(SettingsKeys.basic))
        #expect(
            try Set(part("$defs", "host", "properties", "client-certificate", "properties").keys)
                == names(SettingsKeys.clientCertificate))
    }

    @Test func everyKeyIsDescribedAndNoOtherIsAllowed() throws {
        let mappings = try [
            part(), part("properties", "cache"), part("properties", "fetch"), part("$defs", "host"),
            part("$defs", "host", "properties", "basic"),
            part("$defs", "host", "properties", "client-certificate"),
        ]
        for mapping in mappings {
            #expect(mapping["additionalProperties"] as? Bool == false)
            for (name, key) in try #require(mapping["properties"] as? [String: [String: Any]]) {
                #expect(key["description"] is String, "\(name)")
            }
        }
    }

    /// The example with its comments taken off the keys that are not set.
    @Test(arguments: [false, true])
    func theExampleIsRead(isWhole: Bool) throws {
        var text = try String(
            contentsOf: root.appending(path: "examples/imgbake.yml"), encoding: .utf8)
        if isWhole {
            // The first line is for editors.
            text.removeFirst()
            text = "##" + text.replacing(/# (?=( *["a-zA-Z.*-]+(:[0-9]+)?"?:( |\n)))/, with: "")
        }
        let source = ConfigurationSource(
            name: "imgbake.yml", folder: "/site", environment: { "value of \($0)" })
        var settings = Settings()
        try parseYAML(text, source: source).read(SettingsKeys.root, into: &settings)
        #expect(settings.fetching.deniedHosts == ["*.doubleclick.net"])
        #expect(settings.fetching.hosts.count == (isWhole ? 4 : 0))
        #expect(settings.jobs == (isWhole ? 4 : nil))
    }
}
