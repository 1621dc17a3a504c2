import Documents
import FetchCache
import Recipes
import TestSupport
import Testing

@testable import Baking
@testable import Pages
@testable import Pictures
@testable import Records
@testable import Reports
@testable import Sites

/// The image folder that the user names, and the options of a bake that follow from others.
@Suite struct ImageFolderOptionTests {
    private func reading(
        _ project: Project, _ folder: String, part: String = "", publicPath: String? = "/p"
    ) throws -> ReadingOptions {
        try project.reading(part) {
            $0.layoutOptions.imageDirectory = folder
            $0.layoutOptions.publicPath = publicPath.flatMap { PublicPath($0) }
        }
    }

    @Test(arguments: [
        ("pics", "pics"), ("./pics/", "pics"), ("a//b", "a/b"), ("a/../b", "b"), ("a/./b", "a/b"),
        ("a/b/../../c", "c"), ("../pics", "../pics"), ("a/../../pics", "../pics"),
        ("../../pics", "../../pics"), ("/srv/pics", "/srv/pics"), ("/srv//pics/", "/srv/pics"),
        ("my pics", "my pics"),
    ])
    func normalizesFolderName(given: String, expected: String) throws {
        #expect(try reading(Project(["a.md": ""]), given).imageDirectory == expected)
    }

    @Test func absoluteFolderWithinSiteBecomesRelative() throws {
        let project = try Project(["a.md": ""])
        let inside = try reading(project, project.folder.path("deep/pics"), publicPath: nil)
        #expect(inside.imageDirectory == "deep/pics")
        #expect(inside.otherFolder(of: project.folder.path) == nil)
        let beside = project.folder.path + "-other/pics"
        #expect(try reading(project, beside).imageDirectory == beside)
    }

    @Test(
        arguments: [
            ("pics", nil), ("a/../pics", nil), ("../pics", "/out/../pics"),
            ("/srv/pics", "/srv/pics"),
        ] as [(String, String?)])
    func opensSecondFolderOnlyIfOutside(given: String, expected: String?) throws {
        #expect(try reading(Project(["a.md": ""]), given).otherFolder(of: "/out") == expected)
    }

    @Test func imagesOfPartGoIntoProject() throws {
        let project = try Project(["hugo.toml": "", "content/post/a.md": ""])
        let part = try project.reading("content/post")
        #expect(part.imageDirectory == "../../static/imgbake")
        // The whole project may be written, since a link in it must not lead out of it.
        #expect(part.otherFolder(of: "/p/content/post") == "/p/content/post/../..")
        #expect(try project.reading().otherFolder(of: "/p") == nil)
    }

    @Test func layoutGivesURLOfPublishedFolder() throws {
        let project = try Project(["hugo.toml": "baseURL = '/b/'", "content/a.md": ""])
        let inside = try reading(project, "static/pics", publicPath: nil)
        #expect(inside.layout?.publishedDirectory == "pics")
        #expect(LayoutReport(inside)?.publicPath == "/b/pics/")
        let part = try reading(project, "../static/pics", part: "content", publicPath: nil)
        #expect(part.layout?.publishedDirectory == "pics")
        #expect(part.layout?.imageDirectory == "static/pics")
    }

    @Test func readsShortcodesOfLayoutAndUser() throws {
        let project = try Project(["hugo.toml": ""])
        let text = "{{< figure src=\"http://h/a\" >}} {{< photo big=\"http://h/b\" >}}"
        #expect(try project.plan("content/a.md", text).references.items.count == 1)
        let more = try project.plan("content/a.md", text) { $0.shortcodes = ["photo big"] }
        #expect(more.references.items.map(\.reference.url) == ["http://h/a", "http://h/b"])
    }

    @Test(arguments: [
        ("figure src", true), ("include hero.html image", true), ("img", true), ("", false),
        (" ", false),
    ])
    func shortcodeRuleNeedsName(text: String, isRule: Bool) {
        #expect(ReadingOptions.isShortcode(text) == isRule)
    }
}

@Suite struct BakeOptionsTests {
    @Test func copiesHiddenFilesOnlyIfConfigured() throws {
        let folder = try BakeFolder(["a.md": ""])
        let out = folder.folder.path("out")
        func hidden(_ change: (inout BakeOptions) -> Void) throws -> HiddenFiles {
            let options = folder.options(change)
            return options.hiddenFiles(of: try options.site())
        }
        #expect(try hidden { _ in } == .all)
        #expect(try hidden { $0.copiesHidden = true } == .all)
        #expect(try hidden { $0.output = out } == .published)
        #expect(
            try hidden {
                $0.output = out
                $0.copiesHidden = true
            } == .all)
    }

    @Test func imagesInProgressKeepTransfersBusy() throws {
        let folder = try BakeFolder()
        #expect(
            folder.options { $0.fetching.downloader.limits.transfers = 1 }.imagesInFlight == 128)
        #expect(
            folder.options { $0.fetching.downloader.limits.transfers = 500 }.imagesInFlight == 2_000
        )
    }

    @Test func workersUseLimitsOfBake() throws {
        let workers = try BakeFolder().options {
            $0.workerCount = 7
            $0.limits.memoryBytes = 5
            $0.allowsWeakSandbox = true
        }.workers
        #expect(workers.size == 7 && workers.memoryBytes == 5 && workers.allowsWeakSandbox)
    }

    @Test func skipsOutputAndCaches() throws {
        let folder = try BakeFolder(["a.md": "", "out/b.md": "", "cache/c.md": "", "old/d.md": ""])
        let options = folder.options {
            $0.output = folder.root + "/out"
            $0.fetching.folder.path = FilePath(folder.root + "/./cache")
            $0.fetching.folder.readOnlyCaches = [FilePath(folder.root + "/old"), "/nowhere"]
            $0.pruneAfter = 0
        }
        #expect(
            options.skippedFolders == Set(["out", "cache", "old"].map { folder.root + "/" + $0 }))
        let site = try options.site()
        let files = SiteScan(
            root: site.root, skipped: options.skippedFolders, reading: site.reading
        ).run().files
        #expect(files.map(\.path) == [".keep", "a.md"])
        #expect(
            options.pruning(of: site, in: folder.root + "/out", nil)?.skipped
                == Set(["cache", "old"].map { folder.root + "/" + $0 }))
        #expect(folder.options { $0.fetching.folder.path = "/nowhere" }.skippedFolders == [])
    }

    @Test(arguments: ["gone", "site/a.md"])
    func reportsMissingSiteByItsDisplayName(path: String) throws {
        let folder = try BakeFolder(["a.md": ""])
        let error = #expect(throws: BakeError.self) {
            try folder.options {
                $0.input = folder.folder.path(path)
                $0.displayName = "my/site"
            }.site()
        }
        #expect(error?.description.contains("my/site") == true)
    }

    @Test func documentKeyContainsEachOption() throws {
        func key(isInPlace: Bool = true, _ change: (inout BakeOptions) -> Void = { _ in }) throws
            -> String
        {
            let options = try BakeFolder().options(change)
            return ResultKeys(options).documents(
                options.reading, options.variants, isInPlace: isInPlace)
        }
        let keys = try [
            key(), key(isInPlace: false), key { $0.variants.quality = 5 },
            key { $0.reading.addsDimensions = true }, key { $0.variants.svg = .refuse },
            key { $0.given.record("x", of: "a", deciding: .reading) },
            key { $0.given.record("x", of: "b", deciding: .variants) },
        ]
        #expect(Set(keys).count == keys.count)
    }
}
