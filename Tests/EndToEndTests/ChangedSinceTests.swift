import Foundation
import TestSupport
import Testing

/// `--changed-since REF`: only documents that differ from those of a git revision.
@Suite(.timeLimit(.minutes(10))) struct ChangedSinceTests {
    @discardableResult
    private func git(_ site: TestSite, _ arguments: String...) async throws -> CommandResult {
        let identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        let result = try await Command.run(
            "/usr/bin/git", identity + arguments, directory: site.folder.path)
        #expect(result.exitCode == 0, "\(result.errors)")
        return result
    }

    private func makeSite(_ more: [String: String] = [:]) async throws -> (Origin, TestSite) {
        let origin = try await Origin.start()
        for (seed, name) in ["a", "b"].enumerated() {
            origin["/\(name).png"] = OriginRoute(
                try Pictures.scene(seed: UInt64(seed + 1), as: "png"),
                cacheControl: "max-age=100000")
        }
        var files = more
        for name in ["same", "committed", "staged", "unstaged", "renamed", "deleted"] {
            files["posts/\(name).md"] = "![](\(origin.url)/a.png) \(name)"
        }
        let site = try TestSite(files)
        try await git(site, "init", "-q")
        try await git(site, "add", "site")
        try await git(site, "commit", "-qm", "first")
        return (origin, site)
    }

    /// Changes the documents in all ways that git tells apart.
    private func change(_ site: TestSite) async throws {
        for name in ["committed", "staged", "unstaged"] {
            try site.restore(["posts/\(name).md": try site.text("posts/\(name).md") + " again"])
            if name == "committed" { try await git(site, "commit", "-qam", "second") }
            if name == "staged" { try await git(site, "add", "site") }
        }
        try await git(site, "mv", "site/posts/renamed.md", "site/posts/new name.md")
        try await git(site, "rm", "-q", "site/posts/deleted.md")
        let text = try site.text("posts/same.md")
        try site.restore([".gitignore": "ignored.md", "ignored.md": text, "untracked\nü.md": text])
    }

    private let changed = [
        "ignored.md", "posts/committed.md", "posts/new name.md", "posts/staged.md",
        "posts/unstaged.md", "untracked\nü.md",
    ]

    private func baked(_ site: TestSite) throws -> [String] {
        try site.folder.files(below: "site").filter { path in
            path.hasSuffix(".md") && (try? site.text(path).contains("http")) == false
        }.sorted()
    }

    @Test func bakesChangedDocumentsOnly() async throws {
        let (origin, site) = try await makeSite()
        defer { withExtendedLifetime(origin) {} }
        let before = try site.text("posts/same.md")
        let none = try await site.bake("--changed-since", "HEAD", "--json")
        #expect(none.exitCode == 0, "\(none.errors)")
        #expect(try none.json["documents"] as? Int == 0)
        try await change(site)
        let result = try await site.bake("--changed-since", "HEAD~1", "--json")
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try result.json["documents"] as? Int == changed.count)
        #expect(try baked(site) == changed)
        #expect(try site.text("posts/same.md") == before)
    }

    @Test func checksChangedDocumentsOnly() async throws {
        let (origin, site) = try await makeSite()
        defer { withExtendedLifetime(origin) {} }
        #expect(try await site.run("check", "site", "--changed-since", "HEAD").exitCode == 0)
        try await change(site)
        let result = try await site.run("check", "site", "--changed-since", "HEAD~1", "--json")
        #expect(result.exitCode == 1)
        let references = try result.json["references"] as? [[String: any Sendable]] ?? []
        #expect(
            references.compactMap { $0["document"] as? String }.sorted()
                == changed.map { "site/" + $0 })
    }

    @Test func worksInPartsOfRepositoriesAndWithShards() async throws {
        let (origin, site) = try await makeSite()
        defer { withExtendedLifetime(origin) {} }
        try await change(site)
        var documents = 0
        for number in 1...3 {
            let result = try await site.bake(
                "--changed-since", "HEAD~1", "--shard", "\(number)/3", "--dry-run", "--json")
            #expect(result.exitCode == 0, "\(result.errors)")
            documents += try result.json["documents"] as? Int ?? 0
        }
        #expect(documents == changed.count)
    }

    @Test func outputKeepsTheOtherDocuments() async throws {
        let (origin, site) = try await makeSite()
        defer { withExtendedLifetime(origin) {} }
        let early = try await site.bake("--changed-since", "HEAD", "-o", "out")
        #expect(early.exitCode == 2)
        #expect(try await site.bake("-o", "out").exitCode == 0)
        try await change(site)
        let result = try await site.bake("--changed-since", "HEAD~1", "-o", "out")
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try await site.bake("-o", "whole").exitCode == 0)
        for path in changed + ["posts/same.md"] {
            #expect(try site.folder.bytes("out/\(path)") == site.folder.bytes("whole/\(path)"))
        }
        // It does not forget what earlier bakes wrote.
        #expect(try site.folder.text("out/.imgbake-output").contains("deleted.md"))
    }

    @Test func documentsWhoseLockLineChangedAreBaked() async throws {
        let (origin, site) = try await makeSite()
        try site.restore(["b.md": "![](\(origin.url)/b.png)", "none.md": "text"])
        #expect(try await site.start(command: "lock", ["site"]).result().exitCode == 0)
        try await git(site, "add", "site", "imgbake.lock")
        try await git(site, "commit", "-qm", "lock")
        func documents(_ command: String = "site") async throws -> Int? {
            let result = try await site.bake(
                "--locked", "--changed-since", "HEAD", "--dry-run", "--json")
            #expect(result.exitCode == 0, "\(result.errors)")
            return try result.json["documents"] as? Int
        }
        #expect(try await documents() == 0)
        origin["/b.png"] = .init(try Pictures.scene(seed: 9, as: "png"))
        let url = "\(origin.url)/b.png"
        #expect(
            try await site.start(command: "lock", ["site", "--update", url]).result().exitCode == 0)
        #expect(try await documents() == 1)
        // In place, a baked document names the image no more, but imgbake knows its origin.
        #expect(try await site.bake("--locked").exitCode == 0)
        try await git(site, "add", "site", "imgbake.lock")
        try await git(site, "commit", "-qm", "baked")
        origin["/b.png"] = .init(try Pictures.scene(seed: 10, as: "png"))
        let update = try await site.start(command: "lock", ["site", "--update", url]).result()
        #expect(update.exitCode == 0, "\(update.errors)")
        #expect(try await documents() == 1)
        // A lockfile that the revision does not have: each line is new.
        #expect(
            try await site.bake("--changed-since", "HEAD~2", "--dry-run", "--json")
                .json["documents"] as? Int == 8)
    }

    /// A repository may come from anywhere, and its configuration names programs.
    @Test func runsNoProgramThatTheRepositoryNames() async throws {
        let (origin, site) = try await makeSite([".gitattributes": "*.md filter=f diff=f"])
        defer { withExtendedLifetime(origin) {} }
        let trap = site.folder.path("trap.sh")
        try site.folder.write("#!/bin/sh\ntouch '\(site.folder.path)/sprung'\ncat\n", to: "trap.sh")
        #expect(chmod(trap, 0o755) == 0)
        for key in [
            "core.fsmonitor", "core.pager", "core.sshCommand", "core.editor", "diff.external",
            "diff.f.command", "diff.f.textconv", "filter.f.clean", "filter.f.smudge",
            "filter.f.process", "core.gitProxy", "alias.ls-tree", "uploadpack.packObjectsHook",
        ] {
            try await git(site, "config", key, key.hasPrefix("alias") ? "!\(trap)" : trap)
        }
        try site.folder.write("#!/bin/sh\ntouch '\(site.folder.path)/sprung'\n", to: "site/git")
        #expect(chmod(site.folder.path("site/git"), 0o755) == 0)
        try site.restore(["posts/unstaged.md": "other"])
        let path = try #require(ProcessInfo.processInfo.environment["PATH"])
        let result = try await site.bake(
            "--changed-since", "HEAD", "--json",
            environment: [
                "PATH": ".:site:\(path)", "GIT_EXTERNAL_DIFF": trap, "GIT_PAGER": trap,
                "GIT_DIR": "/nonexistent", "GIT_SSH_COMMAND": trap,
            ])
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try result.json["documents"] as? Int == 1)
        #expect(!site.folder.exists("sprung"))
    }

    @Test func repositoriesWithSHA256AreRead() async throws {
        let site = try TestSite(["a.md": "a", "b.md": "b"])
        try await git(site, "init", "-q", "--object-format=sha256")
        try await git(site, "add", "site")
        try await git(site, "commit", "-qm", "first")
        try site.restore(["b.md": "c"])
        let result = try await site.bake("--changed-since", "HEAD", "--json")
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try result.json["documents"] as? Int == 1)
    }

    @Test(arguments: [
        "missing", "-p", "--output=x", "", "HEAD:site", "a\nb", "HEAD^{tree}^{commit}",
    ])
    func unknownRevisionsAreBadUsage(revision: String) async throws {
        let (origin, site) = try await makeSite()
        defer { withExtendedLifetime(origin) {} }
        let before = try site.folder.contents(below: "site")
        let result = try await site.bake("--changed-since=\(revision)")
        #expect([2, 64].contains(result.exitCode), "\(result.errors)")
        #expect(result.errors.contains("changed-since") || result.errors.contains("revision"))
        #expect(try site.folder.contents(below: "site") == before)
    }

    @Test func foldersWithoutRepositoryAndMachinesWithoutGitAreNamed() async throws {
        let site = try TestSite(["a.md": "a"])
        let result = try await site.bake("--changed-since", "HEAD")
        #expect(result.exitCode == 2)
        #expect(result.errors.contains("git repository"), "\(result.errors)")
        let without = try await site.bake(
            "--changed-since", "HEAD", environment: ["PATH": "/nonexistent"])
        #expect(without.exitCode == 2)
        #expect(without.errors.contains("needs git"), "\(without.errors)")
        let document = try await site.start(
            command: "site/a.md", ["--changed-since", "HEAD"]
        ).result()
        #expect(document.exitCode == 2)
    }
}
