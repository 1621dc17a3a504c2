import ArgumentParser
import Baking
import FetchCache
import Foundation
import Pictures
import Testing

@testable import imgbake

/// The files that are generated from tables, and the rows of the settings.
@Suite struct SettingTableTests {
    private let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private func read(_ text: String, environment: [String: String] = [:]) throws -> Settings {
        let source = ConfigurationSource(
            origin: .file("imgbake.yml"), folder: "/site",
            environment: { environment[$0] ?? "value of \($0)" })
        var settings = Settings()
        try settings.apply(parseYAML(text, source: source))
        return settings
    }

    private func file(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// `scripts/generate` writes them again.
    @Test func generatedFilesAreUpToDate() throws {
        #expect(
            try file("examples/imgbake.yml")
                == SettingsText.example(schema: "../docs/imgbake.schema.json"))
        #expect(try file("docs/imgbake.schema.json") == SettingsSchema.root.text())
        #expect(try file("docs/settings.md") == SettingsText.reference)
    }

    @Test(arguments: SettingTable.all.filter { $0.fallback != nil }.map(\.key))
    func documentedDefaultsMatchSettings(key: String) throws {
        let setting = try #require(SettingTable.byKey[key])
        let line = "\(setting.name): \(setting.fallback ?? "")"
        var settings = try read(setting.section.isEmpty ? line : "\(setting.section): {\(line)}")
        #expect(settings.given[key]?.origin == "imgbake.yml:1")
        settings.given = [:]
        #expect(differences(settings, Settings()).isEmpty)
    }

    /// The paths of the stored values that differ; functions cannot be compared.
    private func differences(_ left: Any, _ right: Any, at path: String = "") -> [String] {
        if let left = left as? any Equatable { return left.isEqual(to: right) ? [] : [path] }
        let (left, right) = (Mirror(reflecting: left), Mirror(reflecting: right))
        let names = [left, right].map { $0.children.map(\.label) }
        guard names[0] == names[1] else { return [path] }
        return zip(left.children, right.children).flatMap { left, right in
            differences(left.value, right.value, at: "\(path).\(left.label ?? "")")
        }
    }

    @Test func findsEachDifferenceOfSettings() {
        var settings = Settings()
        settings.failures.usual = .warn
        settings.fetching.downloader.limits.retries += 1
        settings.isSynced.toggle()
        let found = differences(settings, Settings())
        #expect(found.count == 3 && found.contains(".bake.failures"), "\(found)")
    }

    @Test(arguments: SettingTable.all.filter { $0.sample != nil }.map(\.key))
    func samplesAreValid(key: String) throws {
        let setting = try #require(SettingTable.byKey[key])
        let line = "\(setting.name): \(setting.sample ?? "")"
        let settings = try read(setting.section.isEmpty ? line : "\(setting.section):\n  \(line)")
        #expect(settings.given[key] != nil)
    }

    @Test func everyRowHasExplanationAndValue() {
        for setting in SettingTable.all where setting.key != "hosts" {
            #expect(!setting.help.isEmpty && setting.help.hasSuffix("."), "\(setting.key)")
            // Of a line that was joined in the source with its indentation.
            #expect(!setting.help.contains("  "), "\(setting.key)")
            #expect(setting.fallback != nil || setting.sample != nil, "\(setting.key)")
        }
        let names = SettingTable.all.compactMap(\.optionName)
        #expect(Set(names).count == names.count)
    }

    @Test func readsExampleWithAndWithoutComments() throws {
        let text = SettingsText.example(schema: "s")
        #expect(try read(text).given.isEmpty)
        // A comment has a space after its sign, unlike a setting.
        var isHosts = false
        let lines = text.split(separator: "\n").map { line in
            isHosts = isHosts || line == "#hosts:"
            if isHosts { return String(line.dropFirst()) }
            return String(line.replacing(/^( *)#([a-z])/) { "\($0.1)\($0.2)" })
        }
        let settings = try read(lines.joined(separator: "\n"))
        #expect(settings.given.count == SettingTable.all.count)
        #expect(settings.fetching.downloader.hosts.count == 4)
    }

    @Test(arguments: [
        ("ttl", ["5x"], "'--ttl 5x' must be"), ("format", ["jpg"], "did you mean 'jpeg'?"),
        ("max-width", ["-5"], "must be a whole number from 1 to 65535, or none"),
        ("site-url", ["x"], "must be an http or https URL"),
        ("ignore", ["a", "["], "'--ignore ['"),
        ("jobs", ["0"], "from 1 to 256"),
    ])
    func reportsInvalidOptionWithAcceptedForms(
        name: String, values: [String], expected: String
    ) throws {
        let arguments = values.flatMap { ["--\(name)", $0] }
        let error = #expect(throws: (any Error).self) {
            try BakeCommand.parse(arguments + ["site"])
        }
        #expect(BakeCommand.message(for: try #require(error)).contains(expected))
    }

    @Test func refusesNetrcFileWithNoNetrc() throws {
        #expect(throws: (any Error).self) {
            try BakeCommand.parse(["--no-netrc", "--netrc-file", "n", "site"])
        }
        _ = try BakeCommand.parse(["--netrc", "--netrc-file", "n", "site"])
    }

    @Test func optionOverridesEnvironmentAndFile() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try "cache: {dir: a, max-size: 5GB}\njobs: 2\n".write(
            to: folder.appending(path: "imgbake.yml"), atomically: true, encoding: .utf8)
        let environment = ProcessEnvironment(
            workingDirectory: folder.path, variable: { $0 == "IMGBAKE_CACHE_DIR" ? "/b" : nil },
            executable: "/x")
        func settings(_ arguments: [String]) throws -> Settings {
            let command = try ConfigShow.parse(arguments)
            return try Settings(
                command.configuration, command.cache, command.images, in: environment)
        }
        let given = try settings([]).given
        #expect(given["cache.dir"] == GivenSetting(value: "/b", origin: "IMGBAKE_CACHE_DIR"))
        #expect(given["cache.max-size"]?.origin == "imgbake.yml:1")
        #expect(given["jobs"] == GivenSetting(value: "2", origin: "imgbake.yml:2"))
        let changed = try settings(["--cache-dir", "/c", "-j", "3", "--no-dimensions"]).given
        #expect(changed["cache.dir"] == GivenSetting(value: "/c", origin: "--cache-dir"))
        #expect(changed["jobs"] == GivenSetting(value: "3", origin: "--jobs"))
        #expect(changed["dimensions"]?.origin == "--no-dimensions")
    }
}

extension Equatable {
    fileprivate func isEqual(to other: Any) -> Bool { other as? Self == self }
}
