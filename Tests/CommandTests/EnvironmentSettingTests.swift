import ArgumentParser
import Baking
import FetchCache
import Recipes
import Testing

@testable import Sites
@testable import imgbake

/// Every setting is an environment variable.
@Suite struct EnvironmentSettingTests {
    private func settings(_ variables: [String: String]) throws -> Settings {
        let command = try ConfigShow.parse(["--no-config"])
        return try Settings(
            command.configuration, command.images,
            in: environment(["HOME": "/home/me"].merging(variables) { $1 }))
    }

    @Test func everyRowButMappingsHasVariableOfItsOwn() {
        let names = SettingTable.all.compactMap(\.environment)
        #expect(
            SettingTable.all.filter { $0.environment == nil }.map(\.key) == [
                "overrides", "failures", "hosts",
            ])
        #expect(Set(names).count == names.count)
        #expect(SettingTable.hosts.environment == nil)
        #expect(
            SettingTable.byKey["fetch.total-timeout"]?.environment
                == "IMGBAKE_FETCH_TOTAL_TIMEOUT")
        #expect(!names.contains("IMGBAKE_WORKER"))
    }

    /// A value that each setting accepts, by its default or its example.
    @Test(arguments: SettingTable.all.filter { $0.environment != nil }.map(\.key))
    func variableSetsValue(key: String) throws {
        let setting = try #require(SettingTable.byKey[key])
        let name = try #require(setting.environment)
        let value = (setting.fallback ?? setting.sample ?? "").filter { !"[]\"".contains($0) }
        // These must name a file that exists.
        let files = ["fetch.ca-file": "/dev/null", "fetch.netrc-file": "/dev/null"]
        let given = try settings([name: files[key] ?? value]).given[key]
        #expect(given?.origin == name)
    }

    @Test func valuesArrive() throws {
        let settings = try settings([
            "IMGBAKE_QUALITY": "70", "IMGBAKE_MAX_WIDTH": "none", "IMGBAKE_LOCAL": "true",
            "IMGBAKE_FETCH_TTL": "2d", "IMGBAKE_IGNORE": "drafts/, *.{[cm]ss,svg} ,",
            "IMGBAKE_CACHE_READ_ONLY": "/tmp,/usr",
        ])
        #expect(settings.variants.quality == 70 && settings.variants.maximumWidth == nil)
        #expect(settings.reading.includesLocal)
        #expect(settings.fetching.policy.timeToLive == .seconds(172_800))
        #expect(settings.reading.documents.ignored.count == 2)
        #expect(settings.given["ignore"]?.value == "[drafts/, *.{[cm]ss,svg}]")
        #expect(settings.fetching.folder.readOnlyCaches == ["/tmp", "/usr"])
    }

    @Test(arguments: [("IMGBAKE_QUALITY", "x"), ("IMGBAKE_LOCAL", "1"), ("IMGBAKE_IGNORE", "[")])
    func faultNamesVariable(name: String, value: String) throws {
        let error = #expect(throws: SettingsError.self) { try settings([name: value]) }
        #expect(error?.message.contains(name) == true, "\(error?.message ?? "")")
    }

    @Test(
        arguments: [
            ("IMGBAKE_QUALTIY", "IMGBAKE_QUALITY"), ("IMGBAKE_MAXWIDTH", "IMGBAKE_MAX_WIDTH"),
            ("IMGBAKE_FETCH_TTLS", "IMGBAKE_FETCH_TTL"), ("IMGBAKE_WORKER", nil),
            ("IMGBAKE_VERSION", nil), ("IMGBAKE_DOWNLOAD_URL", nil), ("IMGBAKE_", nil),
            ("IMGBAKE_QUALITY", nil), ("QUALTIY", nil),
        ] as [(String, String?)])
    func misspeltVariableIsNamedWithNearestOne(name: String, nearest: String?) {
        let warnings = Settings.misspeltVariables(of: environment([name: "7"]))
        #expect(warnings.count == (nearest == nil ? 0 : 1))
        if let nearest { #expect(warnings.first?.contains("'\(nearest)'") == true) }
    }

    @Test func optionOverridesVariable() throws {
        let command = try ConfigShow.parse(["--no-config", "--quality", "60"])
        let settings = try Settings(
            command.configuration, command.images,
            in: environment(["HOME": "/home/me", "IMGBAKE_QUALITY": "70"]))
        #expect(settings.variants.quality == 60)
    }
}
