import Documents
import Testing

@Suite(.timeLimit(.minutes(10)))
struct TOMLFrontMatterTests {
    @Test(arguments: [
        "image = \"⟦http://h/a.png⟧\"",
        "image = '⟦http://h/a.png⟧' # 'http://h/no.png'",
        "image = \"\"\"⟦http://h/a.png⟧\"\"\"\nlogo = '''\n⟦http://h/b.png⟧\n'''",
        "images = [ \"⟦http://h/a.png⟧\", '⟦http://h/b.png⟧' ]",
        "images = [\n  # ']\n  \"⟦http://h/a.png⟧\", # x\n\n  '⟦//h/b.png⟧',\n]",
        "cover.image = \"⟦http://h/a.png⟧\"",
        "params . \"cover\" .'image' = \"⟦http://h/a.png⟧\"",
        "[cover]\nimage = \"⟦http://h/a.png⟧\"\nalt = \"http://h/no.png\"",
        "[params.cover]\n  src = \"⟦http://h/a.png⟧\"\n[other]\nsrc = \"http://h/no.png\"",
        "[[images]]\nurl = \"⟦http://h/a.png⟧\"\n[[images]]\nurl = \"⟦http://h/b.png⟧\"",
        "cover = { image = \"⟦http://h/a.png⟧\", alt = \"x\", n = [1, {a = 2}] }",
        "x = {}\ny = []\na = { b = { hero = '⟦/a.png⟧', c = 1 }, logo = '⟦/b.png⟧' }",
        "date = 2024-01-02 07:32:00Z\nn = -1.5e+3\nb = true\ni = 0xFF\nimage = '⟦http://h/a.png⟧'",
        "text = \"\"\"\nimage = 'http://h/no.png' \\\n  \"\" x\"\"\"\"\"\nimage = '⟦http://h/a.png⟧'",
        "text = '''\nimage = \"http://h/no.png\"'''''\nimage = '⟦http://h/a.png⟧'",
        "\"é\" = 'é'\nlogo = \"⟦http://h/日本.png⟧\"",
        "image = \" ⟦http://h/a b.png⟧ \"",
        "[ cover ] # x\nimage = '⟦http://h/a.png⟧'",
    ])
    func findsStrings(toml: String) {
        expectReferences("+++\n\(toml)\n+++\ntext", .markdown)
        expectReferences("\u{FEFF}---toml\n\(toml)\n---\n![x](⟦x.png⟧)", .mdx)
        let crlf = toml.replacing("\n", with: "\r\n")
        expectReferences("+++\r\n\(crlf)\r\n+++\r\n![x](⟦x.png⟧)", .markdown)
    }

    @Test(arguments: [
        ("image = \"⟦http:\\u002f/h/\\U0001F600\\\\.png⟧\"", "http://h/😀\\.png"),
        ("image = '⟦http://h/\\n.png⟧'", "http://h/\\n.png"),
    ])
    func decodesEscapes(toml: String, url: String) {
        expectReferences("+++\n\(toml)\n+++\n", .markdown, urls: [url])
    }

    @Test(arguments: [
        "title = 'http://h/a.png'", "image = Sunset", "image = 'Sunset'", "image = ",
        "image \"a.png\"", "[image", "image = 'http://h/{{ x }}.png'", "= 'http://h/a.png'",
        "image. = 'a.png'",
    ])
    func ignoresOtherValuesAndInvalidTOML(toml: String) {
        expectReferences("+++\n\(toml)\n+++\n![x](⟦x.png⟧)", .markdown)
    }

    @Test(arguments: [
        "image = \"\"\"http://h/\\\n  a.png\"\"\"", "image = '''http://h/\na.png'''",
    ])
    func refusesImagesThatCannotBeReplaced(toml: String) {
        let extraction = extract(Array("+++\n\(toml)\n+++\n".utf8), kind: .markdown)
        #expect(extraction.references.isEmpty)
        #expect(extraction.problems.map(\.reason) == [.placeUncertain])
        #expect(extraction.problems.first?.offset == 15)
    }

    @Test func keepsQuotationMarks() {
        #expect(
            replaceAll(
                "+++\nimage = 'a.png'\nlogo = \"a.png\"\n+++\n", .markdown,
                with: [
                    "/it's", "/\"\\",
                ]) == "+++\nimage = '/it%27s'\nlogo = \"/%22%5C\"\n+++\n")
    }

    @Test func refusesURLsThatAreNotUTF8() {
        let bytes = Array("+++\nimage = 'http://h/".utf8) + [0xE9] + Array(".png'\n+++\n".utf8)
        let extraction = extract(bytes, kind: .markdown)
        #expect(extraction.references.isEmpty)
        #expect(
            extraction.problems == [
                DocumentProblem(offset: 13, url: "http://h/\u{FFFD}.png", reason: .urlNotUTF8)
            ])
    }

    @Test func findsManyImagesUnderManyKeys() {
        for (depth, count) in [(60, 20_000), (500, 0)] {
            let header = (0..<depth).map { "part\($0)" }.joined(separator: ".")
            let lines = String(repeating: "image='a.png'\n", count: 20_000)
            let text = "+++\n[\(header)]\n\(lines)+++\n"
            #expect(extract(Array(text.utf8), kind: .markdown).references.count == count)
        }
    }

    @Test(arguments: [
        "[", "{a=", "a.", "\"", "'", "[[a]]\n", "a=[", "#\n", "a={b=[", "\"\"\"", "'''", "a\n", "=",
    ])
    func readsLongInput(pattern: String) {
        let text = "+++\nimage = 'a.png'\n\(String(repeating: pattern, count: 5_000))\n+++\n"
        #expect(extract(Array(text.utf8), kind: .markdown).references.count <= 1)
    }
}
