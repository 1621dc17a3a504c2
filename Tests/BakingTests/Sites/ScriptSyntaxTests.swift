import Testing

@testable import Baking
@testable import Sites

/// Unusual, broken and hostile programs as configurations.
@Suite(.timeLimit(.minutes(10))) struct ScriptSyntaxTests {
    private func value(_ text: String, isPython: Bool = false) -> ScriptText.Value? {
        ScriptText(Array(text.utf8), isPython: isPython).value(of: "base")
    }

    @Test(arguments: [
        "x = { filter: (p) => /['\"`]/.test(p), base: '/a/' }",
        "function f() { return /'/.test(x) }\nx = { base: '/a/' }",
        "const f = x => /\\//.test(x) || /[/'\"]/.test(x); x = { base: '/a/' }",
        "switch (a) { case /\"/: break }\nx = { base: '/a/' }",
        "throw /'/\nx = { base: '/a/' }", "x = { r: typeof /'/, base: '/a/' }",
    ])
    func ignoresQuotesInRegularExpressions(text: String) {
        #expect(value(text) == .text("/a/"))
    }

    @Test(arguments: [
        "x = { n: a / b, m: c / d, base: '/a/' }", "x = { n: f(1) / 2, base: '/a/' } // it's",
        "x = { n: list[0] / 2, base: '/a/' } /* it's */", "x = { n: 4 / 2 / 1, base: '/a/' }",
        "x = { url: 'https://h/', base: '/a/' }", "x = { s: '// no', base: '/a/' }",
        "x = { s: \"/* no\", base: '/a/' }",
    ])
    func distinguishesDivisionFromRegularExpression(text: String) {
        #expect(value(text) == .text("/a/"))
    }

    @Test(arguments: [
        "x = { s: 'it\nx = 1\ny = { base: '/a/' }", "s = \"open\nx = { base: '/a/' }",
        "x = { note: it's,\n base: '/a/' }",
    ])
    func unclosedStringEndsAtLineEnd(text: String) {
        #expect(value(text) == .text("/a/"))
    }

    @Test(
        arguments: [
            ("x = { base: `/a/\nb` }", .text("/a/\nb")), ("x = { base: '\\/a\\/' }", .text("/a/")),
            ("x = { base: 'it\\'s' }", .text("it's")), ("x = { base: '\\u002Fa' }", .computed),
            ("x = { base: '\\x2fa' }", .computed), ("x = { base: 'a\\nb' }", .computed),
            ("x = { base: 'a\\\nb' }", .computed), ("x = { base: `\\${a}` }", .text("${a}")),
            ("x = { base: `${`/a/`}` }", .computed), ("x = { base: '' }", .text("")),
            ("x = { base: 5 }", .computed), ("x = { base: true }", .computed),
            ("x = { base: f('/a/') }", .computed), ("x = { base: ('/a/') }", .computed),
            ("x = { base: '/a/'.repeat(2) }", .computed), ("x = { base: '/a/'[0] }", .computed),
            ("x = { base: '/a/' || y }", .computed), ("x = { base: '/a/' ? 1 : 2 }", .computed),
            ("x = { base: {a: '/no/'} }", .computed),
            (
                "x = { base: ['/a/', '/b/'] }",
                .list(["/a/", "/b/"])
            ), ("x = { base: ['/a/', y] }", .computed),
            ("x = { base: [['/a/']] }", .computed), ("x = { base: ['/a/'", .computed),
            ("x = { base:", .computed), ("x = { base: '/a/', base: '/b/' }", .text("/a/")),
            ("module.exports.base = '/a/'", .text("/a/")),
            ("export const base = '/a/';", .text("/a/")),
            (
                "x = { é: 1, base: '/é/' }",
                .text("/é/")
            ), ("x = { $base: '/no/', base_: '/no/' }", nil),
            ("x = base", nil), ("f(base)", nil), ("base", nil),
        ] as [(String, ScriptText.Value?)])
    func readsOnlyPlainJavaScriptLiterals(text: String, expected: ScriptText.Value?) {
        #expect(value(text) == expected)
    }

    @Test(
        arguments: [
            ("base = '/a/'\nif x:\n    y = 1", .text("/a/")), ("base = '/a/' # it's", .text("/a/")),
            ("base = '/a/' if x else '/b/'", .computed), ("base = '/a/' or x", .computed),
            ("base = '/a/' and x", .computed), ("base = '/a/' 'b/'", .computed),
            ("base = '/a/' % x", .computed), ("base = '/a/'.format(x)", .computed),
            ("base = f'/{x}/'", .computed), ("base = r'/a/'", .computed),
            ("base = \"\"\"/a/\"\"\"", .text("/a/")), ("base = '''a'b'''", .text("a'b")),
            ("base = ''", .text("")), ("base = '/a/'\n'''it's a note'''", .text("/a/")),
            ("base = '/a/'\n\"\"\"open", .text("/a/")), ("base == '/no/'", nil),
            ("# base = '/no/'", nil), ("base = `/a/`", .computed),
            (
                "base = ['a',\n 'b']\nx = 1",
                .list(["a", "b"])
            ), ("x = 7 // 2\nbase = '/a/'", .text("/a/")),
            ("def f():\n    s = '/' # '\nbase = '/a/'", .text("/a/")),
            ("\u{FEFF}base = '/a/'", .text("/a/")), ("d = {'base': '/a/'}", .text("/a/")),
        ] as [(String, ScriptText.Value?)])
    func readsOnlyPlainPythonLiterals(text: String, expected: ScriptText.Value?) {
        #expect(value(text, isPython: true) == expected)
    }

    @Test func outermostValueWins() {
        let nested = "f({ a: { base: '/no/' }, b: [{ base: '/no/' }] }); x = { base: '/a/' }"
        #expect(value(nested) == .text("/a/"))
        // Brackets that do not match must not hide the value.
        #expect(value("}}} x = { base: '/a/' }") == .text("/a/"))
        #expect(value("((( x = { base: '/a/' }") == .text("/a/"))
    }

    @Test func invalidProgramHasNoValue() {
        #expect(value("\0\u{1}\u{FFFD}'") == nil)
        let binary: [UInt8] = [0xFF, 0xFE, 0x27, 0x00, 0xC3, 0x28, 0x60, 0x24, 0x7B, 0x5C]
        for length in 0...binary.count {
            for isPython in [false, true] {
                let script = ScriptText(Array(binary.prefix(length)), isPython: isPython)
                #expect(script.value(of: "base") == nil)
                #expect(script.calls(of: "base").isEmpty)
            }
        }
    }

    @Test func readsEveryPrefixOfProgram() throws {
        let text = """
            // a 'note'
            import x from "y"; /* it's */
            export default { r: /[/'\\]]/g, t: `a${b}`, list: ['a', 'b',], base: '/a/' }
            c.base({ 'k': 'v', "w": [1] }); c.base(
            """
        let bytes = Array(text.utf8)
        let key = try #require(text.firstRange(of: "base: '/a/'"))
        let start = text.utf8.distance(from: text.startIndex, to: key.lowerBound)
        let end = text.utf8.distance(from: text.startIndex, to: key.upperBound)
        for length in bytes.indices {
            let script = ScriptText(Array(bytes.prefix(length)), isPython: false)
            if length < start + 5 { #expect(script.value(of: "base") == nil, "\(length)") }
            if length >= end { #expect(script.value(of: "base") == .text("/a/"), "\(length)") }
            #expect(script.calls(of: "base").count <= 2, "\(length)")
        }
        #expect(value(text) == .text("/a/"))
    }

    @Test func readsManyBracketsInLinearTime() {
        let deep = String(repeating: "[", count: 100_000) + "base: '/a/'"
        #expect(value(deep) == .text("/a/"))
        #expect(value("base: " + String(repeating: "['a',", count: 30_000)) == .computed)
    }

    @Test(
        arguments: [
            ("f('a')", [["-=a"]]), ("f(\"a\", 'b')", [["-=a"]]), ("f({})", [[]]),
            ("f({ 'a': 'b', c: 'd', \"e\": f })", [["a=b", "e=?"]]), ("f(['a', 'b'])", [["-=a+b"]]),
            ("f(x)", [["-=?"]]), ("f('a' + x)", [["-=?"]]), ("f", []), ("g('a')", []),
            ("f('a'); f('b')", [["-=a"], ["-=b"]]),
            ("f('a'", [["-=a"]]), ("f(", [["-=?"]]),
        ] as [(String, [[String]])])
    func readsArgumentsOfCalls(text: String, expected: [[String]]) {
        let calls = ScriptText(Array(text.utf8), isPython: false).calls(of: "f")
        let shown = calls.map { call in
            call.map { key, value in
                let text =
                    switch value {
                    case .text(let text): text
                    case .list(let items): items.joined(separator: "+")
                    case .computed: "?"
                    }
                return "\(key ?? "-")=\(text)"
            }
        }
        #expect(shown == expected)
    }

    @Test func matchesWholeWords() {
        let script = ScriptText(
            Array("// A\nuse(B); s = 'C'; /* D */ t = `E`; F.g".utf8), isPython: false)
        #expect("ABCDEFg".filter { script.mentions(String($0)) } == "BFg")
    }
}
