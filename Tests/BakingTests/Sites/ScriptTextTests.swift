import Testing

@testable import Baking
@testable import Sites

@Suite struct ScriptTextTests {
    private func value(_ key: String, _ text: String, isPython: Bool = false) -> ScriptText.Value? {
        ScriptText(Array(text.utf8), isPython: isPython).value(of: key)
    }

    @Test(
        arguments: [
            ("export default { base: '/a/' }", .text("/a/")),
            ("const c = {\n  'base': \"/a/\",\n}", .text("/a/")),
            ("x = { base: `/a/` }", .text("/a/")), ("x = { base: `/${y}/` }", .computed),
            ("x = { base: process.env.BASE ?? '/' }", .computed),
            ("x = { base: '/a/' + y }", .computed), ("x = { base: y }", .computed),
            ("x = { base: '/a/' as const }", .text("/a/")),
            ("// base: '/no/'\nx = { base: '/a/' }", .text("/a/")),
            ("/* base: '/no/' */ x = { base: '/a/' }", .text("/a/")),
            ("x = { vite: { base: '/no/' }, base: '/a/' }", .text("/a/")),
            ("x = { r: /['\"/]/, base: '/a/' }", .text("/a/")),
            ("x = { s: 'base: \\'/no/\\'', base: '/a/' }", .text("/a/")),
            ("if (base == '/no/') {}", nil), ("x = { baseline: '/no/' }", nil), ("", nil),
            ("x = { base: '/a", .text("/a")), ("/* open", nil),
        ] as [(String, ScriptText.Value?)])
    func readsJavaScriptLiterals(text: String, expected: ScriptText.Value?) {
        #expect(value("base", text) == expected)
    }

    @Test(
        arguments: [
            ("html_static_path = ['_static', \"more\"]", .list(["_static", "more"])),
            ("# html_static_path = ['no']\nhtml_static_path = []", .list([])),
            ("html_static_path = ['a'] + b", .list(["a"])),
            ("html_static_path = [os.path.join('a')]", .computed),
            ("x = \"\"\"html_static_path = ['no']\"\"\"\nhtml_static_path = ['a',]", .list(["a"])),
        ] as [(String, ScriptText.Value)])
    func readsPythonLists(text: String, expected: ScriptText.Value) {
        #expect(value("html_static_path", text, isPython: true) == expected)
    }

    @Test func readsCalls() {
        let script = ScriptText(
            Array("c.addPassthroughCopy('a'); c.addPassthroughCopy({ 'b': '/', \"d/e\": x })".utf8),
            isPython: false)
        let calls = script.calls(of: "addPassthroughCopy")
        #expect(calls.map { $0.map(\.key) } == [[nil], ["b", "d/e"]])
        #expect(calls.map { $0.map(\.value) } == [[.text("a")], [.text("/"), .computed]])
    }

    @Test(
        arguments: [
            ("addPassthroughCopy('src/assets')", "src/assets/imgbake", "/assets/imgbake/x.webp"),
            ("addPassthroughCopy({'./public/': '/'})", "public/imgbake", "/imgbake/x.webp"),
            ("addPassthroughCopy('src/imgbake')", "src/imgbake", "/imgbake/x.webp"),
            ("addPassthroughCopy('src/**/*.png')", "src/imgbake", "/imgbake/x.webp"),
        ])
    func readsPassthroughCopiesOfEleventy(call: String, directory: String, url: String) throws {
        let project = try Project([
            "eleventy.config.js": "c.setInputDirectory('src'); c.\(call)"
        ])
        #expect(try project.reading().imageDirectory == directory)
        #expect(try project.url(in: "src/a.md") == url)
        #expect(try project.reading().layout?.warnings.isEmpty == !call.contains("*"))
    }

    @Test func warnsAboutComputedValues() throws {
        let project = try Project(["astro.config.mjs": "export default { base: env.BASE }"])
        #expect(try project.reading().layoutWarnings.count == 1)
        let known = try project.reading { $0.address = SiteAddress("https://h/b/") }
        #expect(known.layoutWarnings.isEmpty)
        #expect(known.layout?.address.basePath == "/b/")
    }
}
