import TestSupport
import Testing

/// Documents that would take gigabytes to parse.
@Suite(.timeLimit(.minutes(10))) struct HostileDocumentTests {
    private static let image = "![a](https://example.org/a.png)\n\n"
    private static let table =
        image + String(repeating: "|a", count: 1_000) + "\n"
        + String(repeating: "|-", count: 1_000) + "\n" + String(repeating: "|b\n", count: 5_000)
    private static let style =
        "a{b:url(https://example.org/a.png)}" + String(repeating: "c{d:url(e)}", count: 200_001)

    @Test(arguments: [true, false])
    func hostileDocumentsAreNamedAndLeftAloneWhileOthersAreBaked(isCopy: Bool) async throws {
        let origin = try await Origin.start()
        origin["/a.png"] = .init(try Pictures.scene(as: "png"))
        let site = try TestSite([
            "a.md": Self.table, "b.css": Self.style, "c.md": "![](\(origin.url)/a.png)",
        ])
        let result = try await site.start(isCopy ? ["-o", "out"] : []).result()
        #expect(result.exitCode == 1)
        #expect(
            Set(try result.diagnostics.map(\.summary)) == [
                "error site/a.md:1:1 document-too-complex",
                "error site/b.css:1:1 document-too-complex",
            ], "\(result.errors)")
        #expect(try result.diagnostics.allSatisfy { $0.help.contains("--ignore") })
        let folder = isCopy ? "out" : "site"
        #expect(try site.folder.text("\(folder)/a.md") == Self.table)
        #expect(try site.folder.text("\(folder)/b.css") == Self.style)
        let image = try #require(try site.images(in: "\(folder)/imgbake").first)
        #expect(try site.folder.text("\(folder)/c.md") == "![](imgbake/\(image))")
    }

    @Test func documentOverTheSizeLimitIsCopiedUnread() async throws {
        let site = try TestSite(["a.txt": "", "small.md": "a"])
        let path = site.folder.path("site/large.md")
        // A sparse file, which takes no space.
        let made = try await Command.run("/usr/bin/truncate", ["-s", "257M", path])
        #expect(made.exitCode == 0)
        let result = try await site.bake("-o", "out")
        #expect(result.exitCode == 1)
        #expect(
            try result.diagnostics.map(\.summary) == ["error site/large.md document-too-large"],
            "\(result.errors)")
        let size = try await Command.run(
            "/usr/bin/stat", ["-c", "%s", site.folder.path("out/large.md")])
        #expect(size.output == "\(257 << 20)\n")
    }
}
