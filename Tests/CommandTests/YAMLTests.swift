import Testing

@testable import imgbake

/// The reading of YAML, and the features of it that are refused.
@Suite(.timeLimit(.minutes(10))) struct YAMLTests {
    private func shown(_ node: ConfigurationNode) -> String {
        switch node.content {
        case .text(let text, let isPlain): isPlain ? text : "'\(text)'"
        case .list(let items): "[" + items.map(shown).joined(separator: " ") + "]"
        case .mapping(let entries):
            "{" + entries.map { "\($0.name)=\(shown($0.value))" }.joined(separator: " ") + "}"
        case .empty: "-"
        }
    }

    @Test(arguments: [
        ("", "-"), ("# note", "-"), ("---", "-"), ("a", "a"), ("'a'", "'a'"), ("\"a\"", "'a'"),
        ("~", "-"), ("null", "-"), ("'null'", "'null'"), ("a: ", "{a=-}"), ("a: ~", "{a=-}"),
        ("a: 1\nb: [x, 'y', {c: d}]", "{a=1 b=[x 'y' {c=d}]}"), ("- a\n-\n- b", "[a - b]"),
        ("a:\n  b:\n    - c", "{a={b=[c]}}"), ("a: b # c", "{a=b}"), ("a: b#c", "{a=b#c}"),
        ("a: 'it''s'", "{a='it's'}"), ("a: \"\\u00e9\\t\"", "{a='é\t'}"), ("é: ü", "{é=ü}"),
        ("1: 2", "{1=2}"), ("a: http://h:80/x", "{a=http://h:80/x}"), ("a: x\r\nb: y", "{a=x b=y}"),
        ("\u{FEFF}a: b", "{a=b}"), ("a: one\n   two", "{a=one two}"), ("'a': b", "{a=b}"),
        ("a: b*c&d!e|f>g", "{a=b*c&d!e|f>g}"), ("a: '*.h'", "{a='*.h'}"), ("a: 5 > 3", "{a=5 > 3}"),
        ("a: \"|\"", "{a='|'}"), ("# *a &b\nx: y", "{x=y}"), ("a: 'b # c'", "{a='b # c'}"),
    ])
    func readsValuesWithQuotes(text: String, expected: String) throws {
        #expect(try shown(yaml(text)) == expected)
    }

    @Test(
        arguments: [
            ("a: &x b", "&", 1, 4), ("a: *x", "*", 1, 4), ("a: !t b", "!", 1, 4),
            ("a: |\n  b", "|", 1, 4), ("a: >\n  b", ">", 1, 4), ("&a b: c", "&", 1, 1),
            ("- *x", "*", 1, 3), ("[a, *x]", "*", 1, 5), ("{a: *x}", "*", 1, 5),
            ("? *x", "*", 1, 3), ("a: b\n&c d: e", "&", 2, 1), ("a:\n  &b c", "&", 2, 3),
            ("é: &a b", "&", 1, 4), ("'a': *b", "*", 1, 6), ("\"a\": *b", "*", 1, 6),
            ("a: 'b' # '\nc: *d", "*", 2, 4), ("a: it's\nb: *c", "*", 2, 4),
            ("a: it''s\nb: *c", "*", 2, 4), ("a: !t &x b", "!", 1, 4), ("a: &x !t b", "&", 1, 4),
            ("- *.css", "*", 1, 3), ("a: [!x/, y]", "!", 1, 5), ("!t a: b", "!", 1, 1),
            ("a: !!str b", "!", 1, 4), ("a: ! b", "!", 1, 4), ("a: |x", "|", 1, 4),
            ("a: > b", ">", 1, 4), ("a: &x [b]", "&", 1, 4), ("a: !t\n  b: c", "!", 1, 4),
            ("\u{FEFF}a: *x", "*", 1, 5), ("a: x\r\nb: *c", "*", 2, 4),
            ("<<: *a", "*", 1, 5), ("a: b\u{2028}*c", "*", 2, 1),
        ] as [(String, Character, Int, Int)])
    func refusedFeatureHasPlace(text: String, sign: Character, line: Int, column: Int) {
        let error = #expect(throws: SettingsError.self) { try yaml(text) }
        #expect(error?.reason == "a value that begins with '\(sign)' must be put in quotes")
        #expect(error?.line == line && error?.column == column)
    }

    /// Here, what begins a quoted text elsewhere is a part of a plain one.
    @Test(
        arguments: [
            ("a: x-'y\nb: &c z", 2, 4), ("a: b\n  'c\nd: &x [y]\ne: *x", 3, 4),
            ("a: x,'y\n&b c: d", 2, 1), ("a: x:\"y\nb: [&c {z: 1}, *c]", 2, 5),
        ] as [(String, Int, Int)])
    func refusesAnchorAfterQuoteInPlainText(text: String, line: Int, column: Int) {
        let error = #expect(throws: SettingsError.self) { try yaml(text) }
        #expect(error?.reason == "a value that begins with '&' must be put in quotes")
        #expect(error?.line == line && error?.column == column)
    }

    @Test func expandsNoAliasesAfterQuoteInPlainText() {
        var text = "a: x-'y\na0: &a0 [x]\n"
        for level in 1...60 {
            text += "a\(level): &a\(level) [*a\(level - 1), *a\(level - 1), *a\(level - 1)]\n"
        }
        #expect(throws: SettingsError.self) { try yaml(text) }
    }

    /// The parser compares the keys of a mapping.
    @Test func expandsNoAliasesOfKeys() {
        var text = "a: x-'y\na0: &a0 [x]\n"
        for level in 1...60 {
            text += "a\(level): &a\(level) [*a\(level - 1), *a\(level - 1), *a\(level - 1)]\n"
        }
        #expect(throws: SettingsError.self) { try yaml(text + "? *a60\n: z") }
    }

    @Test(arguments: ["a: x''\nb: *c '", "[\"a\"'b, *c]", "a: *", "a: &", "&", "*", "!<", "a: |9"])
    func refusesOtherTextsWithSigns(text: String) {
        #expect(throws: SettingsError.self) { try yaml(text) }
    }

    @Test(arguments: [
        "a: \"x\\\" & *y\"", "a: 'x'' & *y'", "a: x & *y", "a#*b: c", "a: 'x'': &y'", "a: 'x: &y'",
        "a: \"x: &y\"", "a: \"x\\\": &y\"", "a: \"'\\\\\": 'b'", "a: 'x\ny: &z'", "# a: &b",
        "a: b # c: &d",
    ])
    func ignoresSignsInText(text: String) {
        var reason = ""
        do { _ = try yaml(text) } catch { reason = "\(error)" }
        #expect(!reason.contains("must be put in quotes"), "\(reason)")
    }

    @Test func signContinuesPlainText() throws {
        #expect(try shown(yaml("a: b\n  *c\n  & d\n  > e")) == "{a=b *c & d > e}")
    }

    @Test func eachValueHasPlace() throws {
        let entries = try yaml("a: 1\nbb:\n  - x\n  - {c: d}\n").entries()
        #expect(entries.map(\.key.line) == [1, 2] && entries.map(\.key.column) == [1, 1])
        #expect(entries[0].value.line == 1 && entries[0].value.column == 4)
        let items = try entries[1].value.list()
        #expect(items.map(\.line) == [3, 4] && items.map(\.column) == [5, 5])
        let inner = try #require(try items[1].entries().first)
        #expect(inner.key.column == 6 && inner.value.column == 9)
    }

    @Test(arguments: ["", "# note", "\n\n"])
    func emptyFileBeginsAtFirstCharacter(text: String) throws {
        #expect(try yaml(text).error("x").description == "imgbake.yml:1:1: x")
    }

    @Test func countsColumnsInCharacters() throws {
        let entry = try #require(try yaml("é: ü").entries().first)
        #expect(entry.value.column == 4)
        let error = entry.value.error("x")
        #expect(error.description == "imgbake.yml:1:4: x")
    }

    @Test func suggestsNearestKeyOfSection() throws {
        let entry = try #require(try yaml("fromat: x").entries().first)
        #expect(entry.unknownKey(known: ["format", "fetch"]).reason.contains("'format'"))
        #expect(entry.unknownKey(known: ["a", "b"]).reason.contains("a, b"))
        let hostile = try #require(try yaml("\"\\e[2J\": x").entries().first)
        #expect(!hostile.unknownKey(known: ["a"]).description.contains("\u{1B}"))
    }

    @Test(arguments: ["a", "[a]", "'a'"])
    func refusesEntriesOfOtherValues(text: String) {
        #expect(throws: SettingsError.self) { try yaml(text).entries() }
    }

    @Test func readsLargeFileInLinearTime() throws {
        let lines = (0..<5_000).map { "key\($0): 'value' # it's" }.joined(separator: "\n")
        #expect(try yaml(lines).entries().count == 5_000)
    }
}
