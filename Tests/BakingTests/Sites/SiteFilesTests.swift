import Documents
import Foundation
import TestSupport
import Testing

@testable import Baking
@testable import Reports
@testable import Sites

/// The files of a site under options, layouts and hidden names.
@Suite struct SiteFilesTests {
    private func scan(
        _ project: Project, hidden: HiddenFiles = .all, part: String = "",
        _ change: (inout ReadingOptions) -> Void = { _ in }
    ) throws -> SiteScan.Result {
        let root = part.isEmpty ? project.folder.path : project.folder.path(part)
        return SiteScan(
            root: root, reading: try project.reading(part, change), hidden: hidden
        ).run()
    }

    private func read(_ result: SiteScan.Result) -> [String] {
        result.files.filter(\.isDocument).map(\.path)
    }

    @Test func listsButDoesNotReadFilteredDocuments() throws {
        let project = try Project(["a.md": "", "drafts/b.md": "", "c.css": ""])
        let result = try scan(project) {
            $0.documents.ignored = ["drafts/", "*.css"].compactMap { Glob($0) }
        }
        #expect(read(result) == ["a.md"])
        #expect(result.files.map(\.path) == ["a.md", "c.css", "drafts/b.md"])
    }

    @Test func readsOnlyFoldersOfLayout() throws {
        let project = try Project([
            "hugo.toml": "", "content/a.md": "", "layouts/b.html": "", "static/c.html": "",
            "README.md": "", "themes/t/d.html": "", "public/e.html": "",
            "resources/_gen/f.css": "", "node_modules/g.md": "",
        ])
        let result = try scan(project)
        #expect(read(result) == ["content/a.md", "layouts/b.html", "static/c.html"])
        let paths = result.files.map(\.path)
        #expect(paths.contains("README.md") && paths.contains("hugo.toml"))
        #expect(!paths.contains { $0.hasPrefix("public/") || $0.hasPrefix("resources/") })
    }

    @Test func partExcludesBuiltFoldersOfProject() throws {
        let project = try Project([
            "mkdocs.yml": "docs_dir: docs\nsite_dir: docs/out", "docs/a.md": "",
            "docs/out/b.html": "",
        ])
        #expect(try scan(project, part: "docs").files.map(\.path) == ["a.md"])
    }

    @Test func ignoresDocumentsInMarkedFolders() throws {
        let project = try Project([
            "a.md": "", "old/.imgbake": "", "old/x.svg": "", "old/deep/y.svg": "", "new/z.svg": "",
        ])
        let result = try scan(project)
        #expect(result.imageFolders == ["old"])
        #expect(!read(result).contains("old/x.svg"))
        #expect(read(result).contains("new/z.svg"))
        #expect(result.files.map(\.path).contains("old/x.svg"))
    }

    @Test func warnsAboutOmittedHiddenFiles() throws {
        let project = try Project([
            "a.md": "", ".env": "", ".ssh/key": "", ".nojekyll": "", ".gitignore": "",
            "b/.secret": "", "c/.also": "", ".well-known/x": "",
        ])
        let result = try scan(project, hidden: .published)
        #expect(result.hidden == [".env", ".ssh", "b/.secret", "c/.also"])
        #expect(result.files.map(\.path) == [".nojekyll", ".well-known/x", "a.md"])
        let warning = try #require(result.diagnostics.first)
        #expect(warning.code == .hiddenFiles && warning.severity == .warning)
        #expect(warning.reason.contains(".env") && warning.reason.contains("1 more"))
        #expect(try scan(project, hidden: .all).diagnostics.isEmpty)
        #expect(try scan(project, hidden: .all).files.count == 8)
    }

    @Test func copiesHiddenConfiguration() throws {
        let project = try Project([
            ".eleventy.js": "", ".eleventyignore": "", ".env": "", "a.md": "",
        ])
        let paths = try scan(project, hidden: .published).files.map(\.path)
        #expect(paths == [".eleventy.js", ".eleventyignore", "a.md"])
    }

    @Test func findsDocumentsByExtensionInAnyCase() throws {
        let files = [
            "A.HTML", "b.Md", "c.xhtml", "d.rss", "e.svg", "f.mdx", "g.txt", "html", ".md",
        ]
        let project = try Project(Dictionary(uniqueKeysWithValues: files.map { ($0, "") }))
        let documents = read(try scan(project))
        #expect(documents.contains("A.HTML") && documents.contains("b.Md"))
        #expect(!documents.contains("g.txt") && !documents.contains("html"))
    }

    @Test func ignoresSpecialFiles() throws {
        let project = try Project(["a.md": ""])
        #expect(mkfifo(project.folder.path("pipe.html"), 0o600) == 0)
        #expect(try scan(project).files.map(\.path) == ["a.md"])
    }

    private func error(_ files: [String: String], _ patterns: [String] = []) throws -> String? {
        let project = try Project(files)
        let reading = try project.reading {
            $0.documents.ignored = patterns.compactMap { Glob($0) }
        }
        var site = Site(
            root: project.folder.path, displayRoot: "my-site", isInPlace: true, reading: reading)
        do throws(BakeError) {
            try site.adopt(SiteScan(root: site.root, reading: reading).run())
            return nil
        } catch {
            return error.description
        }
    }

    @Test func folderWithoutDocumentsIsAFault() throws {
        #expect(try error([:])?.contains("my-site") == true)
        #expect(try error(["a.png": ""])?.contains("no document") == true)
        #expect(try error(["a.md": ""]) == nil)
        let filtered = try #require(try error(["a.md": ""], ["*.md"]))
        #expect(filtered.contains("'ignore'"))
        #expect(try error([:], ["*.md"])?.contains("'ignore'") == false)
    }

    @Test func readsOnlyFeedsAndManifestsOfJSON() throws {
        #expect(try error(["package.json": #"{"name": "x"}"#]) != nil)
        #expect(
            try error(["feed.json": #"{"version": "https://jsonfeed.org/version/1.1"}"#]) == nil)
        #expect(
            try error([
                "site.webmanifest": #"{"name": "x", "start_url": "/", "icons": []}"#
            ]) == nil)
    }

    @Test(.enabled(if: geteuid() != 0, "root reads every folder"))
    func reportsUnreadableFolderIfNothingElseIsFound() throws {
        let project = try Project(["closed/a.md": ""])
        chmod(project.folder.path("closed"), 0)
        defer { chmod(project.folder.path("closed"), 0o755) }
        let result = try scan(project)
        #expect(result.diagnostics.map(\.code) == [.unreadableFile])
    }
}
