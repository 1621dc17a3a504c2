import ArgumentParser
import FetchCache
import Foundation
import TestSupport
import Testing

@testable import Baking
@testable import Reports
@testable import Sites
@testable import imgbake

/// The arguments that are no settings.
@Suite struct ArgumentTests {
    @Test(
        arguments: [
            ([], .normal), (["--refresh"], .refresh), (["--offline"], .offline),
            (["--retry-failed"], .normal), (["--refresh", "--retry-failed"], .refresh),
        ] as [([String], FetchRequest.Mode)])
    func flagsSelectMode(arguments: [String], mode: FetchRequest.Mode) throws {
        #expect(try RetryArguments.parse(arguments).mode == mode)
    }

    @Test(arguments: [
        ["--refresh", "--offline"], ["--retry-failed", "--offline"],
    ])
    func refusesConflictingFlags(arguments: [String]) {
        #expect(throws: (any Error).self) { try RetryArguments.parse(arguments) }
    }

    @Test(arguments: [
        ["-q", "-v"], ["--json=yes"],
    ])
    func refusesQuietWithVerbose(arguments: [String]) {
        #expect(throws: (any Error).self) { try ReportArguments.parse(arguments) }
    }

    @Test(arguments: [
        [], ["http://h", ""], ["-o", "", "http://h"], ["-o", "x", "http://h", "http://i"],
        ["-H", "no colon", "http://h"], ["-H", "a b: c", "http://h"], ["-H", ": c", "http://h"],
    ])
    func refusesInvalidFetchArguments(arguments: [String]) {
        #expect(throws: (any Error).self) { try FetchCommand.parse(arguments) }
    }

    @Test(arguments: [["-o", "-", "http://h", "http://i"], ["-H", "a:", "http://h"]])
    func acceptsValidFetchArguments(arguments: [String]) throws {
        _ = try FetchCommand.parse(arguments)
    }

    @Test func argumentsSetHeadersAndMode() throws {
        let arguments = ["-H", "X-A: 1", "-H", "X-A: 2", "-H", "Accept:", "--any-type"]
        let request = try RequestArguments.parse(arguments).request(
            "http://h/", ModeArguments.parse(["--refresh"]))
        #expect(request.headers.map { "\($0)" } == ["X-A: 1", "X-A: 2", "Accept: "])
        #expect(request.acceptsAnyContent && request.retryFailed && request.mode == .refresh)
        #expect(request.acceptsAnyStatus && request.method == .get)
    }

    @Test func explainsDocumentBelowFolderOfAnyName() throws {
        let folder = try TemporaryDirectory()
        try folder.write("<img src=x>", to: "é/docs/a.html")
        let subject = try ExplainedSubject(
            "é/docs/a.html:2", site: "é", in: environment(in: folder.path))
        guard case .image(.document(let path, let line), let site) = subject else {
            Issue.record("\(subject)")
            return
        }
        #expect(path == "docs/a.html" && line == 2 && site == "é")
    }

    @Test(arguments: [
        "site-url", "format", "quality", "ignore", "on-error", "ttl", "cache-dir", "config", "json",
        "offline", "output",
    ])
    func helpOfBakeNamesOptions(name: String) {
        #expect(BakeCommand.helpMessage(columns: 100).contains("--\(name)"))
    }

    @Test func helpOfEachCommandFitsTerminal() {
        for command in ImgBake.configuration.subcommands {
            let help = command.helpMessage(columns: 80)
            #expect(help.contains("USAGE:"), "\(command)")
            #expect(!command.configuration.abstract.isEmpty, "\(command)")
        }
    }
}

/// The texts that commands write.
@Suite struct CommandTextTests {
    private var report: LayoutReport {
        get throws {
            let json =
                #"{"generator": "hugo", "configuration": "hugo.toml", "#
                + #""imageDirectory": "static/imgbake"}"#
            return try JSONDecoder().decode(LayoutReport.self, from: Data(json.utf8))
        }
    }

    @Test func newConfigurationNamesDetectedGenerator() throws {
        let plain = InitCommand.text(report: nil, isWhole: true)
        let found = InitCommand.text(report: try report, isWhole: true)
        #expect(plain == SettingsText.example(schema: SettingsSchema.address))
        let added = found.split(separator: "\n").filter { !plain.contains($0) }
        #expect(added.count == 1)
        #expect(added.first?.hasPrefix("# ") == true)
        #expect(added.first?.contains("hugo.toml") == true)
        var settings = Settings()
        try settings.apply(yaml(found))
        #expect(settings.reading.layoutOptions.choice == .automatic)
    }

    @Test func exampleNamesEachSetting() {
        let lines = SettingsText.example(schema: "x").split(separator: "\n").map {
            $0.drop { " #".contains($0) }
        }
        for setting in SettingTable.all {
            let count = lines.count { $0.hasPrefix(setting.name + ":") }
            #expect(count >= 1, "\(setting.key)")
        }
        #expect(lines.allSatisfy { $0.count <= 100 })
    }
}
