import ArgumentParser
import Baking
import FetchCache
import Glibc
import Logging
import Recipes
import TestSupport
import Testing

@testable import Sites
@testable import imgbake

/// The effective settings: which source of a value goes before which.
@Suite struct ResolutionTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func settings(
        _ arguments: [String] = [], _ variables: [String: String] = [:], site: String? = nil,
        makesRequests: Bool = true,
        staleOnError: CachePolicy.StaleOnError = .always,
        onGone: CachePolicy.OnGone = .keep
    ) throws -> Settings {
        let command = try ConfigShow.parse(arguments)
        return try Settings(
            command.configuration, command.output, command.reading, command.images,
            command.fetching, command.cache, command.otherMachines, command.limits,
            command.reporting, site: site, isQuiet: true,
            in: environment(["HOME": "/home/me"].merging(variables) { $1 }, in: folder.path),
            makesRequests: makesRequests, staleOnError: staleOnError,
            onGone: onGone)
    }

    @Test func usesDefaultsWithoutSettings() throws {
        let settings = try settings()
        #expect(settings.given.isEmpty)
        #expect(settings.variants.quality == nil && settings.variants.maximumWidth == 1600)
        #expect(settings.fetching.folder.path == "/home/me/.cache/imgbake")
        #expect(settings.fetching.policy.staleOnError == .always)
        #expect(settings.fetching.policy.onGone == .keep)
        #expect(settings.fetching.policy.maximumAge == .seconds(90 * 86_400))
    }

    /// Each level overrides those before it, whatever the type of the setting.
    @Test func eachSourceOverridesThePreviousOnes() throws {
        try folder.write(
            "cache: {dir: file}\nquality: 10\nlocal: true\nignore: [a]", to: "imgbake.yml")
        let file = try settings()
        #expect(file.fetching.folder.path == FilePath(folder.path("file")))
        #expect(file.given["cache.dir"]?.origin == "imgbake.yml:1")
        #expect(file.given["quality"] == GivenSetting(value: "10", origin: "imgbake.yml:2"))
        let variable = try settings([], ["IMGBAKE_CACHE_DIR": "variable"])
        #expect(variable.fetching.folder.path == FilePath(folder.path("variable")))
        #expect(variable.given["cache.dir"]?.origin == "IMGBAKE_CACHE_DIR")
        let option = try settings(
            ["--cache-dir", "option", "--quality", "20", "--no-local", "--ignore", "b"],
            ["IMGBAKE_CACHE_DIR": "variable"])
        #expect(option.fetching.folder.path == FilePath(folder.path("option")))
        #expect(option.given["cache.dir"]?.origin == "--cache-dir")
        #expect(option.variants.quality == 20 && !option.reading.includesLocal)
        #expect(option.given["local"] == GivenSetting(value: "false", origin: "--no-local"))
        // A list of an option replaces that of the file.
        #expect(option.reading.documents.ignored.map(\.pattern) == ["b"])
        #expect(option.given["ignore"] == GivenSetting(value: "[b]", origin: "--ignore"))
    }

    @Test func ignoresEmptyVariables() throws {
        try folder.write("cache: {dir: file}", to: "imgbake.yml")
        let settings = try settings([], ["IMGBAKE_CACHE_DIR": ""])
        #expect(settings.fetching.folder.path == FilePath(folder.path("file")))
    }

    /// Options with a value that all options of their kind share.
    @Test(arguments: SettingTable.all.filter { $0.option != .none }.map(\.key))
    func eachOptionSetsOnlyItsSetting(key: String) throws {
        let setting = try #require(SettingTable.byKey[key])
        let name = try #require(setting.optionName)
        var arguments = ["--\(name)"]
        if !setting.form.isFlag {
            let sample = try #require(setting.sample ?? setting.fallback)
            let value = try yaml(sample)
            if case .list(let items) = value.content {
                arguments = items.flatMap { ["--\(name)", $0.written] }
            } else {
                arguments.append(value.written)
            }
        }
        // A file that a setting names must exist.
        if name == "ca-file" || name == "netrc-file" {
            try folder.write("", to: "file")
            arguments[1] = "file"
        }
        let given = try settings(arguments).given
        #expect(given.keys.sorted() == [key])
        #expect(given[key]?.origin == "--\(name)")
    }

    @Test(arguments: [
        ["--quality", "0"], ["--quality", "x"], ["--format", "jpg"], ["--jobs", "-5"],
        ["--site-url", "example.org"], ["--ignore", "["], ["--image-timeout", "soon"],
        ["--layout", "hugoo"], ["--image-dir", ".."], ["--max-bytes", "0"], ["--order", "random"],
        ["--local=true"], ["--no-quality"], ["--unknown"], ["--quality"],
    ])
    func refusesInvalidOptions(arguments: [String]) {
        #expect(throws: (any Error).self) { try ConfigShow.parse(arguments) }
    }

    @Test func fileInCurrentFolderOverridesFileInSite() throws {
        try folder.write("quality: 1", to: "site/imgbake.yaml")
        #expect(try settings(site: "site").variants.quality == 1)
        #expect(try settings(site: "site/").given["quality"]?.origin == "site/imgbake.yaml:1")
        #expect(try settings(site: "./site/.").variants.quality == 1)
        #expect(try settings().variants.quality == nil)
        try folder.write("quality: 2", to: "imgbake.yml")
        #expect(try settings(site: "site").given["quality"]?.origin == "imgbake.yml:1")
        #expect(try settings(site: ".").variants.quality == 2)
        #expect(try settings(["--no-config"], site: "site").variants.quality == nil)
        #expect(try settings(["--config", "site/imgbake.yaml"]).variants.quality == 1)
    }

    @Test func twoFilesInFolderAreAFault() throws {
        for name in SettingsFile.names { try folder.write("", to: name) }
        let error = #expect(throws: UsageError.self) { try settings() }
        #expect(error?.description.contains("imgbake.yaml") == true)
        #expect(throws: Never.self) { try settings(["--config", "imgbake.yml"]) }
        #expect(throws: Never.self) { try settings(["--no-config"]) }
    }

    @Test func reportsUnreadableFile() throws {
        try folder.write([0xFF, 0xFE], to: "utf16.yml")
        try folder.write(String(repeating: "#", count: 1_000_001), to: "long.yml")
        try folder.write("", to: "folder/x")
        for name in ["none.yml", "utf16.yml", "long.yml", "folder"] {
            let error = #expect(throws: SettingsError.self) { try settings(["--config", name]) }
            #expect(error?.file == name && error?.line == nil)
        }
        try folder.write(String(repeating: "#", count: 1_000_000), to: "fits.yml")
        #expect(throws: Never.self) { try settings(["--config", "fits.yml"]) }
        #expect(throws: (any Error).self) { try settings(["--config", ""]) }
        #expect(throws: (any Error).self) { try settings(["--config", "a", "--no-config"]) }
    }

    @Test func fileMayBeASymbolicLink() throws {
        try folder.write("quality: 3", to: "shared.yml")
        #expect(symlink("shared.yml", folder.path("imgbake.yml")) == 0)
        #expect(try settings().variants.quality == 3)
    }

    @Test(arguments: [(true, Logger.Level.debug), (false, .error)])
    func onlyVerboseCommandsShowTheWholeLog(isVerbose: Bool, level: Logger.Level) throws {
        let settings = try Settings(
            ConfigShow.parse([]).configuration, isVerbose: isVerbose,
            in: environment(["HOME": "/h"], in: folder.path))
        #expect(settings.fetching.logger.logLevel == level)
    }

    @Test func requiresSecretsOnlyForRequests() throws {
        try folder.write("hosts: {h: {bearer: '${TOKEN}'}}", to: "imgbake.yml")
        let missing = try settings().fetching.downloader.hosts["h"]?.missingCredential
        #expect(
            missing?.hasPrefix("imgbake.yml:1:21: the environment variable TOKEN") == true,
            "\(missing ?? "")")
        #expect(
            try settings(makesRequests: false).fetching.downloader.hosts["h"]?.missingCredential
                == nil)
        let hosts = try settings([], ["TOKEN": "t0ken"]).fetching.downloader.hosts
        #expect(hosts["h"]?.credential == .bearer(token: "t0ken"))
    }

    @Test func warnsUnlessQuiet() throws {
        try folder.write("hosts: {h: {bearer: '${TOKEN}'}}", to: "imgbake.yml")
        try folder.write("quality: 1", to: "site/imgbake.yaml")
        func warnings(isQuiet: Bool) throws -> [String] {
            var warnings: [String] = []
            _ = try Settings(
                ConfigShow.parse([]).configuration, site: "site", isQuiet: isQuiet,
                in: environment(["HOME": "/h", "IMGBAKE_QUALTIY": "7"], in: folder.path),
                warn: { warnings.append($0) })
            return warnings
        }
        #expect(
            try warnings(isQuiet: false) == [
                "site/imgbake.yaml is not read, since imgbake.yml is",
                "no setting has the environment variable IMGBAKE_QUALTIY; did you mean "
                    + "'IMGBAKE_QUALITY'?",
                "imgbake.yml:1:21: the environment variable TOKEN is not set, so nothing is "
                    + "requested from h",
            ])
        #expect(try warnings(isQuiet: true).isEmpty)
    }

    @Test func warningsAboutCredentialsAreInTheOrderOfHosts() throws {
        try folder.write(
            "hosts: {c: {bearer: '${C}'}, a: {bearer: '${A}'}, d: {}, b: {bearer: '${B}'}}",
            to: "imgbake.yml")
        var warnings: [String] = []
        _ = try Settings(
            ConfigShow.parse([]).configuration,
            in: environment(["HOME": "/h", "B": "token"], in: folder.path),
            warn: { warnings.append($0) })
        #expect(warnings.map { $0.suffix(2) } == [" a", " c"])
    }

    @Test func completesDependentValuesLast() throws {
        try folder.write("fetch: {no-proxy: [a.org]}", to: "imgbake.yml")
        let proxy = try settings(["--proxy", "http://p:1"])
        #expect(
            proxy.fetching.downloader.network.proxy == .server(url: "http://p:1", except: ["a.org"])
        )
        #expect(try settings(staleOnError: .rfc).fetching.policy.staleOnError == .rfc)
        #expect(
            try settings(["--stale-on-error", "always"], staleOnError: .rfc).fetching.policy
                .staleOnError
                == .always)
        #expect(try settings(onGone: .fail).fetching.policy.onGone == .fail)
        #expect(try settings(["--on-gone", "keep"], onGone: .fail).fetching.policy.onGone == .keep)
        #expect(try settings([], ["IMGBAKE_FETCH_ON_GONE": "fail"]).fetching.policy.onGone == .fail)
    }

    @Test func filesNamedBySettingsMustExist() throws {
        try folder.write("", to: "ca.pem")
        #expect(
            try settings(["--ca-file", "ca.pem"]).fetching.downloader.network
                .certificateAuthorityFile
                == FilePath(folder.path("ca.pem")))
        #expect(throws: UsageError.self) { try settings(["--ca-file", "none.pem"]) }
        #expect(throws: UsageError.self) { try settings(["--netrc-file", "none"]) }
        #expect(try settings(["--netrc"]).fetching.downloader.netrcFile == "/home/me/.netrc")
        #expect(throws: UsageError.self) {
            try settings(["--netrc", "--cache-dir", "c"], ["HOME": ""])
        }
    }

    @Test func outputMustNotBeAFile() throws {
        try folder.write("", to: "folder/file")
        for output in ["folder", "folder/", "new", "folder/new"] {
            #expect(throws: Never.self) { try settings(["--output", output]).requireFolder() }
        }
        let option = #expect(throws: UsageError.self) {
            try settings(["--output", "folder/file"]).requireFolder()
        }
        #expect(option?.description == "'--output folder/file' is not a folder")
        try folder.write("output: folder/file", to: "imgbake.yml")
        let file = #expect(throws: UsageError.self) { try settings().requireFolder() }
        #expect(file?.description == "imgbake.yml:1: 'output: folder/file' is not a folder")
        #expect(throws: Never.self) { try settings(["--no-config"]).requireFolder() }
    }

    @Test func dropsMissingReadOnlyCaches() throws {
        try folder.write("", to: "there/x")
        try folder.write("cache: {read-only: [there, gone]}", to: "imgbake.yml")
        for isQuiet in [false, true] {
            var warnings: [String] = []
            let settings = try Settings(
                ConfigShow.parse([]).configuration, isQuiet: isQuiet,
                in: environment(["HOME": "/h"], in: folder.path), warn: { warnings.append($0) })
            #expect(settings.fetching.folder.readOnlyCaches == [FilePath(folder.path("there"))])
            let warning = "the read-only cache \(folder.path("gone")) does not exist"
            #expect(warnings == (isQuiet ? [] : [warning]))
        }
    }

    @Test func requiresCacheFolderWithoutHome() throws {
        #expect(throws: UsageError.self) { try settings([], ["HOME": ""]) }
        #expect(throws: Never.self) { try settings(["--cache-dir", "c"], ["HOME": ""]) }
    }
}
