import Documents
import Foundation
import TestSupport
import Testing

@testable import Baking
@testable import Reports
@testable import Sites

@Suite struct LayoutReportTests {
    private func report(
        _ project: Project, _ part: String = "",
        _ change: (inout ReadingOptions) -> Void = { _ in }
    ) throws -> LayoutReport? {
        LayoutReport(try project.reading(part, change))
    }

    @Test func siteWithoutLayoutHasNoReport() throws {
        #expect(try report(Project(["a.md": ""])) == nil)
    }

    @Test func reportNamesFolderAndURL() throws {
        let project = try Project(["hugo.toml": "baseURL = 'https://h/blog/'", "content/a.md": ""])
        let report = try #require(try report(project))
        #expect(report.generator == .hugo)
        #expect(report.configuration == "hugo.toml")
        #expect(report.imageDirectory == "static/imgbake")
        #expect(report.publicPath == "/blog/imgbake/")
        #expect(report.line.contains("hugo.toml") && report.line.contains("/blog/imgbake/"))
    }

    @Test func reportsConfigurationAbovePart() throws {
        let project = try Project(["hugo.toml": "", "content/post/a.md": ""])
        let report = try #require(try report(project, "content/post"))
        #expect(report.configuration == "../../hugo.toml")
        #expect(report.imageDirectory == "../../static/imgbake")
    }

    @Test func publicPathInOptionsWins() throws {
        let report = try #require(
            try report(Project(["hugo.toml": ""])) {
                $0.layoutOptions.publicPath = PublicPath("https://cdn.example/i")
            })
        #expect(report.publicPath == "https://cdn.example/i/")
    }

    @Test func omitsUnknownValues() throws {
        let sphinx = try #require(try report(Project(["conf.py": "project = 'x'"])))
        #expect(sphinx.publicPath == nil)
        #expect(!sphinx.line.contains("published"))
        let named = try #require(
            try report(Project(["a.md": ""])) { $0.layoutOptions.choice = .named(.jekyll) })
        #expect(named.configuration == nil)
        #expect(!named.line.contains("("))
    }

    @Test func removesControlCharacters() throws {
        let project = try Project(["hugo.toml": "staticDir = \"a\\u001b[2J\""])
        let report = try #require(try report(project))
        #expect(report.imageDirectory.contains("\u{1B}"))
        #expect(!report.line.contains("\u{1B}"))
    }

    @Test func jsonRoundTrips() throws {
        let report = try #require(try report(Project(["mkdocs.yml": "site_name: x"])))
        let json = try JSONEncoder().encode(report)
        #expect(try JSONDecoder().decode(LayoutReport.self, from: json) == report)
        let text = String(decoding: json, as: UTF8.self)
        #expect(text.contains(#""generator":"mkdocs""#))
    }
}

/// The files of a project that its layout is read from.
@Suite struct LayoutSourceTests {
    @Test(
        arguments: [
            ("a", "a"), ("a/b/", "a/b"), ("./a", "a"), ("a//b", "a/b"), ("a/./b", "a/b"),
            ("a/../b", "b"), ("", ""), (".", ""), ("a/..", ""), ("..", nil), ("../a", nil),
            ("a/../../b", nil), ("/a", nil), ("/", nil),
        ] as [(String, String?)])
    func foldersStayWithinProject(text: String, expected: String?) {
        #expect(projectFolder(text) == expected)
    }

    @Test(
        arguments: [
            ("https://h/b", "/b/", "https://h/b/"), ("/b", "/b/", nil), ("b/", "/b/", nil),
            ("/", "/", nil), ("//h/b", nil, nil), ("ftp://h/b", nil, nil), ("", nil, nil),
            (nil, nil, nil), ("https://h/?q", nil, nil), ("/a//b/#x", "/a/b/", nil),
        ] as [(String?, String?, String?)])
    func addressIsURLOrPath(text: String?, base: String?, url: String?) {
        let source = LayoutSource(root: "/x", stem: "x", address: nil)
        #expect(source.place(text).basePath == base)
        #expect(source.place(text).siteURL == url)
        let addressed = LayoutSource(root: "/x", stem: "x", address: SiteAddress("http://o/p"))
        #expect(addressed.place(text).basePath == "/p/")
    }

    private func source(
        _ project: Project, _ file: String
    ) throws -> LayoutSource? {
        try LayoutSource(root: project.folder.path, file: file, stem: file, address: nil)
    }

    @Test func ignoresMissingFilesAndFolders() throws {
        let project = try Project(["folder/x": ""])
        #expect(try source(project, "missing.yml") == nil)
        #expect(try source(project, "folder") == nil)
    }

    @Test func configurationOverOneMebibyteIsAFault() throws {
        let line = "# 3456789012345\n"
        let fits = String(repeating: line, count: (1 << 20) / line.utf8.count)
        let project = try Project(["a.toml": fits, "b.toml": fits + line])
        #expect(try source(project, "a.toml") != nil)
        #expect(throws: BakeError.self) { try source(project, "b.toml") }
    }

    @Test func followsLinkToConfiguration() throws {
        let project = try Project(["real.yml": "site_name: x"])
        try FileManager.default.createSymbolicLink(
            atPath: project.folder.path("mkdocs.yml"), withDestinationPath: "real.yml")
        #expect(try project.reading().layout?.generator == .mkdocs)
    }

    @Test func readsOtherFilesOnlyWithinProject() throws {
        let outside = try Project(["b.yml": "x: secret"])
        let project = try Project(["a.yml": "", "b.yml": "x: y", "broken.yml": "a: [b"])
        try FileManager.default.createSymbolicLink(
            atPath: project.folder.path("link.yml"),
            withDestinationPath: outside.folder.path("b.yml"))
        let source = try #require(try source(project, "a.yml"))
        #expect(source.values(of: "b.yml")?.text("x") == "y")
        #expect(source.values(of: "sub/../b.yml")?.text("x") == "y")
        for path in [
            "link.yml", "../b.yml", outside.folder.path("b.yml"), "none.yml", "broken.yml",
        ] {
            #expect(source.values(of: path) == nil, "\(path)")
        }
    }

    @Test func distinguishesFilesFromFolders() throws {
        let project = try Project(["a.yml": "", "sub/x": ""])
        let source = try #require(try source(project, "a.yml"))
        #expect(source.hasFile("sub/x") && !source.hasFile("sub") && !source.hasFile("none"))
    }

    @Test(arguments: ["hugo.toml", "mkdocs.yml", "_config.yml"])
    func ignoresByteOrderMark(file: String) throws {
        let key = ["hugo.toml": "baseURL = '/b/'", "mkdocs.yml": "site_url: https://h/b/"][file]
        let project = try Project([file: "\u{FEFF}" + (key ?? "baseurl: /b")])
        #expect(try project.reading().layout?.address.basePath == "/b/")
    }
}
